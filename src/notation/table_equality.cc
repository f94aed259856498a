// SPDX-License-Identifier: Apache-2.0
#include "notation/table_equality.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/index_walk.h"
#include "base/plural.h"
#include "base/try.h"

namespace tessera {
namespace {

constexpr Index kNowhere = -1;

Result<void> check_size(const Layout& layout) {
  if (layout.size() <= kTableLimit) return {};
  return fail(Code::limit, fmt::format("the layout has {} indices; tables are compared up to {}",
                                       layout.size(), kTableLimit));
}

Result<void> check_length(std::span<const Index> table, Index length, std::string_view what) {
  if (std::ssize(table) == length) return {};
  return fail(Code::value_count, fmt::format("the table has {}, but the {} {}",
                                             detail::plural(std::ssize(table), "entry"), what, length));
}

}  // namespace

Result<std::optional<TableDifference>> compare_offsets(const Layout& layout, std::span<const Index> table) {
  TESSERA_NEED(check_size(layout));
  TESSERA_NEED(check_length(table, layout.size(), "number of indices is"));
  std::optional<TableDifference> none;
  if (layout.size() == 0) return none;
  std::vector<Index> index(layout.rank(), 0);
  std::size_t number = 0;
  do {
    const Index offset = layout.offset(index);
    if (table[number] != offset) return std::optional(TableDifference{index, offset, table[number]});
    ++number;
  } while (detail::next_index(index, layout.shape()));
  return none;
}

Result<std::optional<TableDifference>> compare_gather(const Layout& layout, std::span<const Index> table,
                                                      Index first) {
  TESSERA_NEED(check_size(layout));
  TESSERA_TRY(buffer, layout.buffer_size());
  TESSERA_NEED(check_length(table, buffer, "buffer's size is"));
  // For each element, the first cell that has it, or one that has it although it should not.
  std::vector<Index> cell(static_cast<std::size_t>(layout.size()), kNowhere);
  std::vector<Index> expected(cell.size(), kNowhere);
  std::vector<Index> index(layout.rank(), 0);
  if (layout.size() > 0) {
    std::size_t number = 0;
    do {
      expected[number++] = layout.offset(index);
    } while (detail::next_index(index, layout.shape()));
  }
  for (std::size_t o = 0; o < table.size(); ++o) {
    Index number = 0;
    const bool fits = !sub_overflows(table[o], first, number);
    if (fits && number < 0) continue;
    if (!fits || number >= layout.size()) {
      return fail(Code::index_out_of_range,
                  fmt::format("entry {} of the table is {}, but the elements are {} to {}", o, table[o],
                              first, first + layout.size() - 1),
                  {}, "padding is negative; for tables that count from 1, --gather-from 1");
    }
    Index& here = cell[static_cast<std::size_t>(number)];
    if (here == kNowhere || here == expected[static_cast<std::size_t>(number)]) here = static_cast<Index>(o);
  }
  std::optional<TableDifference> difference;
  std::ranges::fill(index, 0);
  for (std::size_t number = 0; number < cell.size(); ++number) {
    if (cell[number] != expected[number]) {
      difference = {index, expected[number], std::nullopt};
      if (cell[number] != kNowhere) difference->in_table = cell[number];
      break;
    }
    detail::next_index(index, layout.shape());
  }
  return difference;
}

}  // namespace tessera
