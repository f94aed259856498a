// SPDX-License-Identifier: Apache-2.0
#include "access/registers/thread_values.h"

#include <algorithm>

#include "base/try.h"

namespace tessera::access {

Index flat_index(std::span<const Index> coordinate, std::span<const Index> shape) {
  Index flat = 0;
  Index stride = 1;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    flat += coordinate[d] * stride;
    stride *= shape[d];
  }
  return flat;
}

Result<ThreadValues> thread_values(const TritonBases& registers) {
  if (registers.inputs.empty() || registers.inputs.front().name != "register")
    return fail(Code::not_applicable, "the layout is not one of registers");
  ThreadValues out;
  out.shape = registers.shape;
  for (const std::vector<Index>& basis : registers.of("register")) {
    if (std::ranges::any_of(basis, [](Index n) { return n != 0; })) out.register_bases.push_back(basis);
  }
  out.lane_bases = registers.of("lane");
  out.warp_bases = registers.of("warp");
  return out;
}

Result<Layout> thread_value_layout(const ThreadValues& values, std::span<const std::size_t> first) {
  std::vector<std::vector<Index>> bases(2);
  for (const TritonBasisList* list : {&values.lane_bases, &values.warp_bases}) {
    for (const std::vector<Index>& basis : *list) bases[0].push_back(flat_index(basis, values.shape));
  }
  for (const std::size_t i : first) bases[1].push_back(flat_index(values.register_bases[i], values.shape));
  for (std::size_t i = 0; i < values.register_bases.size(); ++i) {
    if (std::ranges::find(first, i) == first.end())
      bases[1].push_back(flat_index(values.register_bases[i], values.shape));
  }
  TESSERA_TRY(linear, LinearLayout::make(std::move(bases)));
  return Layout::make(std::move(linear));
}

}  // namespace tessera::access
