// SPDX-License-Identifier: Apache-2.0
// Operations whose positions depend on data.
#include <fmt/format.h>

#include <algorithm>

#include "laws/hlo_cases.h"

namespace tessera::laws {

std::string HloCases::dynamic_slice() {
  const Dims whole = dims(pick(0, 3), 1, 5);
  Dims box;
  std::vector<std::string> types = {f32(whole)};
  for (const Index n : whole) {
    box.push_back(pick(1, n));
    types.push_back(coin() ? "s32[]" : "u32[]");
  }
  return program(types, f32(box), "dynamic-slice", "dynamic_slice_sizes=" + braces(box));
}

std::string HloCases::dynamic_update_slice() {
  const Dims whole = dims(pick(0, 3), 1, 5);
  Dims box;
  for (const Index n : whole) box.push_back(pick(1, n));
  std::vector<std::string> types = {f32(whole), f32(box)};
  for (std::size_t i = 0; i < whole.size(); ++i) types.push_back("s64[]");
  return program(types, f32(whole), "dynamic-update-slice");
}

std::string HloCases::known_starts() {
  const Dims whole = {pick(3, 6), pick(3, 6)};
  const Dims box = {pick(1, 3), pick(1, 3)};
  std::string text =
      fmt::format("ENTRY e {{\n  p0 = {} parameter(0)\n  p1 = s32[] parameter(1)\n", f32(whole));
  text += fmt::format("  a = s32[] constant({})\n  n = s32[3] iota(), iota_dimension=0\n", pick(-3, 8));
  const Index step = pick(0, 2);
  text += fmt::format("  m = s32[1] slice(n), slice={{[{}:{}]}}\n  b = s32[] reshape(m)\n", step, step + 1);
  return text + fmt::format(
                    "  c = s32[] add(a, b)\n  d = s64[] convert(c)\n  e = s64[] convert(p1)\n"
                    "  ROOT r = {} dynamic-slice(p0, {}, {}), dynamic_slice_sizes={}\n}}\n",
                    f32(box), "d", coin() ? "d" : "e", braces(box));
}

// A gather, or a scatter with the same windows. The indices are `p1`, or are defined by `indices_text`.
std::string HloCases::gather_with(const std::string& indices_text, bool scatter_form) {
  const Index rank = pick(1, 3);
  const Dims operand = dims(rank, 1, 4);
  // Dimensions of the operand: with a window (kept), without one (dropped), or batched with the indices.
  Dims dropped, batching, kept;
  for (Index i = 0; i < rank; ++i) {
    const Index kind = pick(0, 3);
    (kind == 0 && indices_text.empty() ? batching : kind == 1 ? dropped : kept).push_back(i);
  }
  Dims sizes(at(rank), 1), window;
  for (const Index i : kept) {
    sizes[at(i)] = pick(1, operand[at(i)]);
    window.push_back(sizes[at(i)]);
  }
  Dims components;
  for (const Index i : join(dropped, kept)) {
    if (coin()) components.push_back(i);
  }
  std::shuffle(components.begin(), components.end(), random_);
  // Dimensions of the indices: batch dimensions, some of which also batch the operand, and the index vector.
  Dims index_batch = dims(pick(0, 2), 1, 3), batch_places;
  for (const Index i : batching) {
    batch_places.push_back(static_cast<Index>(index_batch.size()));
    index_batch.push_back(operand[at(i)]);
  }
  Index vector_dim = static_cast<Index>(index_batch.size());
  Dims indices = index_batch;
  if (components.empty() && pick(0, 4) > 0) return gather_with(indices_text, scatter_form);
  if (components.size() != 1 || coin()) {
    vector_dim = pick(0, static_cast<Index>(index_batch.size()));
    indices.insert(indices.begin() + vector_dim, static_cast<Index>(components.size()));
    for (Index& place : batch_places) place += place >= vector_dim ? 1 : 0;
  }
  // Dimensions of the result: batch and window dimensions, each in order, interleaved at random.
  Dims spread, window_dims;
  std::size_t b = 0, w = 0;
  while (b < index_batch.size() || w < window.size()) {
    if (w < window.size() && (b == index_batch.size() || coin())) {
      window_dims.push_back(static_cast<Index>(spread.size()));
      spread.push_back(window[w++]);
    } else {
      spread.push_back(index_batch[b++]);
    }
  }
  const bool made = !indices_text.empty();
  std::string text = fmt::format("ENTRY e {{\n  p0 = {} parameter(0)\n", f32(operand));
  const std::string index_type = array("s32", indices);
  if (!made) {
    text += fmt::format("  p1 = {} parameter(1)\n", index_type);
  } else if (coin() && !indices.empty()) {
    text += fmt::format(
        "  i = {0} iota(), iota_dimension={1}\n  k = s32[] constant({2})\n  l = {0} broadcast(k), "
        "dimensions={{}}\n  p1 = {0} {3}(i, l)\n",
        index_type, pick(0, static_cast<Index>(indices.size()) - 1), pick(-1, 3),
        pick_text({"add", "multiply", "subtract"}));
  } else {
    text += fmt::format("  k = s32[] constant({1})\n  p1 = {0} broadcast(k), dimensions={{}}\n", index_type,
                        pick(-1, 4));
  }
  if (!scatter_form) {
    return text + fmt::format(
                      "  ROOT r = {} gather(p0, p1), offset_dims={}, collapsed_slice_dims={}, "
                      "start_index_map={}, operand_batching_dims={}, start_indices_batching_dims={}, "
                      "index_vector_dim={}, slice_sizes={}\n}}\n",
                      f32(spread), braces(window_dims), braces(dropped), braces(components), braces(batching),
                      braces(batch_places), vector_dim, braces(sizes));
  }
  return std::string(coin() ? kAdd : kReplace) + text +
         fmt::format(
             "  p2 = {} parameter({})\n  ROOT r = {} scatter(p0, p1, p2), update_window_dims={}, "
             "inserted_window_dims={}, scatter_dims_to_operand_dims={}, input_batching_dims={}, "
             "scatter_indices_batching_dims={}, index_vector_dim={}, to_apply=f\n}}\n",
             f32(spread), made ? 1 : 2, f32(operand), braces(window_dims), braces(dropped),
             braces(components), braces(batching), braces(batch_places), vector_dim);
}

std::string HloCases::gather() { return gather_with("", false); }
std::string HloCases::known_gather() { return gather_with("known", false); }
std::string HloCases::scatter() { return gather_with("", true); }
std::string HloCases::known_scatter() { return gather_with("known", true); }

}  // namespace tessera::laws
