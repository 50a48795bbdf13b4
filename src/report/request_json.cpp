#include "report/request_json.hpp"

#include "workload/describe.hpp"
#include "workload/fault.hpp"

namespace gpuadvise::report {

void write_request_members(JsonWriter& json, const Request& request) {
  for (const workload::Described& item : workload::describe(request)) {
    json.key(item.name);
    json.begin_object();
    json.field("value", item.value);
    json.field("origin", workload::to_string(item.origin));
    json.end_object();
  }
}

void write_error(JsonWriter& json, const Error& error) {
  const auto* several = dynamic_cast<const workload::RequestError*>(&error);
  const bool list = several != nullptr && several->faults().size() > 1;
  json.begin_object();
  json.field("code", to_string(error.code()));
  json.field("message", several != nullptr ? several->faults().front().message : error.message());
  json.field("hint", several != nullptr ? several->faults().front().hint : error.hint());
  if (!error.where().empty()) {
    json.field("where", error.where());
  }
  if (list) {
    json.key("faults");
    json.begin_array();
    for (const workload::Fault& fault : several->faults()) {
      json.begin_object();
      json.field("code", to_string(fault.code));
      json.field("key", fault.key);
      json.field("message", fault.message);
      json.field("hint", fault.hint);
      json.end_object();
    }
    json.end_array();
  }
  json.end_object();
}

}  // namespace gpuadvise::report
