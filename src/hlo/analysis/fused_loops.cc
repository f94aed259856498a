// SPDX-License-Identifier: Apache-2.0
#include "hlo/analysis/fused_loops.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

#include "hlo/limits.h"
#include "hlo/module/leaves.h"
#include "hlo/ops/forwarding.h"
#include "hlo/ops/map_builder.h"
#include "map/values/enumerate.h"

namespace tessera::detail {
namespace {

constexpr std::size_t kOperand = ~std::size_t{0};  ///< in place of a node: an operand of the fusion

/// Leaf `leaf` of a node, or of operand `operand` of the fusion.
struct FusedLeaf {
  std::size_t node = kOperand;
  std::uint32_t operand = 0;
  std::uint32_t leaf = 0;
};
using FusedLeaves = std::vector<FusedLeaf>;

/// An instruction of the fusion that computes something.
struct Node {
  const Instruction* op = nullptr;
  std::vector<FusedLeaves> operands = {};
};

/// The instructions of a fusion and of the computations that it calls, operands first.
class Flattened {
 public:
  std::vector<Node> nodes;

  std::optional<FusedLeaves> add(const Computation& computation, const std::vector<FusedLeaves>& arguments,
                                 int depth) {
    if (depth > kHloLimits.analysis.fusion_nesting || computation.root == nullptr) return std::nullopt;
    std::unordered_map<const Instruction*, FusedLeaves> values;
    for (const auto& op : computation.instructions) {
      auto value = value_of(*op, values, arguments, depth);
      if (!value || nodes.size() > kHloLimits.analysis.fusion_nodes) return std::nullopt;
      values.emplace(op.get(), *std::move(value));
    }
    return values.at(computation.root);
  }

 private:
  std::optional<FusedLeaves> value_of(const Instruction& op,
                                      const std::unordered_map<const Instruction*, FusedLeaves>& values,
                                      const std::vector<FusedLeaves>& arguments, int depth) {
    if (!op.sound) return std::nullopt;
    if (op.opcode == Opcode::parameter) {
      const auto number = static_cast<std::size_t>(op.parameter_number);
      return op.parameter_number >= 0 && number < arguments.size() ? std::optional(arguments[number])
                                                                   : std::nullopt;
    }
    std::vector<FusedLeaves> operands;
    for (const Operand& operand : op.operands) {
      const auto found = values.find(operand.instruction);
      if (found == values.end()) return std::nullopt;
      const std::uint32_t first = leaves_.first(operand);
      const std::uint32_t count = leaves_.count(operand);
      if (first + count > found->second.size()) return std::nullopt;
      operands.emplace_back(found->second.begin() + first, found->second.begin() + first + count);
    }
    const std::uint32_t count = leaves_.count(op.type);
    if (only_forwards(op.opcode)) {
      FusedLeaves out;
      for (std::uint32_t leaf = 0; leaf < count; ++leaf) {
        const auto from = forwarded(op, leaf, leaves_);
        if (!from || from->operand >= operands.size() || from->leaf >= operands[from->operand].size())
          return std::nullopt;
        out.push_back(operands[from->operand][from->leaf]);
      }
      return out;
    }
    if ((op.opcode == Opcode::fusion || op.opcode == Opcode::call) && op.called.size() == 1)
      return add(*op.called[0], operands, depth + 1);
    FusedLeaves out;
    for (std::uint32_t leaf = 0; leaf < count; ++leaf) out.push_back({.node = nodes.size(), .leaf = leaf});
    nodes.push_back({&op, std::move(operands)});
    return out;
  }

  Leaves leaves_;
};

// Whether no two points of the map have the same value, for any values of the runtime variables.
bool one_to_one(const Indexing& x, const JudgeLimits& limits) {
  CountedMap counted = counted_map(x);
  counted.exactness = Exactness::exact;  // of a part of the points, this is true as well
  if (std::ranges::find(counted.varies, true) != counted.varies.end()) return false;
  const IndexMap& map = x.map;
  const std::size_t first = map.variables().size() - map.runtime_count();
  std::vector<bool> seen(first);
  bool plain = true;
  for (const Expr e : map.results()) {
    if (e.is_variable() && std::cmp_less(e.value(), first)) seen[static_cast<std::size_t>(e.value())] = true;
    plain = plain && (e.is_constant() || e.is_variable());
  }
  bool all = true;
  for (std::size_t v = 0; v < first; ++v)
    all = all && (seen[v] || map.variables()[v].bounds.count() == Index{1});
  if (all) return true;
  if (plain && map.constraints().empty()) return false;
  const ReadCounts counts = count_all(std::span(&counted, 1), kIndexMax, limits);
  return counts.used.exact() && counts.reads.exact() && counts.used.lower == counts.reads.lower;
}

struct Demand {
  std::size_t loop = 0;
  std::uint32_t leaf = 0;
  Indexing map;  ///< from the index of the loop
};

class LoopFinder {
 public:
  LoopFinder(ProgramIndexing& program, const JudgeLimits& limits) : program_(program), limits_(limits) {}

  std::optional<std::vector<FusedLoop>> find(const Instruction& fusion) {
    if (fusion.called.size() != 1) return std::nullopt;
    Leaves leaves;
    std::vector<FusedLeaves> arguments;
    for (std::uint32_t j = 0; j < fusion.operands.size(); ++j) {
      FusedLeaves& own = arguments.emplace_back();
      const std::uint32_t count = leaves.count(fusion.operands[j]);
      for (std::uint32_t leaf = 0; leaf < count; ++leaf) own.push_back({kOperand, j, leaf});
    }
    const auto results = flattened_.add(*fusion.called[0], arguments, 0);
    if (!results) return std::nullopt;
    demands_.resize(flattened_.nodes.size());
    for (std::uint32_t k = 0; k < results->size(); ++k) {
      const HloType& type = leaf_type(fusion.type, k);
      if (type.is_token()) continue;
      if (!type.is_array() || !type.array().is_static()) return std::nullopt;
      if (!need((*results)[k], result_loop(type.dims()), identity_indexing(type.dims()))) return std::nullopt;
    }
    for (std::size_t n = flattened_.nodes.size(); n-- > 0;) {
      if (!demands_[n].empty() && !compute(n)) return std::nullopt;
    }
    return std::move(loops_);
  }

 private:
  std::size_t result_loop(std::span<const Index> dims) {
    for (std::size_t l = 0; l < loops_.size(); ++l)
      if (std::ranges::equal(loops_[l].dims, dims)) return l;
    return new_loop(dims, {});
  }

  std::size_t new_loop(std::span<const Index> dims, IndexingSet needed) {
    loops_.push_back({.dims = {dims.begin(), dims.end()}, .needed = std::move(needed)});
    readers_.emplace_back();
    return loops_.size() - 1;
  }

  // Records that a loop needs these elements of a value.
  bool need(const FusedLeaf& value, std::size_t loop, Indexing map) {
    if (map.exactness == Exactness::unknown || ++maps_ > kHloLimits.analysis.fusion_maps) return false;
    if (map.map.known_empty()) return true;
    map.leaf = -1;
    if (value.node == kOperand) {
      loops_[loop].reads.push_back({value.operand, value.leaf, std::move(map)});
      return true;
    }
    std::vector<Demand>& all = demands_[value.node];
    const bool known = std::ranges::any_of(all, [&](const Demand& x) {
      return x.loop == loop && x.leaf == value.leaf && same_relation(x.map, map);
    });
    if (!known) all.push_back({loop, value.leaf, std::move(map)});
    return true;
  }

  bool compute(std::size_t n) {
    const Node& node = flattened_.nodes[n];
    const std::vector<Demand> wanted = std::move(demands_[n]);
    if (node.operands.empty()) return true;
    const Demand& first = wanted[0];
    const bool inside = std::ranges::all_of(wanted, [&](const Demand& x) {
      return x.loop == first.loop && (&x == &first || same_relation(x.map, first.map));
    });
    if (inside && one_to_one(first.map, limits_)) {
      for (const Demand& x : wanted)
        if (!read(node, x.leaf, x.loop, &x.map)) return false;
      return true;
    }
    const auto loop = loop_of(node, wanted);
    if (!loop) return false;
    std::set<std::uint32_t> leaves;
    for (const Demand& x : wanted) leaves.insert(x.leaf);
    return std::ranges::all_of(leaves, [&](std::uint32_t leaf) { return read(node, leaf, *loop, nullptr); });
  }

  // The loop that computes a value for several readers, or for a reader that needs an element repeatedly.
  std::optional<std::size_t> loop_of(const Node& node, const std::vector<Demand>& wanted) {
    const HloType& type = leaf_type(node.op->type, wanted[0].leaf);
    if (!type.is_array() || !type.array().is_static()) return std::nullopt;
    const std::vector<Index> dims(type.dims().begin(), type.dims().end());
    IndexingSet needed;
    std::set<std::size_t> readers;
    for (const Demand& x : wanted) {
      const HloType& own = leaf_type(node.op->type, x.leaf);
      if (!own.is_array() || !std::ranges::equal(own.dims(), dims)) return std::nullopt;
      readers.insert(x.loop);
      readers.insert(readers_[x.loop].begin(), readers_[x.loop].end());
      if (loops_[x.loop].needed.empty()) insert(needed, x.map);
      for (const Indexing& index : loops_[x.loop].needed) insert(needed, compose(index, x.map));
      if ((maps_ += needed.size()) > kHloLimits.analysis.fusion_maps || needed.size() > kMaxIndexingMaps)
        return std::nullopt;
    }
    std::vector<CountedMap> counted;
    for (const Indexing& x : needed) counted.push_back(counted_map(x));
    const auto elements = type.array().element_count();
    if (!elements) return std::nullopt;
    if (count_all(counted, *elements, limits_).used.lower == *elements) needed.clear();
    if (needed.empty()) {
      for (std::size_t l = 0; l < loops_.size(); ++l) {
        if (loops_[l].dims != dims || !loops_[l].needed.empty() || readers.contains(l)) continue;
        readers_[l].insert(readers.begin(), readers.end());
        return l;
      }
    }
    const std::size_t out = new_loop(dims, std::move(needed));
    readers_[out] = std::move(readers);
    return out;
  }

  // What leaf `leaf` of the node reads at `at`, or at every index of the loop.
  bool read(const Node& node, std::uint32_t leaf, std::size_t loop, const Indexing* at) {
    const auto operands = program_.reads_of_output(*node.op, leaf);
    if (!operands) return false;
    for (const OperandIndexing& operand : *operands) {
      if (operand.operand >= node.operands.size() || operand.leaf >= node.operands[operand.operand].size())
        return false;
      const FusedLeaf& value = node.operands[operand.operand][operand.leaf];
      for (const Indexing& x : operand.maps) {
        if (x.exactness == Exactness::unknown) return false;
        if (!need(value, loop, at != nullptr ? compose(*at, x) : normalize(x))) return false;
      }
    }
    return true;
  }

  ProgramIndexing& program_;
  const JudgeLimits& limits_;
  Flattened flattened_;
  std::vector<FusedLoop> loops_;
  std::vector<std::set<std::size_t>> readers_;  ///< for each loop, those that need its values, all the way
  std::vector<std::vector<Demand>> demands_;    ///< for each node
  std::size_t maps_ = 0;
};

}  // namespace

std::optional<std::vector<FusedLoop>> fused_loops(ProgramIndexing& program, const Instruction& fusion,
                                                  const JudgeLimits& limits) {
  return LoopFinder(program, limits).find(fusion);
}

}  // namespace tessera::detail
