// The sentences of a compatibility answer: which fact decides, what limits, what else there is.
#pragma once

#include "software/compat.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gpuadvise::software {

using ObstacleWords = std::pair<std::string, std::string>;  // stable name, words

// Maker, system and form that no version changes.
[[nodiscard]] std::optional<ObstacleWords> platform_obstacle(const Facts& facts, const Question& question);
// Why nothing of what was asked works.
[[nodiscard]] ObstacleWords deciding_words(const Facts& facts, const Question& question, const std::vector<Candidate>& all);
// Why the best candidate works.
[[nodiscard]] std::string works_words(const Facts& facts, const Question& question, const Candidate& best);
[[nodiscard]] std::string default_build_words(const Question& question, const Candidate& best);
// Empty where no card is near it.
[[nodiscard]] std::string end_of_support_words(const Facts& facts, const Question& question);
// Why the driver does not drive one of the cards, whatever the program; empty where it does.
[[nodiscard]] std::string card_driver_words(const Facts& facts, const Question& question);
[[nodiscard]] std::vector<std::string> limit_words(const Facts& facts, const Question& question, const Candidate& best);
[[nodiscard]] std::vector<std::string> note_words(const Facts& facts, const Question& question, const Candidate& best);
[[nodiscard]] std::vector<std::string> alternative_words(const Facts& facts, const Question& question);
[[nodiscard]] NeedAnswer need_answer(const Question& question, const Library& library);
[[nodiscard]] std::string driver_condition(const Facts& facts, const Question& question, const Candidate& best);

}  // namespace gpuadvise::software
