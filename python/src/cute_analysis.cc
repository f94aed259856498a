// SPDX-License-Identifier: Apache-2.0
// Analyses of a thread's accesses, with the function names of other Python packages for layouts.
#include <fmt/format.h>

#include <bit>

#include "python/src/cute_layout.h"
#include "python/src/errors.h"
#include "python/src/layout_argument.h"
#include "tessera/access/memory_target.h"
#include "tessera/draw/layout_picture.h"

namespace tessera::python {
namespace {

std::vector<Index> offsets_in_order(nb::handle layout) {
  const Value values = call_function("values", {value_argument(layout)});
  return *values.as<std::vector<Index>>();
}

nb::dict offset_table(nb::handle layout) {
  nb::dict table;
  const std::vector<Index> values = offsets_in_order(layout);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const nb::int_ offset(values[i]);
    if (!table.contains(offset)) table[offset] = nb::list();
    nb::cast<nb::list>(table[offset]).append(i);
  }
  return table;
}

nb::dict footprint(nb::handle layout) {
  const LayoutFacts facts = facts_of(layout_argument(object_of(value_argument(layout))));
  if (!facts.image || !facts.offsets) raise(Code::undecided, "the layout has too many offsets to count");
  const auto [low, high] = *facts.offsets;
  nb::dict out;
  out["min_offset"] = low;
  out["max_offset"] = high;
  out["span"] = high - low + 1;
  out["unique_offsets"] = *facts.image;
  out["total_elements"] = facts.size;
  out["reuse_factor"] = static_cast<double>(facts.size) / static_cast<double>(*facts.image);
  out["holes"] = high - low + 1 - *facts.image;
  return out;
}

Index contiguity(nb::handle layout) {
  const Value value = value_argument(layout);
  const Value size = call_function("size", {value});
  return *call_function("max_common_vector", {value, call_function("make_layout", {size})}).integer();
}

// The first byte of each thread of the first group.
std::vector<Index> lane_bytes(nb::handle layout, Index element_bytes, Index group) {
  std::vector<Index> bytes = offsets_in_order(layout);
  if (group < 1 || group > 64)
    raise(Code::bad_option, fmt::format("a group has 1 to 64 threads, not {}", group));
  if (nb::hasattr(layout, "__len__") && !nb::isinstance<nb::str>(layout) && nb::len(layout) != 1) {
    raise(Code::rank_mismatch, "the layout must have one mode, the thread",
          "tessera.access counts the accesses of layouts with values");
  }
  bytes.resize(std::min<std::size_t>(bytes.size(), static_cast<std::size_t>(group)));
  for (Index& offset : bytes) offset *= element_bytes;
  return bytes;
}

nb::dict bank_conflicts(nb::handle layout, int element_bytes, int num_banks, int bank_width_bytes,
                        int group_size) {
  const std::vector<Index> bytes = lane_bytes(layout, element_bytes, group_size);
  const std::string text =
      fmt::format("banks:{}x{}@{}/{}", num_banks, bank_width_bytes, group_size, group_size);
  const MemoryTarget target = unwrap(MemoryTarget::parse(text), text);
  const BankReport report = count_banks({.bytes = bytes, .width = element_bytes}, AccessKind::read, target);
  nb::dict threads;
  for (std::size_t thread = 0; thread < bytes.size(); ++thread) {
    for (Index byte = bytes[thread]; byte < bytes[thread] + element_bytes; byte += bank_width_bytes) {
      const nb::int_ bank(byte / bank_width_bytes % num_banks);
      if (!threads.contains(bank)) threads[bank] = nb::list();
      nb::cast<nb::list>(threads[bank]).append(thread);
    }
  }
  nb::dict out;
  out["conflict_free"] = report.ways <= 1;
  out["max_ways"] = report.ways;
  out["bank_to_threads"] = threads;
  return out;
}

nb::dict coalescing_efficiency(nb::handle layout, int element_bytes, int warp_size, Index cache_line_bytes) {
  std::vector<Index> bytes = lane_bytes(layout, element_bytes, warp_size);
  const Index low = *std::min_element(bytes.begin(), bytes.end());
  for (Index& byte : bytes) byte -= low;
  const Index sizes[] = {cache_line_bytes};
  const SegmentReport report = count_segments({.bytes = bytes, .width = element_bytes}, sizes);
  nb::dict out;
  out["transactions"] = report.segments[0];
  out["efficiency"] =
      static_cast<double>(report.bytes) / static_cast<double>(report.segments[0] * cache_line_bytes);
  return out;
}

}  // namespace

void add_cute_analysis(nb::module_& m) {
  m.def("offset_table", &offset_table, "layout"_a,
        nb::sig("def offset_table(layout: tessera._types.LayoutLike) -> dict[int, list[int]]"),
        "The 1-D coordinates at each offset.\n\n"
        ">>> from tessera import cute\n"
        ">>> cute.offset_table(cute.Layout((4, 2), (0, 1)))\n"
        "{0: [0, 1, 2, 3], 1: [4, 5, 6, 7]}");
  m.def("footprint", &footprint, "layout"_a,
        nb::sig("def footprint(layout: tessera._types.LayoutLike) -> dict[str, float]"),
        "The range of offsets, the number of distinct ones, and the gaps. Exact. Raises Undecided.\n\n"
        ">>> from tessera import cute\n"
        ">>> cute.footprint(cute.Layout((4, 2), (0, 1)))['reuse_factor']\n4.0");
  m.def("contiguity", &contiguity, "layout"_a,
        nb::sig("def contiguity(layout: tessera._types.LayoutLike) -> int"),
        "How many 1-D coordinates from 0 on have consecutive offsets.\n\n"
        ">>> from tessera import cute\n"
        ">>> cute.contiguity(cute.Layout((4, 8), (1, 8)))\n4");
  m.def(
      "bank_conflicts", &bank_conflicts, "layout"_a, nb::kw_only(), "element_bytes"_a, "num_banks"_a = 32,
      "bank_width_bytes"_a = 4, "group_size"_a = 32,
      nb::sig(
          "def bank_conflicts(layout: tessera._types.LayoutLike, *, element_bytes: int, num_banks: int = 32, "
          "bank_width_bytes: int = 4, group_size: int = 32) -> dict[str, typing.Any]"),
      "Bank conflicts of the first group of threads, for a layout from thread to offset with one mode. All "
      "threads\n"
      "are served together; ``tessera.access`` follows the phases of real hardware.\n\n"
      ">>> from tessera import cute\n"
      ">>> cute.bank_conflicts(cute.Layout(32, 2), element_bytes=4)['max_ways']\n2");
  m.def("coalescing_efficiency", &coalescing_efficiency, "layout"_a, nb::kw_only(), "element_bytes"_a,
        "warp_size"_a = 32, "cache_line_bytes"_a = 128,
        nb::sig("def coalescing_efficiency(layout: tessera._types.LayoutLike, *, element_bytes: int, "
                "warp_size: int = 32, "
                "cache_line_bytes: int = 128) -> dict[str, typing.Any]"),
        "Cache lines of the first warp, and the share of their bytes that is used, for a layout from thread "
        "to\n"
        "offset with one mode. The lowest offset is at the start of a line.\n\n"
        ">>> from tessera import cute\n"
        ">>> cute.coalescing_efficiency(cute.Layout(32, 1), element_bytes=2)\n"
        "{'transactions': 1, 'efficiency': 0.5}");
}

}  // namespace tessera::python
