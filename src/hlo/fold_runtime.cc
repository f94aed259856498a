// SPDX-License-Identifier: Apache-2.0
#include "hlo/fold_runtime.h"

#include <algorithm>
#include <utility>

#include "hlo/ops/rule.h"
#include "tessera/hlo/attributes.h"
#include "tessera/hlo/literal.h"
#include "tessera/map/simplify.h"

namespace tessera {
namespace {

using detail::rule_of;

// Instructions looked at for one value: arithmetic may share operands, so the way is a tree that can be
// large.
constexpr int kMaxSteps = 256;

// An element of an array: which value, and where.
struct Element {
  Operand value;
  std::vector<Expr> at;
};

// Every value of an integer type; nothing for others.
std::optional<Interval> values_of(DType type) {
  if (!is_integer(type)) return std::nullopt;
  const int bits = bit_width(type);
  if (dtype_class(type) == DTypeClass::unsigned_integer) {
    return Interval{0, bits >= 64 ? kPosInf : (Index{1} << bits) - 1};
  }
  return bits >= 64 ? Interval{} : Interval{-(Index{1} << (bits - 1)), (Index{1} << (bits - 1)) - 1};
}

class Tracer {
 public:
  Tracer(const Domain& domain, const FoldOptions& options) : domain_(domain), options_(options) {}

  // The same element, nearer to its origin. `changed` is set when there is one.
  Element origin(Element element, bool& changed) {
    while (steps_++ < kMaxSteps && step(element)) changed = true;
    return element;
  }

  // The element's value over the domain's variables.
  std::optional<Expr> value(Element element) {
    bool changed = false;
    element = origin(std::move(element), changed);
    if (steps_ >= kMaxSteps || element.value.tuple_index >= 0) return std::nullopt;
    const Instruction& source = *element.value.instruction;
    if (!source.sound || !source.type.is_array()) return std::nullopt;
    switch (source.opcode) {
      case Opcode::constant:
        return constant(source, element.at);
      case Opcode::iota: {
        const auto dim = int_of(source, "iota_dimension");
        if (!dim || *dim < 0 || *dim >= static_cast<Index>(element.at.size())) return std::nullopt;
        return within(element.at[static_cast<std::size_t>(*dim)], source.type.array().dtype);
      }
      case Opcode::convert: {
        if (!is_integer(source.operand_type(0).array().dtype)) return std::nullopt;
        const auto inner = value({source.operands[0], element.at});
        return inner ? within(*inner, source.type.array().dtype) : std::nullopt;
      }
      case Opcode::add:
      case Opcode::subtract:
      case Opcode::multiply:
        return arithmetic(source, element.at);
      default:
        return std::nullopt;
    }
  }

 private:
  std::optional<Expr> constant(const Instruction& source, std::span<const Expr> at) const {
    if (const auto splat = integer_splat(source)) return Expr::constant(*splat);
    std::vector<Index> index;
    for (const Expr e : at) {
      const Interval values = range(e, domain_);  // dimensions of one index stay visible in maps
      if (!values.is_point()) return std::nullopt;
      index.push_back(values.lower);
    }
    const auto found = integer_element(source, index);
    return found ? std::optional(Expr::constant(*found)) : std::nullopt;
  }

  std::optional<Expr> arithmetic(const Instruction& source, const std::vector<Expr>& at) {
    if (source.operands.size() != 2) return std::nullopt;
    const auto a = value({source.operands[0], at});
    if (!a) return std::nullopt;
    const auto b = value({source.operands[1], at});
    if (!b) return std::nullopt;
    const DType type = source.type.array().dtype;
    if (source.opcode == Opcode::add) return within(*a + *b, type);
    if (source.opcode == Opcode::subtract) return within(*a - *b, type);
    // The product of two variables has no place in a map.
    if (!a->is_constant() && !b->is_constant()) return std::nullopt;
    return within(*a * *b, type);
  }

  // `e`, if it cannot leave the type.
  std::optional<Expr> within(Expr e, DType type) const {
    const auto values = values_of(type);
    if (!values) return std::nullopt;
    const Expr simple = simplify(e, domain_);
    const Interval reach = range(simple, domain_);
    return reach.is_finite() && values->contains(reach) ? std::optional(simple) : std::nullopt;
  }

  // One instruction back. False when the element is made here.
  bool step(Element& element) const {
    Operand& value = element.value;
    const Instruction& op = *value.instruction;
    if (!op.sound) return false;
    switch (op.opcode) {
      case Opcode::parameter: {
        const auto outside = options_.resolve ? options_.resolve(op) : std::nullopt;
        if (!outside || outside->instruction == nullptr) return false;
        if (value.tuple_index >= 0 && outside->tuple_index >= 0) return false;
        value = {outside->instruction, std::max(outside->tuple_index, value.tuple_index), outside->span,
                 value.tuple_index >= 0 ? value.inner : outside->inner};
        return true;
      }
      case Opcode::tuple: {
        if (value.tuple_index < 0) return false;
        if (static_cast<std::size_t>(value.tuple_index) >= op.operands.size()) return false;
        const Operand& part = op.operands[static_cast<std::size_t>(value.tuple_index)];
        if (value.inner == nullptr) {
          value = Operand(part);
          return true;
        }
        if (part.tuple_index >= 0) return false;
        value = {part.instruction, value.inner->index, part.span, value.inner->next};
        return true;
      }
      case Opcode::get_tuple_element: {
        const auto index = int_of(op, "index");
        if (value.tuple_index >= 0 || op.operands[0].tuple_index >= 0 || !index) return false;
        if (*index < 0 || *index >= static_cast<Index>(op.operand_type(0).elements().size())) return false;
        value = {op.operands[0].instruction, static_cast<std::int32_t>(*index), op.operands[0].span};
        return true;
      }
      case Opcode::convert:
        return value.tuple_index < 0 && keeps_values(op) && replace(element, op.operands[0], element.at);
      case Opcode::copy:
        return value.tuple_index < 0 && op.type.is_array() && replace(element, op.operands[0], element.at);
      case Opcode::broadcast:
      case Opcode::reshape:
      case Opcode::bitcast:
      case Opcode::transpose:
      case Opcode::slice:
      case Opcode::reverse:
      case Opcode::pad:
        return value.tuple_index < 0 && through_map(element, op);
      default:
        return false;
    }
  }

  static bool keeps_values(const Instruction& op) {
    const auto from = values_of(op.operand_type(0).array().dtype);
    const auto to = values_of(op.type.array().dtype);
    return from && to && to->contains(*from);
  }

  static bool replace(Element& element, const Operand& operand, std::vector<Expr> at) {
    element = {operand, std::move(at)};
    return true;
  }

  // Elements that are moved: the position in the operand, if every position of the domain has one.
  bool through_map(Element& element, const Instruction& op) const {
    if (!op.type.is_array() || !op.operand_type(0).is_array()) return false;
    // Another width makes another value.
    if (op.type.array().dtype != op.operand_type(0).array().dtype) return false;
    detail::Leaves leaves;
    detail::OpFacts facts(op, leaves);
    const IndexingSet maps = rule_of(op.opcode).output_to_input({facts, 0, 0});
    if (maps.size() != 1 || maps[0].exactness != Exactness::exact) return false;
    const IndexMap& map = maps[0].map;
    if (map.known_empty() || map.variables().size() != element.at.size()) return false;
    for (std::size_t i = 0; i < element.at.size(); ++i) {
      if (!map.variables()[i].bounds.contains(range(element.at[i], domain_))) return false;
    }
    for (const Constraint& c : map.constraints()) {
      if (!c.range.contains(range(simplify(substitute(c.expr, element.at), domain_), domain_))) return false;
    }
    std::vector<Expr> at;
    at.reserve(map.results().size());
    for (const Expr& result : map.results()) at.push_back(simplify(substitute(result, element.at), domain_));
    return replace(element, op.operands[0], std::move(at));
  }

  const Domain& domain_;
  const FoldOptions& options_;
  int steps_ = 0;
};

// What the instruction makes of a value.
Expr clamped(Expr value, Interval clamp, const Domain& domain) {
  if (value.is_constant()) return Expr::constant(std::clamp(value.value(), clamp.lower, clamp.upper));
  const Interval reach = range(value, domain);
  if (reach.lower < clamp.lower) value = max(value, Expr::constant(clamp.lower));
  if (reach.upper > clamp.upper) value = min(value, Expr::constant(clamp.upper));
  return simplify(value, domain);
}

// The map with variable `gone` replaced; later ones close up.
IndexMap without(const IndexMap& map, std::size_t gone, Expr value) {
  const auto& variables = map.variables();
  std::vector<Variable> kinds[3];
  std::vector<Expr> replacements;
  replacements.reserve(variables.size());
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const auto number = static_cast<Index>(i);
    replacements.push_back(i == gone ? value : Expr::variable(i < gone ? number : number - 1));
    if (i != gone) kinds[static_cast<std::size_t>(map.domain().kind(i))].push_back(variables[i]);
  }
  Domain domain(std::move(kinds[0]), std::move(kinds[1]), std::move(kinds[2]));
  if (map.known_empty()) domain.set_known_empty();
  domain.constrain(value, variables[gone].bounds);
  for (const Constraint& c : map.constraints()) domain.constrain(substitute(c.expr, replacements), c.range);
  std::vector<Expr> results;
  results.reserve(map.results().size());
  for (const Expr& result : map.results()) results.push_back(substitute(result, replacements));
  return IndexMap::make_unchecked(std::move(domain), std::move(results));
}

// `value` may use runtime variables behind the one that goes.
Expr renumbered(Expr value, std::size_t gone, std::size_t count) {
  std::vector<Expr> replacements;
  for (std::size_t i = 0; i < count; ++i) {
    replacements.push_back(Expr::variable(static_cast<Index>(i <= gone ? i : i - 1)));
  }
  return substitute(value, replacements);
}

// True when the variable could be replaced.
bool fold_one(OperandIndexing& indexing, std::size_t which, const FoldOptions& options, bool& changed) {
  RuntimeValue& runtime = indexing.runtime[which];
  if (options.single_values && runtime.clamp.is_point()) {
    replace_runtime(indexing, which, Expr::constant(runtime.clamp.lower));
    return true;
  }
  if (runtime.source == nullptr || runtime.map.known_empty()) return false;
  const Domain& domain = runtime.map.domain();
  Tracer tracer(domain, options);
  bool moved = false;
  // Spans of operands are of no interest here; instructions are not changed.
  Element element =
      tracer.origin({{const_cast<Instruction*>(runtime.source), runtime.tuple_index, {}, runtime.inner},
                     {runtime.map.results().begin(), runtime.map.results().end()}},
                    moved);
  if (const auto value = tracer.value(element)) {
    const Expr known = clamped(*value, runtime.clamp, domain);
    // A value that needs the variable itself is none.
    const auto own = static_cast<Index>(indexing.map.dim_count() + indexing.map.range_count() + which);
    const std::vector<Index> used = variables(known);
    if (std::ranges::find(used, own) == used.end()) {
      replace_runtime(indexing, which, known);
      return true;
    }
  }
  if (moved) {
    changed = true;
    runtime.source = element.value.instruction;
    runtime.tuple_index = element.value.tuple_index;
    runtime.inner = element.value.inner;
    runtime.map = IndexMap::make_unchecked(Domain(domain), std::move(element.at));
  }
  return false;
}

}  // namespace

void replace_runtime(OperandIndexing& indexing, std::size_t which, Expr value) {
  const std::size_t first = indexing.map.dim_count() + indexing.map.range_count();
  const std::size_t gone = first + which;
  const std::size_t count = indexing.map.variables().size();
  value = renumbered(value, gone, count);
  const auto replace = [&](IndexMap& map) {
    if (map.variables().size() == count) map = without(map, gone, value);
  };
  replace(indexing.map);
  indexing.runtime.erase(indexing.runtime.begin() + static_cast<std::ptrdiff_t>(which));
  for (RuntimeValue& other : indexing.runtime) replace(other.map);
  for (ReplicaHop& hop : indexing.replica) {
    if (hop.from == ReplicaHop::From::element) replace(hop.map);
  }
}

bool fold_runtime(OperandIndexing& indexing, const FoldOptions& options) {
  bool changed = false;
  if (indexing.exactness == Exactness::unknown || indexing.map.known_empty()) return false;
  for (std::size_t i = 0; i < indexing.runtime.size();) {
    if (fold_one(indexing, i, options, changed)) {
      changed = true;
    } else {
      ++i;
    }
  }
  return changed;
}

}  // namespace tessera
