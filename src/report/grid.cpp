#include "report/grid.hpp"

#include <algorithm>
#include <numeric>

namespace gpuadvise::report {
namespace {

constexpr std::size_t k_gap = 2;

// Code points, not bytes: names may hold letters outside ASCII.
std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::vector<std::size_t> column_widths(const Grid& grid) {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < grid.columns.size(); ++i) {
    std::size_t width = display_width(grid.columns[i].header);
    for (const GridRow& row : grid.rows) {
      width = std::max(width, i < row.cells.size() ? display_width(row.cells[i].text) : 0);
    }
    widths.push_back(width);
  }
  return widths;
}

std::string aligned(std::string_view text, std::size_t width, Align align, bool last) {
  const std::size_t have = display_width(text);
  const std::string padding(width > have ? width - have : 0, ' ');
  if (align == Align::right) {
    return padding + std::string(text);
  }
  return last ? std::string(text) : std::string(text) + padding;
}

std::string line(const std::vector<GridCell>& cells, const Grid& grid, const std::vector<std::size_t>& widths, const TextStyle& style) {
  std::string text;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string cell = aligned(cells[i].text, widths[i], grid.columns[i].align, i + 1 == cells.size());
    text += (i > 0 ? std::string(k_gap, ' ') : "") + paint(style, cells[i].tone, cell);
  }
  return text + "\n";
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    out += c == '|' ? "\\|" : std::string(1, c);
  }
  return out;
}

}  // namespace

int grid_width(const Grid& grid) {
  const auto widths = column_widths(grid);
  const std::size_t gaps = widths.empty() ? 0 : (widths.size() - 1) * k_gap;
  return static_cast<int>(std::accumulate(widths.begin(), widths.end(), gaps));
}

std::string render_grid(const Grid& grid, const TextStyle& style) {
  const auto widths = column_widths(grid);
  std::vector<GridCell> headers;
  for (const GridColumn& column : grid.columns) {
    headers.push_back({column.header, Tone::faint});
  }
  std::string text = line(headers, grid, widths, style);
  for (const GridRow& row : grid.rows) {
    text += line(row.cells, grid, widths, style);
    text += wrap(row.below, style.width, "    ");
  }
  return text;
}

std::string render_markdown(const Grid& grid) {
  std::string text = "|";
  std::string rule = "|";
  for (const GridColumn& column : grid.columns) {
    text += " " + escaped(column.header) + " |";
    rule += column.align == Align::right ? " ---: |" : " --- |";
  }
  text += "\n" + rule + "\n";
  for (const GridRow& row : grid.rows) {
    text += "|";
    for (const GridCell& cell : row.cells) {
      text += " " + escaped(cell.text) + " |";
    }
    text += "\n";
  }
  return text;
}

}  // namespace gpuadvise::report
