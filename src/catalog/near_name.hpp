// "Did you mean": the names closest to a text that matched nothing.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace gpuadvise::catalog {

// Edits (insert, delete, replace, swap neighbours) that turn one text into the other; case and punctuation do not count.
// Gives up and returns limit + 1 once the distance is known to exceed limit.
[[nodiscard]] std::size_t edit_distance(std::string_view from, std::string_view to, std::size_t limit);

// At most `limit` candidates within max(1, length / 4) edits, nearest first; where there is none, those that contain the text,
// or failing that its longest word that occurs, shortest first. Views point into candidates. Ties keep alphabetical order.
[[nodiscard]] std::vector<std::string_view> near_names(std::string_view text, std::span<const std::string_view> candidates,
                                                       std::size_t limit);

}  // namespace gpuadvise::catalog
