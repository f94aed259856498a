// SPDX-License-Identifier: Apache-2.0
#include "draw/cell_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "base/at_fault.h"
#include "base/plural.h"
#include "draw/coordinate_text.h"
#include "draw/index_picture.h"
#include "draw/limits.h"
#include "draw/memory_picture.h"
#include "draw/picture_parts.h"
#include "tessera/notation/layout.h"

namespace tessera::detail {
namespace {

// The least step at which a window of this many rows and columns has few enough cells.
Index step_of(Index rows, Index columns) {
  Index low = 1;
  Index high = std::max(rows, columns);
  while (low < high) {
    const Index middle = std::midpoint(low, high);
    // The product of the two counts may overflow.
    if (ceil_div(rows, middle) <= kDrawLimits.table_cells / ceil_div(columns, middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

class Tabulator {
 public:
  Tabulator(const Layout& layout, const PictureOptions& options)
      : layout_(layout), options_(options), view_(view_of(layout, "")) {}

  Result<CellTable> index_view() {
    const Result<std::vector<IndexRange>> window = whole_window(view_, options_.window);
    if (!window) return fail(window.error());
    const std::size_t rank = window->size();
    for (const IndexRange& range : *window) table_.fixed.push_back(range.begin);
    if (view_.size() == 0) return std::move(table_);
    if (Result<void> made = make_painter(Coloring::offset); !made) return fail(made.error());
    if (rank == 0) {
      table_.rows = table_.columns = 1;
      set_ranges({0, 1}, {0, 1});
    } else if (rank == 1) {
      const Index count = view_.dims[0].drawn;
      table_.columns = index_row_length(view_.dims[0], count, options_.columns);
      table_.rows = ceil_div(count, table_.columns);
      set_ranges(whole_rows((*window)[0], 0), {0, table_.columns});
    } else {
      const std::size_t row = view_.first_fastest ? 0 : rank - 2;
      table_.row_dim = static_cast<int>(row);
      table_.column_dim = static_cast<int>(row + 1);
      table_.rows = view_.dims[row].drawn;
      table_.columns = view_.dims[row + 1].drawn;
      set_ranges((*window)[row], (*window)[row + 1]);
      table_.row_cuts = cuts_of(view_.dims[row].cuts, table_.row_range);
      table_.column_cuts = cuts_of(view_.dims[row + 1].cuts, table_.column_range);
    }
    std::vector<Index> index = table_.fixed;
    each_cell([&](Index row, Index column) {
      if (rank == 1) {
        index[0] = row * table_.columns + column;
        if (index[0] >= view_.dims[0].drawn) return add_none();
      } else if (rank > 1) {
        index[static_cast<std::size_t>(table_.row_dim)] = row;
        index[static_cast<std::size_t>(table_.column_dim)] = column;
      }
      add_element(index);
    });
    return std::move(table_);
  }

  Result<CellTable> memory_view() {
    if (view_.size() == 0) return std::move(table_);
    const Coloring own = has_tiles(view_) ? Coloring::tile : Coloring::index;
    if (Result<void> made = make_painter(own); !made) return fail(made.error());
    if (options_.window.size() > 1)
      return detail::at_fault(
          "window", fail(Code::value_count, fmt::format("the window has {}, but memory has one dimension",
                                                        detail::plural(options_.window.size(), "range"))));
    const IndexRange whole{std::min<Index>(0, painter_->low),
                           std::max(painter_->high + 1, view_.buffer.value_or(0))};
    IndexRange range = options_.window.empty() ? whole : options_.window[0];
    if (range.end == kIndexMax) range.end = whole.end;
    if (Result<void> inside = check_window(range, whole, "memory"); !inside) return fail(inside.error());
    table_.memory = whole;
    const Index count = whole.end - whole.begin;
    table_.columns = memory_row_length(view_, count, options_.columns);
    table_.rows = ceil_div(count, table_.columns);
    set_ranges(whole_rows(range, whole.begin), {0, table_.columns});
    if (Result<void> found = find_owners(); !found) return fail(found.error());
    std::optional<Diagnostic> error;
    each_cell([&](Index row, Index column) {
      const Index offset = whole.begin + row * table_.columns + column;
      if (offset >= whole.end) return add_none();
      if (error) return;
      if (Result<void> added = add_place(offset); !added) error = added.error();
    });
    if (error) return fail(*std::move(error));
    return std::move(table_);
  }

 private:
  Result<void> make_painter(Coloring own) {
    const Result<Interval> offsets = offset_range(layout_);
    if (!offsets) return fail(offsets.error());
    const std::vector<Index> begin(view_.dims.size(), 0);
    std::vector<Index> end;
    for (const ViewDim& dim : view_.dims) end.push_back(dim.extent);
    painter_.emplace(Painter{.layout = view_,
                             .color_by = options_.color_by == Coloring::automatic ? own : options_.color_by,
                             .bits = drawn_bits(view_, options_),
                             .low = offsets->lower,
                             .high = offsets->upper,
                             .tiles = tiles_between(view_, begin, end)});
    Picture picture;
    painter_->add_legend(picture);
    table_.scale = picture.scale;
    table_.legend_title = picture.legend_title;
    table_.legend = picture.legend;
    return {};
  }

  // The rows that contain positions from `first` on.
  IndexRange whole_rows(IndexRange range, Index first) const {
    return {(range.begin - first) / table_.columns, ceil_div(range.end - first, table_.columns)};
  }

  void set_ranges(IndexRange rows, IndexRange columns) {
    table_.row_range = rows;
    table_.column_range = columns;
    table_.step = step_of(rows.end - rows.begin, columns.end - columns.begin);
    table_.row_count = ceil_div(rows.end - rows.begin, table_.step);
    table_.column_count = ceil_div(columns.end - columns.begin, table_.step);
  }

  static std::vector<int> cuts_of(std::span<const Index> cuts, IndexRange range) {
    std::vector<int> out;
    if (cuts.empty() || range.end - range.begin > kDrawLimits.table_cells) return out;
    for (Index p = range.begin; p <= range.end; ++p) {
      const auto tiles = std::ranges::count_if(cuts, [&](Index cut) { return p % cut == 0; });
      out.push_back(static_cast<int>(std::min<std::ptrdiff_t>(tiles, 2)));
    }
    return out;
  }

  template <class Visit>
  void each_cell(const Visit& visit) {
    for (Index row = 0; row < table_.row_count; ++row) {
      table_.kinds.emplace_back();
      for (Index column = 0; column < table_.column_count; ++column)
        visit(table_.row_range.begin + row * table_.step, table_.column_range.begin + column * table_.step);
    }
  }

  void add(char kind, Index offset, int color) {
    table_.kinds.back() += kind;
    table_.offsets.push_back(offset);
    table_.colors.push_back(color);
  }
  void add_none() {
    add('.', 0, -1);
    if (options_.view != View::memory) return;
    table_.coordinates.emplace_back();
    table_.owners.push_back(0);
  }

  void add_element(std::span<const Index> index) {
    const Index offset = view_.offset(index);
    bool padding = false;
    for (std::size_t i = 0; i < index.size(); ++i) padding = padding || index[i] >= view_.dims[i].extent;
    add(padding ? 'p' : 'e', offset, padding ? -1 : painter_->color(index, offset));
    const bool nested =
        std::ranges::any_of(view_.dims, [](const ViewDim& dim) { return !dim.leaves.empty(); });
    if (nested && table_.step == 1) table_.naturals.push_back(padding ? "" : view_.natural(index));
  }

  Result<void> find_owners() {
    const Index size = view_.size();
    const bool inverted =
        layout_.known_digits() != nullptr || layout_.linear() != nullptr || layout_.composed() != nullptr;
    if (size > kDrawLimits.sorted_owners && inverted) return {};
    if (size > kDrawLimits.table_elements)
      return fail(Code::limit,
                  fmt::format("the memory view takes at most {} elements of such a layout; it has {}",
                              kDrawLimits.table_elements, size));
    owners_ = owners_of(view_);
    return {};
  }

  Result<void> add_place(Index offset) {
    std::vector<Index> first;
    Index count = 0;  // or kManyOwners
    if (owners_.empty()) {
      const Result<Preimage> found = indices_at(layout_, offset, {.indices = kDrawLimits.cell_owners});
      if (!found && found.error().code != Code::index_out_of_range) return fail(found.error());
      if (found && !found->indices.empty()) {
        count = found->complete ? std::ssize(found->indices) : kManyOwners;
        first = found->indices.front();
      }
    } else {
      const auto same = std::ranges::equal_range(owners_, offset, {}, &Owner::offset);
      count = std::ssize(same);
      if (count > 0) first = index_of(view_, same.front().place);
    }
    add(count != 0 ? 'e' : 'p', offset, count != 0 ? painter_->color(first, offset) : -1);
    table_.coordinates.push_back(count != 0 ? coordinate_text(first) : "");
    table_.owners.push_back(count);
    return {};
  }

  const Layout& layout_;
  const PictureOptions& options_;
  LayoutView view_;
  CellTable table_ = {};
  std::optional<Painter> painter_ = {};
  std::vector<Owner> owners_ = {};
};

}  // namespace

Result<CellTable> cell_table(const Layout& layout, const PictureOptions& options) {
  Tabulator tabulator(layout, options);
  return options.view == View::memory ? tabulator.memory_view() : tabulator.index_view();
}

}  // namespace tessera::detail
