#include "import/onnx.hpp"

#include <gpuadvise/error.hpp>

#include "catch.hpp"
#include "import/onnx_file.hpp"
#include "import/onnx_walk.hpp"
#include "sample_files.hpp"

using namespace gpuadvise;
using samples::input;
using samples::integers;
using samples::node;
using samples::weights;

namespace {

importer::OnnxModel read(const std::string& file) {
  return importer::onnx_model(importer::MemoryBytes("x.onnx", file));
}

std::string reason(const std::string& file) {
  try {
    static_cast<void>(read(file));
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::bad_data);
    return error.message();
  }
  return "accepted";
}

// 3x3 convolution of 16 over 32 x 32, normalised, pooled, classified in 10.
std::string small_network() {
  return node("Conv", {"x", "w", "b"}, "c",
              integers("kernel_shape", {3, 3}) + integers("pads", {1, 1, 1, 1}) + integers("strides", {1, 1})) +
         node("BatchNormalization", {"c", "g", "s", "m", "v"}, "n") + node("Relu", {"n"}, "r") +
         node("MaxPool", {"r"}, "p", integers("kernel_shape", {2, 2}) + integers("strides", {2, 2})) + node("Flatten", {"p"}, "f") +
         node("Gemm", {"f", "fc", "fb"}, "y") + weights("w", {16, 3, 3, 3}) + weights("b", {16}) + weights("g", {16}) + weights("s", {16}) +
         weights("m", {16}) + weights("v", {16}) + weights("fc", {4096, 10}) + weights("fb", {10}) + input("x", {0, 3, 32, 32});
}

}  // namespace

TEST_CASE("ONNX: parameters, multiply-adds and what is kept are counted") {
  const auto model = read(samples::model(small_network()));
  const ImageProfile& p = model.profile;
  CHECK(p.params == 16 * 27 + 16 + 32 + 40960 + 10);
  CHECK(p.buffers == 32);
  CHECK(*p.gmacs * 1e9 == Approx(16.0 * 27 * 1024 + 40960));
  CHECK(*p.activations_m * 1e6 == Approx(16 * 1024 + 10));
  CHECK(p.image == 32);
  CHECK(p.channels == 3);
  CHECK(p.batchnorms == 1);
  CHECK(p.convs == 1);
  CHECK(p.source == ProfileSource::counted);
  // Input; the convolution's and the norm's outputs; the pool's indices; the flattened features.
  CHECK(p.saved_bytes == Approx(4 * 3072 + 2 * 4 * 16384 + 8 * 4096 + 4 * 4096));
  CHECK(model.precision == "fp32");
  CHECK(model.findings.empty());
}

TEST_CASE("ONNX: weights given as ConstantOfShape, and shapes computed from shapes") {
  const std::string graph =
      node("ConstantOfShape", {"ws"}, "w") + node("Conv", {"x", "w"}, "c", integers("kernel_shape", {1, 1})) + node("Shape", {"c"}, "cs") +
      node("Gather", {"cs", "zero"}, "n") + node("Unsqueeze", {"n"}, "n1", integers("axes", {0})) +
      node("Concat", {"n1", "rest"}, "to", integers("axis", {0})) + node("Reshape", {"c", "to"}, "f") + node("MatMul", {"f", "fc"}, "y") +
      samples::integer_constant("ws", {8, 3, 1, 1}) + samples::integer_constant("zero", {0}) + samples::integer_constant("rest", {512}) +
      weights("fc", {512, 4}) + input("x", {1, 3, 8, 8});
  const auto model = read(samples::model(graph));
  CHECK(model.profile.params == 24 + 2048);
  CHECK(*model.profile.gmacs * 1e9 == Approx(24 * 64 + 2048));
}

TEST_CASE("ONNX: figures are for one picture whatever batch was exported") {
  const auto one = read(samples::model(small_network()));
  std::string graph = small_network();
  const std::string open = input("x", {0, 3, 32, 32});
  graph.replace(graph.find(open), open.size(), input("x", {8, 3, 32, 32}));
  const auto eight = read(samples::model(graph));
  CHECK(*eight.profile.gmacs == Approx(*one.profile.gmacs));
  CHECK(eight.profile.saved_bytes == Approx(one.profile.saved_bytes));
}

TEST_CASE("ONNX: integer weights, shared weights, unknown operators") {
  const std::string quantised = node("DequantizeLinear", {"q", "qs"}, "w") + node("MatMul", {"x", "w"}, "y") + weights("q", {64, 32}, 3) +
                                weights("qs", {1}) + input("x", {1, 64});
  const auto integer = read(samples::model(quantised));
  CHECK(integer.profile.params == 2048);
  CHECK(integer.precision == "int8");
  CHECK(integer.weight_bytes == 2048);

  const std::string twice =
      node("MatMul", {"x", "w"}, "a") + node("MatMul", {"a", "w"}, "y") + weights("w", {64, 64}) + input("x", {1, 64});
  CHECK(read(samples::model(twice)).profile.params == 4096);
  CHECK(*read(samples::model(twice)).profile.gmacs * 1e9 == Approx(8192));

  const std::string strange =
      node("MatMul", {"x", "w"}, "a") + node("Frobnicate", {"a"}, "y") + weights("w", {64, 64}) + input("x", {1, 64});
  const auto passed = read(samples::model(strange));
  CHECK(passed.profile.source == ProfileSource::estimated);
  CHECK_THAT(passed.findings.front().message, ContainsSubstring("Frobnicate"));
}

TEST_CASE("ONNX: what cannot be meant is refused") {
  CHECK_THAT(reason(""), ContainsSubstring("no graph"));
  CHECK_THAT(reason("\xFF\xFF\xFF"), ContainsSubstring("number"));
  CHECK_THAT(reason(samples::model("")), ContainsSubstring("no graph"));
  CHECK_THAT(reason(samples::varint((7U << 3U) | 2U) + samples::varint(1000) + "x"), ContainsSubstring("longer than"));
  CHECK_THAT(reason(std::string(1, '\x0B')), ContainsSubstring("no field"));
  CHECK_THAT(reason(samples::model(node("Relu", {"nothing"}, "y") + input("x", {1, 4}))), ContainsSubstring("nothing before it makes"));
  CHECK_THAT(reason(samples::model(node("Relu", {"x"}, "x") + input("x", {1, 4}))), ContainsSubstring("two values"));
  CHECK_THAT(reason(samples::model(small_network() + weights("w", {1}))), ContainsSubstring("duplicate initializer"));
  const std::uint64_t huge = std::uint64_t{1} << 40U;
  CHECK_THAT(reason(samples::model(node("Relu", {"x"}, "y") + weights("w", {huge, huge}) + input("x", {1, 4}))),
             ContainsSubstring("impossible size"));
  CHECK_THAT(reason(samples::model(node("Conv", {"x", "w"}, "y", integers("strides", {0, 0})) + weights("w", {4, 3, 1, 1}) +
                                   input("x", {1, 3, 8, 8}))),
             ContainsSubstring("impossible kernel"));
  const std::string outside =
      samples::field(5, samples::field(1, std::uint64_t{4}) + samples::field(2, std::uint64_t{1}) + samples::field(8, "w") +
                            samples::field(13, samples::field(1, "location") + samples::field(2, "../secret")));
  CHECK_THAT(reason(samples::model(node("Relu", {"x"}, "y") + outside + input("x", {1, 4}))), ContainsSubstring("outside"));
  // Attributes that hold graphs that hold attributes ...
  std::string nested = samples::field(1, "a");
  for (int i = 0; i < 200; ++i) {
    nested = samples::field(5, nested);
  }
  CHECK(reason(samples::model(nested)) != "accepted");
}
