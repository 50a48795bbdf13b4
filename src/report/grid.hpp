// A table of texts with aligned columns.
#pragma once

#include "report/columns.hpp"
#include "report/style.hpp"

#include <string>
#include <vector>

namespace gpuadvise::report {

struct GridColumn {
  std::string header;
  Align align = Align::left;
};

struct GridCell {
  std::string text;
  Tone tone = Tone::plain;
};

struct GridRow {
  std::vector<GridCell> cells;
  std::string below;  // wrapped under the row; may be empty
};

struct Grid {
  std::vector<GridColumn> columns;
  std::vector<GridRow> rows;
};

// Width of the widest line, without what stands below rows.
[[nodiscard]] int grid_width(const Grid& grid);
[[nodiscard]] std::string render_grid(const Grid& grid, const TextStyle& style);
[[nodiscard]] std::string render_markdown(const Grid& grid);

}  // namespace gpuadvise::report
