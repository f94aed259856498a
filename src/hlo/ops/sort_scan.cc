// SPDX-License-Identifier: Apache-2.0
/// \file
/// sort, topk, scan: an element may reach many elements of its row.
#include <fmt/core.h>

#include <algorithm>

#include "hlo/check/functions.h"
#include "hlo/check/types.h"
#include "hlo/module/as_size.h"
#include "hlo/ops/reducer.h"
#include "hlo/ops/rule.h"
#include "hlo/ops/values.h"

namespace tessera::detail {
namespace {

// All dimensions are equal except `row`, which ranges over its whole extent in `to`.
Indexing row_mixed(std::span<const Index> from, std::span<const Index> to, std::size_t row) {
  MapBuilder map(from);
  std::vector<Expr> results = map.dims();
  results[row] = map.range(to[row]);
  return std::move(map).build(std::move(results));
}

Problem read_sort(const OpReader& reader, SortOp& op) {
  TESSERA_RULE(reader.operand_count_is(1, static_cast<std::size_t>(-1)));
  TESSERA_RULE(reader.operands_are_arrays());
  TESSERA_READ(list, reader.ints("dimensions"));
  TESSERA_RULE(reader.one_dimension(list));
  for (std::size_t i = 1; i < reader.operand_count(); ++i) {
    TESSERA_RULE(reader.operand_dims_are(i, reader.dims(0), "operand 0 has"));
  }
  TESSERA_RULE(
      reader.distinct_dims(reader.instruction().attribute("dimensions"), list, reader.dims(0).size()));
  TESSERA_RULE(check_predicate(reader, "to_apply", reader.operand_count()));
  op.dim = as_size(list[0]);
  return gives_for_each_input(reader, reader.operand_count(), {reader.dims(0).begin(), reader.dims(0).end()});
}

IndexingSet sort_either(const OpQuery& q, const SortOp& op) {
  return just(as_superset(row_mixed(q.out(), q.out(), op.dim),
                          "the sorted position of an element is data dependent"));
}

Problem read_topk(const OpReader& reader, SortOp& op) {
  TESSERA_RULE(reader.operand_count_is(1));
  TESSERA_RULE(reader.operands_are_arrays());
  TESSERA_READ(k, reader.integer("k"));
  std::vector<Index> dims(reader.dims(0).begin(), reader.dims(0).end());
  if (dims.empty())
    return reader.wrong_operand(Code::rank_mismatch, 0,
                                "topk needs an array with a last dimension, not a scalar");
  if (k < 0 || k > dims.back()) {
    return reader.wrong_attribute(
        Code::bad_attribute, "k",
        fmt::format("k is {}, but the last dimension has extent {}", k, dims.back()));
  }
  op.dim = dims.size() - 1;
  dims.back() = k;
  std::vector<HloType> types;
  types.emplace_back(TensorType{.dtype = reader.dtype(0), .dims = dims});
  types.emplace_back(TensorType{.dtype = DType::s32, .dims = dims});
  return reader.gives(HloType::tuple(std::move(types)));
}

IndexingSet topk_to_input(const OpQuery& q, const SortOp& op) {
  return just(row_mixed(q.out(), q.in(), op.dim));
}

IndexingSet topk_to_output(const OpQuery& q, const SortOp& op) {
  return just(row_mixed(q.in(), q.out(), op.dim));
}

// Inputs and outputs have the scanned dimension, with one extent.
Problem check_ends(const OpReader& reader, const ScanOp& op) {
  const auto results = outputs(reader.instruction().type);
  if (results.size() < op.carries) {
    return reader.wrong_type(Code::value_count,
                             fmt::format("scan gives its outputs and then {}, but the type has {}",
                                         plural(op.carries, "carry"), plural(results.size(), "element")));
  }
  const auto steps = op.inputs == 0 ? Index{-1} : reader.dims(0)[op.dim];
  const auto same_steps = [&](const HloType& type) {
    return type.is_array() && op.dim < type.rank() &&
           (steps < 0 || type.dims()[op.dim] < 0 || type.dims()[op.dim] == steps);
  };
  for (std::size_t i = 0; i < op.inputs; ++i) {
    if (same_steps(reader.operand(i))) continue;
    return reader.wrong_operand(
        Code::shape_mismatch, i,
        fmt::format("operand {} of scan is {}, but dimension {} of operand 0 has {}", i,
                    short_text(reader.operand(i)), op.dim, plural(steps, "element")));
  }
  for (std::size_t k = 0; k < op.outputs; ++k) {
    if (same_steps(results[k])) continue;
    return reader.wrong_type(
        Code::shape_mismatch,
        fmt::format("output {} of scan is {}, which does not have the scanned dimension {}", k,
                    short_text(results[k]), op.dim));
  }
  return std::nullopt;
}

Problem read_scan(const OpReader& reader, ScanOp& op) {
  TESSERA_RULE(reader.operand_count_is(1, static_cast<std::size_t>(-1)));
  TESSERA_RULE(reader.operands_are_arrays());
  TESSERA_READ(list, reader.ints("dimensions"));
  TESSERA_READ(carries, reader.integer("num_carries"));
  if (carries < 0 || carries > static_cast<Index>(reader.operand_count())) {
    return reader.wrong_attribute(Code::bad_attribute, "num_carries",
                                  fmt::format("'num_carries' is {}, but scan has {}", carries,
                                              plural(reader.operand_count(), "operand")));
  }
  const std::size_t inputs = reader.operand_count() - static_cast<std::size_t>(carries);
  TESSERA_RULE(reader.one_dimension(list));
  for (std::size_t i = 0; i < inputs; ++i) {
    TESSERA_RULE(
        reader.distinct_dims(reader.instruction().attribute("dimensions"), list, reader.dims(i).size()));
  }
  TESSERA_READ(reverse, reader.flag("is_reverse"));
  TESSERA_RULE(check_step(reader, "to_apply"));
  TESSERA_RULE(reader.must_be_written());
  const auto results = outputs(reader.instruction().type);
  op.dim = as_size(list[0]);
  op.carries = as_size(carries);
  op.inputs = inputs;
  op.outputs = results.size() - std::min(results.size(), op.carries);
  op.reverse = reverse;
  op.function = called_by(reader.instruction(), "to_apply");
  return check_ends(reader, op);
}

std::vector<Index> slice_of(std::span<const Index> extents, std::size_t dim) {
  std::vector<Index> slice(extents.begin(), extents.end());
  slice.erase(slice.begin() + static_cast<std::ptrdiff_t>(dim));
  return slice;
}

// Whether the function is elementwise on its slices, so that the other dimensions are equal.
bool elementwise_function(const Computation* function) {
  using enum Opcode;
  constexpr Opcode kStructure[] = {parameter, tuple, get_tuple_element, constant, iota};
  if (function == nullptr || function->root == nullptr) return false;
  return std::ranges::all_of(function->instructions, [&](const auto& op) {
    if (!op->sound) return false;
    // Allows only a constant, because a broadcast of a computed value would mix elements.
    if (op->opcode == broadcast) {
      const Instruction* const from = op->operands.empty() ? nullptr : op->operands[0].instruction;
      return from != nullptr && from->opcode == constant;
    }
    return is_elementwise(op->opcode) || std::ranges::find(kStructure, op->opcode) != std::end(kStructure);
  });
}

constexpr const char* kScanReason = "the scan's function may use fewer elements";

// An operand or result of a scan: an input or output, which has the scanned dimension, or a carry, which does
// not.
struct End {
  std::span<const Index> extents;
  bool carry;
};

// Coordinates of `to` for an element of `from`. `at` is the coordinate along the scanned dimension, if `to`
// has it.
std::vector<Expr> coordinates(MapBuilder& map, const ScanOp& scan, const End& from, const End& to,
                              bool follow, Expr at) {
  std::vector<Expr> others;
  for (std::size_t i = 0; i < map.dim_count(); ++i) {
    if (from.carry || i != scan.dim) others.push_back(map.dim(i));
  }
  std::vector<Expr> results;
  std::size_t next = 0;
  for (std::size_t i = 0; i < to.extents.size(); ++i) {
    if (!to.carry && i == scan.dim) {
      results.push_back(at);
    } else {
      results.push_back(follow ? others[next++] : map.range(to.extents[i]));
    }
  }
  return results;
}

bool same_slices(const ScanOp& scan, const End& a, const End& b) {
  const auto slice = [&](const End& end) {
    return end.carry ? std::vector<Index>(end.extents.begin(), end.extents.end())
                     : slice_of(end.extents, scan.dim);
  };
  return slice(a) == slice(b);
}

// Whether the output certainly uses everything that can reach it: the input of its own step directly, and
// those of earlier steps through a carry that keeps its old value.
bool uses_all(const OpQuery& q, const ScanOp& scan) {
  const Computation* const function = scan.function;
  const std::size_t parameters = scan.inputs + scan.carries;
  if (function == nullptr || function->root == nullptr || function->root->opcode != Opcode::tuple ||
      !function->root->sound || function->parameters.size() != parameters || parameters > 64 ||
      function->root->operands.size() != scan.outputs + scan.carries) {
    return false;
  }
  const std::vector<std::uint64_t> used = parameter_uses(*function);
  const auto uses = [&](std::size_t result, std::size_t parameter) {
    return ((used[function->root->operands[result].instruction->index] >> parameter) & 1) != 0;
  };
  const auto keeps = [&](std::size_t c) {
    return uses(q.output, scan.inputs + c) && uses(scan.outputs + c, scan.inputs + c);
  };
  if (q.operand >= scan.inputs) return keeps(q.operand - scan.inputs);
  bool earlier = q.dims_of(q.operand)[scan.dim] == 1;
  for (std::size_t c = 0; c < scan.carries && !earlier; ++c) {
    earlier = keeps(c) && uses(scan.outputs + c, q.operand);
  }
  return earlier && uses(q.output, q.operand);
}

IndexingSet scan_either(const OpQuery& q, const ScanOp& scan, bool to_input) {
  const End in{q.in(), q.operand >= scan.inputs};
  const End out{q.out(), q.output >= scan.outputs};
  const HloType* const rows = scan.inputs > 0    ? &q.facts.operand_type(0, 0)
                              : scan.outputs > 0 ? &q.facts.output_type(0)
                                                 : nullptr;
  const bool own = q.operand - scan.inputs == q.output - scan.outputs;
  if (in.carry && out.carry && rows != nullptr && rows->dims()[scan.dim] == 0) {
    // Without steps the last carries are the initial carries.
    if (!own) return {};
    return std::ranges::equal(in.extents, out.extents) ? just(identity_indexing(in.extents)) : bad_shape(q);
  }
  const bool scalar_slices = (in.carry ? in.extents.size() : in.extents.size() - 1) == 0 &&
                             (out.carry ? out.extents.size() : out.extents.size() - 1) == 0;
  const bool follow = scalar_slices || (same_slices(scan, in, out) && elementwise_function(scan.function));
  const End& from = to_input ? out : in;
  const End& to = to_input ? in : out;
  MapBuilder map(from.extents);
  Expr step;
  if (!to.carry) step = map.range(to.extents[scan.dim]);
  std::vector<Expr> results = coordinates(map, scan, from, to, follow, step);
  if (!from.carry && !to.carry && to.extents[scan.dim] > 1) {
    // The output's step does not come before the input's.
    const Expr ahead = to_input != scan.reverse ? map.dim(scan.dim) - step : step - map.dim(scan.dim);
    map.constrain(ahead, {0, to.extents[scan.dim] - 1});
  }
  Indexing indexing = std::move(map).build(std::move(results), MapBuilder::Simplification::preserve_points);
  if (!follow || !uses_all(q, scan)) indexing = as_superset(std::move(indexing), kScanReason);
  if (in.carry && out.carry && !own && rows != nullptr && rows->array().dim_kind(scan.dim) != DimKind::fixed)
    indexing = as_superset(std::move(indexing), "a scan without steps reads only its own initial carry");
  return just(std::move(indexing));
}

IndexingSet scan_to_input(const OpQuery& q, const ScanOp& op) { return scan_either(q, op, true); }
IndexingSet scan_to_output(const OpQuery& q, const ScanOp& op) { return scan_either(q, op, false); }

}  // namespace

constinit const OpRule kSortRule = family_rule<SortOp, read_sort, sort_either, sort_either>();
constinit const OpRule kTopKRule = family_rule<SortOp, read_topk, topk_to_input, topk_to_output>();
constinit const OpRule kScanRule = family_rule<ScanOp, read_scan, scan_to_input, scan_to_output>();

}  // namespace tessera::detail
