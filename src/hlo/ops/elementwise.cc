// SPDX-License-Identifier: Apache-2.0
/// \file
/// add, select, convert, map, ...: output element i reads element i of each operand.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <numeric>
#include <utility>

#include "hlo/check/functions.h"
#include "hlo/check/types.h"
#include "hlo/ops/reducer.h"
#include "hlo/ops/rule.h"
#include "hlo/ops/values.h"

namespace tessera::detail {
namespace {

// The elements that an opcode takes; any, unless the table below says more.
enum class TakenElements : std::uint8_t { any, integers, integers_or_pred, floats, floats_or_complex };
// The elements of the result. same: those of the operands. written: those of the written type. real: the
// parts of complex numbers.
enum class ResultElements : std::uint8_t { same, pred, written, real, complex };

struct ElementKinds {
  TakenElements takes = TakenElements::any;
  ResultElements gives = ResultElements::same;
};

constexpr auto kKinds = [] {
  using enum Opcode;
  std::array<ElementKinds, static_cast<std::size_t>(unknown) + 1> kinds{};
  const auto take = [&](TakenElements elements, std::initializer_list<Opcode> opcodes) {
    for (const Opcode opcode : opcodes) kinds[static_cast<std::size_t>(opcode)].takes = elements;
  };
  const auto give = [&](ResultElements result, std::initializer_list<Opcode> opcodes) {
    for (const Opcode opcode : opcodes) kinds[static_cast<std::size_t>(opcode)].gives = result;
  };
  take(TakenElements::integers_or_pred, {and_, not_, or_, xor_});
  take(TakenElements::integers,
       {count_leading_zeros, popcnt, shift_left, shift_right_arithmetic, shift_right_logical});
  take(TakenElements::floats,
       {ceil, floor, is_finite, reduce_precision, round_nearest_afz, round_nearest_even});
  take(TakenElements::floats_or_complex, {cbrt, cosine, exponential, exponential_minus_one, log, log_plus_one,
                                          logistic, rsqrt, sine, sqrt, tan, tanh});
  give(ResultElements::pred, {compare, is_finite});
  give(ResultElements::written, {convert, stochastic_convert, map});
  give(ResultElements::real, {real, imag, abs});
  give(ResultElements::complex, {complex});
  return kinds;
}();

ElementKinds kinds_of(const OpReader& reader) {
  return kKinds[static_cast<std::size_t>(reader.instruction().opcode)];
}

bool takes(TakenElements elements, DTypeClass kind) {
  const bool integer = kind == DTypeClass::signed_integer || kind == DTypeClass::unsigned_integer;
  switch (elements) {
    case TakenElements::any:
      return true;
    case TakenElements::integers:
      return integer;
    case TakenElements::integers_or_pred:
      return integer || kind == DTypeClass::boolean;
    case TakenElements::floats:
      return kind == DTypeClass::floating;
    case TakenElements::floats_or_complex:
      return kind == DTypeClass::floating || kind == DTypeClass::complex;
  }
  return true;
}

constexpr const char* kElementsText[] = {"", "integers", "integers or pred", "floating-point numbers",
                                         "floating-point or complex numbers"};

// The number of operands; 0: any number.
std::size_t arity(const OpReader& reader) {
  const OpcodeTrait trait = trait_of(reader.instruction().opcode);
  return trait == OpcodeTrait::variadic
             ? 0
             : 1 + static_cast<std::size_t>(trait) - static_cast<std::size_t>(OpcodeTrait::unary);
}

// The operand that has the dimensions of the result: the others of select and clamp may be scalars.
std::size_t main_operand(const OpReader& reader) { return arity(reader) == 3 ? 1 : 0; }

// Checks that the operands have the same dimensions and elements.
Problem check_operands(const OpReader& reader) {
  const Instruction& instruction = reader.instruction();
  using enum Opcode;
  const Opcode opcode = instruction.opcode;
  const std::size_t count = arity(reader);
  TESSERA_RULE(count == 0 ? reader.operand_count_is(1, static_cast<std::size_t>(-1))
                          : reader.operand_count_is(count));
  TESSERA_RULE(reader.operands_are_arrays());
  const std::size_t main = main_operand(reader);
  const HloType& shape = reader.operand(main);
  for (std::size_t i = 0; i < reader.operand_count(); ++i) {
    const HloType& operand = reader.operand(i);
    const bool predicate = opcode == select && i == 0;
    const bool scalar = operand.rank() == 0 && (predicate || (opcode == clamp && i != main));
    if (!scalar && !std::ranges::equal(operand.dims(), shape.dims())) {
      return reader.wrong_operand(
          Code::shape_mismatch, i,
          fmt::format("operands {} and {} of {} have different dimensions: {} and {}", std::min(main, i),
                      std::max(main, i), instruction.opcode_text, dims_text(reader.dims(std::min(main, i))),
                      dims_text(reader.dims(std::max(main, i)))),
          "make the two agree: HLO does not broadcast implicitly");
    }
    if (predicate && operand.array().dtype != DType::pred) {
      return reader.wrong_operand(Code::shape_mismatch, i,
                                  fmt::format("operand 0 of select must have elements of pred, but it has {}",
                                              to_string(operand.array().dtype)),
                                  "compare gives pred: compare(x, zero), direction=NE");
    }
    if (!predicate && opcode != map && opcode != stochastic_convert &&
        !same_element_type(operand.array().dtype, shape.array().dtype)) {
      return reader.wrong_operand(
          Code::shape_mismatch, i,
          fmt::format("operands {} and {} of {} have different element types: {} and {}", std::min(main, i),
                      std::max(main, i), instruction.opcode_text, to_string(reader.dtype(std::min(main, i))),
                      to_string(reader.dtype(std::max(main, i)))));
    }
  }
  const TakenElements wanted = kinds_of(reader).takes;
  if (takes(wanted, dtype_class(reader.dtype(0)))) return std::nullopt;
  return reader.wrong_operand(
      Code::shape_mismatch, 0,
      fmt::format("{} takes {}, but operand 0 has elements of {}", instruction.opcode_text,
                  kElementsText[static_cast<std::size_t>(wanted)], to_string(reader.dtype(0))));
}

Problem gives_elements(const OpReader& reader) {
  const std::size_t main = main_operand(reader);
  const auto dims = reader.dims(main);
  const DType dtype = reader.dtype(main);
  switch (kinds_of(reader).gives) {
    case ResultElements::same:
      break;
    case ResultElements::pred:
      return reader.gives(DType::pred, dims);
    case ResultElements::written:
      return reader.gives_dims(dims);
    case ResultElements::real:
      return reader.gives(dtype == DType::c128 ? DType::f64 : dtype == DType::c64 ? DType::f32 : dtype, dims);
    case ResultElements::complex:
      return reader.gives(dtype == DType::f64 ? DType::c128 : DType::c64, dims);
  }
  return reader.gives(dtype, dims);
}

Problem check_elementwise(const OpReader& reader) {
  TESSERA_RULE(check_operands(reader));
  return gives_elements(reader);
}

// A copy of a tuple copies its arrays.
Problem check_copy(const OpReader& reader) {
  TESSERA_RULE(reader.operand_count_is(1));
  return reader.operand(0).is_array() ? check_elementwise(reader) : reader.gives(reader.operand(0));
}

bool every_copy(const Instruction&) { return true; }

Problem read_compare(const OpReader& reader, CompareOp& op) {
  TESSERA_RULE(check_operands(reader));
  const Attribute* direction = reader.instruction().attribute("direction");
  if (direction == nullptr) {
    return reader.wrong(Code::missing_attribute, "compare needs the attribute 'direction'",
                        reader.instruction().opcode_span, "write direction=EQ, NE, LT, LE, GT or GE");
  }
  using enum CompareOp::Direction;
  static constexpr std::pair<std::string_view, CompareOp::Direction> kDirections[] = {
      {"EQ", eq}, {"NE", ne}, {"LT", lt}, {"LE", le}, {"GT", gt}, {"GE", ge}};
  const auto named =
      std::ranges::find_if(kDirections, [&](const auto& x) { return x.first == direction->value; });
  if (named == std::end(kDirections)) {
    return reader.wrong_attribute(
        Code::bad_attribute, "direction",
        fmt::format("direction '{}' is not one of EQ, NE, LT, LE, GT, GE", direction->value));
  }
  op.direction = named->second;
  static constexpr std::string_view kOrders[] = {"FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"};
  const Attribute* order = reader.instruction().attribute("type");
  if (order != nullptr && std::ranges::find(kOrders, order->value) == std::end(kOrders)) {
    return reader.wrong_attribute(
        Code::bad_attribute, "type",
        fmt::format("type '{}' is not one of FLOAT, TOTALORDER, SIGNED, UNSIGNED", order->value));
  }
  return gives_elements(reader);
}

// Checks the numbers of exponent and mantissa bits.
Problem check_reduce_precision(const OpReader& reader) {
  TESSERA_RULE(check_operands(reader));
  for (const auto& [key, least] :
       {std::pair("exponent_bits", Index{1}), std::pair("mantissa_bits", Index{0})}) {
    TESSERA_READ(bits, reader.integer(key));
    if (bits >= least) continue;
    return reader.wrong_attribute(Code::bad_attribute, key,
                                  fmt::format("{} is {}; it must be at least {}", key, bits, least));
  }
  return gives_elements(reader);
}

// The predicate of a select and the bounds of a clamp may be scalars.
bool is_shared_scalar(const OpQuery& q) { return q.in().empty() && !q.out().empty(); }

IndexingSet elementwise_to_input(const OpQuery& q) {
  if (is_shared_scalar(q)) return just(scalar_indexing(q.out()));
  return std::ranges::equal(q.in(), q.out()) ? just(identity_indexing(q.out())) : bad_shape(q);
}

IndexingSet elementwise_to_output(const OpQuery& q) {
  return is_shared_scalar(q) ? just(whole_indexing(q.in(), q.out())) : elementwise_to_input(q);
}

constexpr OpRule elementwise(OpRead read) {
  return {.read = read, .output_to_input = elementwise_to_input, .input_to_output = elementwise_to_output};
}

struct MapOp : OpValue {
  const Computation* function = nullptr;
};

// Checks that `dimensions`, if given, lists every dimension in order.
Problem read_map(const OpReader& reader, MapOp& op) {
  TESSERA_RULE(check_operands(reader));
  const std::size_t rank = reader.dims(0).size();
  TESSERA_READ(dims, reader.ints_or_none("dimensions"));
  TESSERA_RULE(reader.distinct_dims(reader.instruction().attribute("dimensions"), dims, rank));
  if (!dims.empty() && (dims.size() != rank || !std::ranges::is_sorted(dims))) {
    return reader.wrong_attribute(
        Code::bad_attribute, "dimensions",
        fmt::format("'dimensions' of a map must list all {} in order, from 0", plural(rank, "dimension")),
        "a map applies its function to every element: the attribute may be left out");
  }
  std::vector<std::size_t> operand_of(reader.operand_count());
  std::iota(operand_of.begin(), operand_of.end(), std::size_t{0});
  TESSERA_RULE(check_parameters(reader, "to_apply", operand_of));
  op.function = called_by(reader.instruction(), "to_apply");
  return reader.gives_dims(reader.dims(0));
}

// Whether the function does not use the operand.
bool ignored(const OpQuery& q, const MapOp& op) {
  if (q.operand >= 64 || !flow_is_known(op.function)) return false;
  return ((parameter_uses(*op.function)[op.function->root->index] >> q.operand) & 1) == 0;
}

IndexingSet map_to_input(const OpQuery& q, const MapOp& op) {
  return ignored(q, op) ? IndexingSet() : elementwise_to_input(q);
}

IndexingSet map_to_output(const OpQuery& q, const MapOp& op) {
  return ignored(q, op) ? IndexingSet() : elementwise_to_output(q);
}

// bitcast-convert between element widths adds or drops a minor dimension over the parts of a wider element.
struct BitcastConvertOp : OpValue {
  enum class Width : std::uint8_t { same, narrower, wider } width = Width::same;  // of the result's elements
};

Problem read_bitcast_convert(const OpReader& reader, BitcastConvertOp& op) {
  TESSERA_RULE(reader.operand_count_is(1));
  TESSERA_RULE(reader.operands_are_arrays());
  TESSERA_RULE(reader.must_be_written());
  const HloType& to = reader.instruction().type;
  if (!to.is_array()) return reader.gives_dims(reader.dims(0));
  const int from_bits = bit_width(reader.dtype(0));
  const int to_bits = bit_width(to.array().dtype);
  std::vector<Index> dims = copied(reader.dims(0));
  if (to_bits < from_bits && from_bits % to_bits == 0) {
    op.width = BitcastConvertOp::Width::narrower;
    dims.push_back(from_bits / to_bits);
  } else if (to_bits > from_bits && to_bits % from_bits == 0) {
    if (dims.empty() || dims.back() != to_bits / from_bits) {
      return reader.wrong_operand(
          Code::shape_mismatch, 0,
          fmt::format("{} elements of {} become one of {}, but the last extent of {} is not {}",
                      to_bits / from_bits, to_string(reader.dtype(0)), to_string(to.array().dtype),
                      dims_text(reader.dims(0)), to_bits / from_bits));
    }
    op.width = BitcastConvertOp::Width::wider;
    dims.pop_back();
  } else if (to_bits != from_bits) {
    return reader.wrong_type(Code::shape_mismatch,
                             fmt::format("elements of {} cannot be converted to elements of {}",
                                         plural(from_bits, "bit"), plural(to_bits, "bit")));
  }
  return reader.gives_dims(dims);
}

// From the narrow side: each part belongs to one element. The other direction reads all parts of an element.
IndexingSet from_parts(std::span<const Index> narrow) {
  MapBuilder map(narrow);
  std::vector<Expr> results = map.dims();
  results.pop_back();
  return just(std::move(map).build(std::move(results)));
}

IndexingSet to_parts(std::span<const Index> wide, Index parts) {
  MapBuilder map(wide);
  std::vector<Expr> results = map.dims();
  results.push_back(map.range(parts));
  return just(std::move(map).build(std::move(results)));
}

IndexingSet convert_to_input(const OpQuery& q, const BitcastConvertOp& op) {
  using enum BitcastConvertOp::Width;
  switch (op.width) {
    case same:
      return just(identity_indexing(q.out()));
    case narrower:
      return from_parts(q.out());
    case wider:
      return to_parts(q.out(), q.in().back());
  }
  return {};
}

IndexingSet convert_to_output(const OpQuery& q, const BitcastConvertOp& op) {
  using enum BitcastConvertOp::Width;
  switch (op.width) {
    case same:
      return just(identity_indexing(q.in()));
    case narrower:
      return to_parts(q.in(), q.out().back());
    case wider:
      return from_parts(q.in());
  }
  return {};
}

}  // namespace

constinit const OpRule kElementwiseRule = elementwise(check_only<check_elementwise>);
constinit const OpRule kCompareRule = elementwise(read_into<CompareOp, read_compare>);
constinit const OpRule kReducePrecisionRule = elementwise(check_only<check_reduce_precision>);
constinit const OpRule kCopyRule{.read = check_only<check_copy>,
                                 .output_to_input = elementwise_to_input,
                                 .input_to_output = elementwise_to_output,
                                 .leafwise = every_copy};
constinit const OpRule kMapRule = family_rule<MapOp, read_map, map_to_input, map_to_output>();
constinit const OpRule kBitcastConvertRule =
    family_rule<BitcastConvertOp, read_bitcast_convert, convert_to_input, convert_to_output>();

}  // namespace tessera::detail
