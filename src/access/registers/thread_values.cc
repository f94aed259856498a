// SPDX-License-Identifier: Apache-2.0
#include "access/registers/thread_values.h"

#include <algorithm>

#include "base/try.h"
#include "notation/triton/basis_lists.h"

namespace tessera::access {

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
    for (const std::vector<Index>& basis : *list) bases[0].push_back(triton::flat_of(basis, values.shape));
  }
  for (const std::size_t i : first)
    bases[1].push_back(triton::flat_of(values.register_bases[i], values.shape));
  for (std::size_t i = 0; i < values.register_bases.size(); ++i) {
    if (std::ranges::find(first, i) == first.end())
      bases[1].push_back(triton::flat_of(values.register_bases[i], values.shape));
  }
  TESSERA_TRY(linear, LinearLayout::make(std::move(bases)));
  return Layout::make(std::move(linear));
}

}  // namespace tessera::access
