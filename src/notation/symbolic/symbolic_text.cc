// SPDX-License-Identifier: Apache-2.0
#include "notation/symbolic/symbolic_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "size/spelling.h"

namespace tessera::symbolic {
namespace {

/// A tuple of the texts of its leaves.
std::string tuple_of_terms(const std::vector<int>& nesting, std::size_t& node,
                           const std::vector<std::string>& leaves, std::size_t& leaf) {
  const int rank = nesting[node++];
  if (rank == TermTree::kLeaf) return leaves[leaf++];
  std::vector<std::string> parts;
  for (int i = 0; i < rank; ++i) parts.push_back(tuple_of_terms(nesting, node, leaves, leaf));
  return fmt::format("({})", fmt::join(parts, ","));
}

std::string tuple_of_terms(const TermTree& tree, const std::vector<SizeTerm>& terms) {
  std::vector<std::string> leaves;
  for (const SizeTerm& t : terms) leaves.push_back(compact(canonical(t)));
  std::size_t node = 0;
  std::size_t leaf = 0;
  return tuple_of_terms(tree.nesting, node, leaves, leaf);
}

}  // namespace

std::string canonical(const SymbolicLayout& layout) {
  if (layout.kind() != SymbolicLayout::Kind::cute) return layout.text();
  std::vector<SizeTerm> strides = layout.stride().leaves;
  if (strides.empty()) {
    SizeTerm next = SizeTerm::of(1);
    for (const SizeTerm& extent : layout.shape().leaves) {
      strides.push_back(next);
      next = SizeTerm{.kind = SizeTerm::Kind::times, .parts = {next, extent}};
    }
  }
  std::string out =
      tuple_of_terms(layout.shape(), layout.shape().leaves) + ":" + tuple_of_terms(layout.shape(), strides);
  if (layout.crop().empty()) return out;
  std::vector<std::string> crop;
  for (const SizeTerm& t : layout.crop()) crop.push_back(compact(canonical(t)));
  return out + fmt::format(" crop ({})", fmt::join(crop, ","));
}

}  // namespace tessera::symbolic
