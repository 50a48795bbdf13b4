// The cells of a matrix: one a line for programs, a table for people.
#pragma once

#include "advise/matrix.hpp"
#include "report/grid.hpp"
#include "report/style.hpp"

#include <string>
#include <vector>

namespace gpuadvise::report {

// Appends {"batch":"32",...,"gpu":...} and a line end.
void append_cell_json(std::string& out, const std::vector<advise::Axis>& axes, const advise::Cell& cell);
void append_refused_json(std::string& out, const std::vector<advise::Axis>& axes, const advise::Refused& refused);

// The header line, then a line a cell; a refused combination is a line with its code as verdict and no figures.
[[nodiscard]] std::string matrix_header(const std::vector<advise::Axis>& axes, char separator);
void append_cell_separated(std::string& out, const std::vector<advise::Axis>& axes, const advise::Cell& cell, char separator);
void append_refused_separated(std::string& out, const std::vector<advise::Axis>& axes, const advise::Refused& refused, char separator);

// Rows are combinations of settings, columns are cards: "fits 12.3 GiB, 250 images/s".
class MatrixTable {
 public:
  MatrixTable(const std::vector<advise::Axis>& axes, std::span<const Gpu* const> cards);
  void add(const advise::Cell& cell);
  void add(const advise::Refused& refused);
  [[nodiscard]] std::string text(const TextStyle& style) const;
  [[nodiscard]] std::string markdown() const;
  [[nodiscard]] std::size_t rows() const { return grid_.rows.size(); }

 private:
  void begin_row(std::span<const std::size_t> at);

  const std::vector<advise::Axis>& axes_;
  Grid grid_;
  std::size_t cards_ = 0;
  std::string unit_;
  bool scales_ = false;  // a cell is of several GPUs
  std::vector<std::string> refusals_;
};

}  // namespace gpuadvise::report
