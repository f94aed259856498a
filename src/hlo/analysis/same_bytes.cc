// SPDX-License-Identifier: Apache-2.0
#include "hlo/analysis/same_bytes.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/plural.h"
#include "hlo/analysis/array_bytes.h"
#include "hlo/analysis/array_origin.h"
#include "hlo/analysis/data_sources.h"
#include "hlo/analysis/instruction_indexing.h"
#include "hlo/analysis/movement_answer.h"
#include "hlo/limits.h"
#include "hlo/module/leaves.h"
#include "tessera/hlo/traffic.h"
#include "tessera/map/map_algebra.h"
#include "tessera/notation/layout.h"

namespace tessera {
namespace {

// An array that the start holds elements of, and for each index of the start the element.
struct Origin {
  HloValue value;
  Indexing map;
};

std::vector<const Computation*> computations_of(const HloValue& value) {
  std::vector<const Computation*> out;
  for (const ComputationRuns& x : executed_computations(*value.instruction->parent))
    out.push_back(x.computation);
  return out;
}

class Ancestry {
 public:
  explicit Ancestry(const HloValue& some) : origins_(computations_of(some)) {}

  // The start itself, then what it is a movement of, and so on.
  std::vector<Origin> of(const HloValue& start) {
    const TensorType& type = leaf_type(start.instruction->type, start.leaf).array();
    std::vector<Variable> box;
    std::vector<Expr> identity;
    for (const Index extent : type.dims) {
      identity.push_back(Expr::variable(static_cast<Index>(box.size())));
      box.push_back({Interval::of_extent(extent)});
    }
    std::vector<Origin> out{
        {start, {.map = IndexMap::make_unchecked(Domain(std::move(box), {}, {}), std::move(identity))}}};
    while (out.size() < detail::kHloLimits.analysis.movements) {
      auto next = before(out.back());
      if (!next) break;
      out.push_back(*std::move(next));
    }
    return out;
  }

 private:
  std::optional<Origin> operand_of(const Origin& last, std::size_t operand, std::uint32_t leaf) {
    const Operand& read = last.value.instruction->operands[operand];
    return Origin{{read.instruction, leaves_.first(read) + leaf}, last.map};
  }

  // The array that the value is another name of: an element of a tuple, the end of an asynchronous copy, what
  // a loop does not change.
  std::optional<Origin> renamed(const Origin& last) {
    const detail::ProgramArray own{last.value.instruction, last.value.leaf};
    const detail::ArrayAlias alias = origins_.of(own);
    if (!alias.elementwise || alias.array == own) return std::nullopt;
    Origin out{{alias.array.instruction, alias.array.leaf},
               alias.map ? compose(last.map, *alias.map) : last.map};
    if (out.map.exactness != Exactness::exact) return std::nullopt;
    return out;
  }

  std::optional<Origin> before(const Origin& last) {
    const Instruction& op = *last.value.instruction;
    if (!op.sound) return std::nullopt;
    if (auto named = renamed(last)) return named;
    const auto movement = detail::data_movement(op, program_);
    if (!movement || last.value.leaf >= movement->outputs.size()) return std::nullopt;
    const InstructionIndexing maps = detail::analyze_one(program_, op, IndexingDirection::output_to_input);
    const auto& output = movement->outputs[last.value.leaf];
    const auto link = detail::output_map(op, output, maps);
    if (!link) return std::nullopt;
    const TensorType& from = leaf_type(op.operand_type(link->source.operand), link->source.leaf).array();
    const TensorType& to = leaf_type(op.type, last.value.leaf).array();
    if (detail::element_bits(from) != detail::element_bits(to)) return std::nullopt;
    auto out = operand_of(last, link->source.operand, link->source.leaf);
    out->map = compose(last.map, *link->map);
    if (out->map.exactness != Exactness::exact) return std::nullopt;
    return out;
  }

  ProgramIndexing program_;
  detail::ArrayOrigins origins_;
  detail::Leaves leaves_;
};

std::optional<Index> buffer_bytes(const TensorType& type) {
  if (type.rank() > 0 && type.layout == nullptr) return std::nullopt;
  const auto layout = Layout::make(type);
  const auto size = layout ? layout->buffer_size() : Result<Index>(fail(layout.error()));
  const auto bits = size ? checked_mul(*size, detail::element_bits(type)) : std::nullopt;
  return bits ? std::optional(ceil_div(*bits, 8)) : std::nullopt;
}

// For each index of `a`, the index of `b` whose element lies at the same place in memory.
std::optional<Indexing> at_the_same_place(const TensorType& a, const TensorType& b) {
  TensorType other = b;
  other.dtype = a.dtype;
  const ParsedModules parsed = parse_hlo(fmt::format(
      "ENTRY e {{\n b = {} parameter(0)\n ROOT a = {} bitcast(b)\n}}\n", to_string(other), to_string(a)));
  if (!parsed.ok() || parsed.modules.size() != 1) return std::nullopt;
  const auto maps = output_to_input(*parsed.modules[0].entry->root, {});
  if (!maps || maps->size() != 1 || (*maps)[0].exactness != Exactness::exact) return std::nullopt;
  return (*maps)[0];
}

// Finds `places` for two arrays of elements of one source; the maps lead from an index to the element.
void find_places(const IndexMap& first, const IndexMap& second, SameBytes& out) {
  if (first.domain().symbol_count() + second.domain().symbol_count() > 0) {
    out.places_reason = "the elements depend on runtime values";
    return;
  }
  const auto index_of = inverse(first);
  if (!index_of) {
    out.places_reason = index_of.error().code == Code::not_invertible
                            ? "the first holds an element more than once, so it may not be unique"
                            : index_of.error().message;
    return;
  }
  const auto places = compose(second, *index_of);
  const Emptiness none = places ? is_empty(*places) : Emptiness{.reason = places.error().message};
  if (none.verdict == Verdict::yes) {
    out.places_reason = "no element of the second is in the first";
  } else if (none.verdict == Verdict::undecided) {
    out.places_reason = none.reason;
  } else {
    out.places = simplify(*places);
  }
}

// Compares the sizes. True if that decides.
bool compare_sizes(const HloValue& a, const HloValue& b, SameBytes& out) {
  // An array with elements takes memory in every layout, and one without takes none.
  const auto elements = [](const HloValue& value) {
    const TensorType& type = leaf_type(value.instruction->type, value.leaf).array();
    return type.is_static() ? type.element_count() : std::nullopt;
  };
  const auto in_a = elements(a);
  const auto in_b = elements(b);
  if (in_a && in_b && (*in_a == 0) != (*in_b == 0)) {
    out.verdict = Verdict::no;
    out.reason =
        fmt::format("the first has {}, but the second has {}", detail::plural(*in_a, "element"), *in_b);
    return true;
  }
  const auto bytes_a = buffer_bytes(leaf_type(a.instruction->type, a.leaf).array());
  const auto bytes_b = buffer_bytes(leaf_type(b.instruction->type, b.leaf).array());
  if (bytes_a && bytes_b) out.bytes = *bytes_a;
  if (!bytes_a || !bytes_b || bytes_a == bytes_b) return false;
  out.verdict = Verdict::no;
  out.reason = fmt::format("the first takes {} in memory, but the second takes {}",
                           detail::plural(*bytes_a, "byte"), *bytes_b);
  return true;
}

// The verdict for arrays of one size, and the first byte that differs.
void compare(const HloValue& a, const HloValue& b, const Indexing& in_a, const Indexing& in_b,
             SameBytes& out) {
  const TensorType& type_a = leaf_type(a.instruction->type, a.leaf).array();
  const TensorType& type_b = leaf_type(b.instruction->type, b.leaf).array();
  const auto bytes_a = buffer_bytes(type_a);
  const auto bytes_b = buffer_bytes(type_b);
  if (!bytes_a || !bytes_b) {
    out.reason = fmt::format("the {} has no layout of known size", bytes_a ? "second" : "first");
    return;
  }
  const auto same_place = at_the_same_place(type_a, type_b);
  const Indexing there = same_place ? compose(*same_place, in_b) : Indexing();
  if (!same_place || there.exactness != Exactness::exact) {
    out.reason = "the layouts were not compared element by element";
    return;
  }
  const Equality equality = equal(in_a.map, there.map);
  out.verdict = equality.verdict;
  out.reason = equality.reason;
  if (!equality.difference) {
    if (out.verdict == Verdict::no) out.verdict = Verdict::undecided;
    return;
  }
  out.first = equality.difference->first.value_or(std::vector<Index>());
  out.second = equality.difference->second.value_or(std::vector<Index>());
  const auto layout = Layout::make(type_a);
  if (const auto offset = layout ? lower(*layout).evaluate(equality.difference->point) : std::nullopt)
    out.byte = floor_div((*offset)[0] * detail::element_bits(type_a), 8);
}

}  // namespace

SameBytes same_bytes(const HloValue& a, const HloValue& b) {
  SameBytes out;
  Ancestry ancestry(a);
  const std::vector<Origin> of_a = ancestry.of(a);
  const std::vector<Origin> of_b = ancestry.of(b);
  const Origin* in_a = nullptr;
  const Origin* in_b = nullptr;
  for (const Origin& x : of_a) {
    const auto found = std::ranges::find(of_b, x.value, &Origin::value);
    if (found == of_b.end()) continue;
    in_a = &x;
    in_b = &*found;
    break;
  }
  // Arrays of different sizes hold different bytes, whatever their elements are.
  const bool decided = compare_sizes(a, b, out);
  if (in_a == nullptr) {
    if (decided) return out;
    out.reason = fmt::format(
        "the first holds elements of {}, the second those of {}, and their values are not compared",
        of_a.back().value.instruction->name, of_b.back().value.instruction->name);
    return out;
  }
  out.source = in_a->value;
  if (!decided) compare(a, b, in_a->map, in_b->map, out);
  if (out.verdict != Verdict::yes) find_places(in_a->map.map, in_b->map.map, out);
  return out;
}

}  // namespace tessera
