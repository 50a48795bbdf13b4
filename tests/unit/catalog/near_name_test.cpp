#include "catalog/near_name.hpp"

#include "catch.hpp"

#include <array>

using gpuadvise::catalog::edit_distance;
using gpuadvise::catalog::near_names;

TEST_CASE("edit distance counts a swap as one edit and ignores case and punctuation") {
  CHECK(edit_distance("resnet5O", "resnet50", 9) == 1);
  CHECK(edit_distance("RTX 4900", "rtx-4090", 9) == 1);
  CHECK(edit_distance("kitten", "sitting", 9) == 3);
  CHECK(edit_distance("", "abc", 9) == 3);
  CHECK(edit_distance("abc", "abc", 9) == 0);
}

TEST_CASE("edit distance stops at its limit") {
  CHECK(edit_distance("kitten", "sitting", 2) == 3);
  CHECK(edit_distance("a", "abcdefgh", 2) == 3);
}

TEST_CASE("near names lists the closest first") {
  const std::array<std::string_view, 5> names = {"resnet18", "resnet50", "resnext50", "vgg16", "vit-base"};
  CHECK(near_names("resnet5O", names, 3) == std::vector<std::string_view>{"resnet50", "resnet18", "resnext50"});
  CHECK(near_names("resnet5O", names, 1) == std::vector<std::string_view>{"resnet50"});
}

TEST_CASE("near names falls back to names that contain the text, then its longest word") {
  const std::array<std::string_view, 4> names = {"rtx-3090", "rtx-4090", "rtx-4090-laptop", "h100-pcie"};
  CHECK(near_names("4090", names, 3) == std::vector<std::string_view>{"rtx-4090", "rtx-4090-laptop"});
  CHECK(near_names("nvidia tensor core h100 board", names, 3) == std::vector<std::string_view>{"h100-pcie"});
  CHECK(near_names("my h100x gpu", names, 3).empty());
  CHECK(near_names("a laptop", names, 3) == std::vector<std::string_view>{"rtx-4090-laptop"});
}

TEST_CASE("near names of nothing like it are none") {
  const std::array<std::string_view, 2> names = {"resnet50", "vgg16"};
  CHECK(near_names("zzzzzz", names, 3).empty());
  CHECK(near_names("--", names, 3).empty());
}
