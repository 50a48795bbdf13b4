#include "catalog/model_suffix.hpp"

#include <gpuadvise/precision.hpp>

#include "catalog/model_key.hpp"
#include "catch.hpp"

using gpuadvise::catalog::changes_shape;
using gpuadvise::catalog::find_name_suffix;
using gpuadvise::catalog::is_date_word;
using gpuadvise::catalog::is_size_word;
using gpuadvise::catalog::model_key;

namespace {

std::string precision_of(std::string_view name) {
  return find_name_suffix(model_key(name)).precision;
}

}  // namespace

TEST_CASE("formats at the end of a name are read as the contract writes them") {
  CHECK(precision_of("x-7b-Q4_K_M") == "gguf:Q4_K_M");
  CHECK(precision_of("x-7b-IQ3_XXS") == "gguf:IQ3_XXS");
  CHECK(precision_of("x-7b-UD-Q8_K_XL") == "gguf:Q8_0");
  CHECK(precision_of("x-7b-gptq-int4") == "int4-gptq");
  CHECK(precision_of("x-7b-GPTQ-Int8") == "int8-gptq");
  CHECK(precision_of("x-7b-awq") == "int4-awq");
  CHECK(precision_of("x-7b-AWQ-INT4") == "int4-awq");
  CHECK(precision_of("x-7b-bnb-4bit") == "nf4");
  CHECK(precision_of("x-7b-4bit") == "int4");
  CHECK(precision_of("x-7b-mlx-4bit") == "mlx:4g64");
  CHECK(precision_of("x-7b-NVFP4") == "nvfp4");
  CHECK(precision_of("x-7b-FP8") == "fp8");
  CHECK(precision_of("x-7b 4.0bpw") == "exl2:4.0");
  CHECK(precision_of("x-7b-4.65bpw-h6-exl2") == "exl2:4.65");
}

TEST_CASE("the longest suffix wins, and only whole words count") {
  CHECK(find_name_suffix("x-7b-bnb-4-bit").length == std::string_view("-bnb-4-bit").size());
  CHECK(find_name_suffix("x-7b").length == 0);
  CHECK(find_name_suffix("awq").length == 0);
  CHECK(find_name_suffix("rabbit").length == 0);
  CHECK(find_name_suffix("x-7b-instruct").length == std::string_view("-instruct").size());
  CHECK(find_name_suffix("x-7b-gguf").precision.empty());
}

TEST_CASE("words of a name") {
  CHECK(is_size_word("7b"));
  CHECK(is_size_word("0.5b"));
  CHECK(is_size_word("125m"));
  CHECK_FALSE(is_size_word("b"));
  CHECK_FALSE(is_size_word("32k"));
  CHECK(is_date_word("2507"));
  CHECK(is_date_word("0414"));
  CHECK(is_date_word("20240101"));
  CHECK_FALSE(is_date_word("1024"));
  CHECK_FALSE(is_date_word("384"));
  CHECK_FALSE(is_date_word("2048"));
  CHECK(changes_shape("vision"));
  CHECK(changes_shape("4b"));
  CHECK_FALSE(changes_shape("neo"));
}
