// SPDX-License-Identifier: Apache-2.0
#include "hlo/operations/op_work.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "base/saturating.h"
#include "hlo/check/started.h"
#include "hlo/limits.h"
#include "hlo/operations/product_work.h"
#include "hlo/operations/window_overlap.h"
#include "hlo/ops/collective.h"
#include "hlo/ops/rule.h"
#include "hlo/ops/values.h"
#include "hlo/walk/counted_loop.h"
#include "hlo/walk/program_indexing.h"
#include "map/image/image_union.h"

namespace tessera::detail {
namespace {

// Operations on real numbers of one operation on complex ones, by the schoolbook formulas.
Index complex_operations(Opcode opcode) {
  if (opcode == Opcode::multiply) return 6;
  if (opcode == Opcode::divide) return 11;
  return opcode == Opcode::select ? 1 : 2;
}

Work unknown_work(std::string reason) {
  Work out;
  out.add_unknown(std::move(reason));
  return out;
}

// Of a decomposition of n x n matrices, or of equations with them: n * columns for each of the batch.
Work linear_algebra(const Instruction& op) {
  Work out;
  const HloType& type = op.operand_type(0);
  if (!type.is_array() || type.rank() < 2) return unknown_work("the instruction has an error");
  if (!type.array().is_static()) return unknown_work("an extent is known only at run time");
  const DType element = type.array().dtype;
  const Index n = type.dims().back();
  Index batch = 1;
  for (const Index extent : type.dims().first(type.rank() - 2)) batch = saturating_mul(batch, extent);
  // n * (n - 1) / 2
  const Index pairs = saturating_mul(n, std::max<Index>(n - 1, 0)) / 2;
  const bool complex = dtype_class(element) == DTypeClass::complex;
  const auto exactly = [&](OperationKind kind, Index count, Index each) {
    const Index all = saturating_mul(saturating_mul(count, batch), complex ? each : 1);
    out.add(kind, element, {all, all});
  };
  if (op.opcode == Opcode::cholesky) {
    // The product of three neighbors is a multiple of 6; n <= 2^20 keeps it below 64 bits.
    if (n > (Index{1} << 20)) return unknown_work("the number exceeds 64 bits");
    const Index products = (n - 1) * n * (n + 1) / 6;
    exactly(OperationKind::transcendental, n, 1);
    exactly(OperationKind::arithmetic, pairs, 11);
    exactly(OperationKind::arithmetic, products, 6);
    exactly(OperationKind::arithmetic, products, 2);
    return out;
  }
  const Count all = count_elements(op.type);
  const Index columns = n == 0 || batch == 0 ? 0 : all.lower / batch / n;
  const auto solve = value_of<MatrixOp>(op);
  const bool unit = solve != nullptr && solve->unit_diagonal;
  exactly(OperationKind::arithmetic, saturating_mul(columns, pairs), 6);
  exactly(OperationKind::arithmetic, saturating_mul(columns, pairs), 2);
  if (!unit) exactly(OperationKind::arithmetic, saturating_mul(columns, n), 11);
  return out;
}

// Comparisons of a sort of rows.
Count comparisons(const Instruction& op) {
  const HloType& type = op.operand_type(0);
  const auto sort = value_of<SortOp>(op);
  if (sort == nullptr) return {0, std::nullopt, "the sort has an error"};
  const std::size_t dim = sort->dim;
  if (type.array().dim_kind(dim) == DimKind::unbounded)
    return {0, std::nullopt, "an extent is known only at run time"};
  const Index n = type.dims()[dim];
  if (n < 2) return {0, 0};
  const Count all = count_elements(type);
  const Index rows = all.upper.value_or(kIndexMax) / n;
  const Index levels = std::bit_width(static_cast<std::uint64_t>(n - 1));
  const bool fixed = type.array().is_static();
  return {fixed ? saturating_mul(rows, n - 1) : 0, checked_mul(saturating_mul(rows, n), levels),
          "a sort of n elements compares at least n - 1 times, and a merge sort at most n * ceil(log2(n))"};
}

Index size_of_groups(const Instruction& op) {
  const CollectiveGroups groups = collective_groups(op);
  return groups.exist() ? groups.size().value_or(0) : 0;
}

}  // namespace

Work OperationCounter::elementwise(const Instruction& op) {
  Work out;
  if (!op.type.is_array()) return out;
  DType type = op.type.array().dtype;
  const HloType* const read = op.operands.empty() ? nullptr : &op.operand_type(0);
  if (read != nullptr && read->is_array()) {
    const DType own = read->array().dtype;
    if (op.opcode == Opcode::compare || op.opcode == Opcode::is_finite || op.opcode == Opcode::abs ||
        (op.opcode == Opcode::convert && !is_floating(type)))
      type = own;
  }
  const bool complex = dtype_class(type) == DTypeClass::complex;
  const bool hard =
      is_floating(type) && (kind_of(op.opcode) == OpcodeKind::transcendental ||
                            (complex && (op.opcode == Opcode::abs || op.opcode == Opcode::sign)));
  const Index each = complex && !hard ? complex_operations(op.opcode) : 1;
  out.add(hard ? OperationKind::transcendental : OperationKind::arithmetic, type,
          product_of(count_elements(op.type), {each, each}));
  return out;
}

Work OperationCounter::applied(const Instruction& op, const char* key, const Count& applications) {
  const Computation* const function = called_by(op, key);
  if (function == nullptr) return unknown_work("the instruction has an error");
  return of(*function).times(applications);
}

Work OperationCounter::all_reduced(const Instruction& op, bool scattered) {
  const Index members = size_of_groups(op);
  Count elements{0, 0};
  for (std::size_t i = 0; i < op.operands.size(); ++i)
    elements = sum(elements, count_elements(op.operand_type(i)));
  if (members == 0)
    return applied(op, "to_apply", {0, std::nullopt, "the number of devices in a group is not known"});
  if (scattered) {
    Work out = applied(op, "to_apply", product_of(count_elements(op.type), {members - 1, members - 1}));
    return out;
  }
  const Count most = product_of(elements, {members - 1, members - 1});
  if (most.upper == Index{0}) return {};
  return applied(op, "to_apply",
                 {0, most.upper, "what each device adds depends on the algorithm of the all-reduce"});
}

Work OperationCounter::loop(const Instruction& op) {
  const Computation* const test = called_by(op, "condition");
  const Computation* const body = called_by(op, "body");
  if (test == nullptr || body == nullptr) return unknown_work("the instruction has an error");
  Count trips{0, std::nullopt, "the number of iterations is unknown"};
  if (const auto counted = counted_loop(op, *test, *body, leaves_))
    trips = {counted->start ? 0 : counted->trips, counted->trips,
             counted->start ? "the loop starts at a value known only at run time" : ""};
  Work out = of(*body).times(trips);
  out.add(of(*test).times(sum(trips, {1, 1})));
  return out;
}

Work OperationCounter::branches(const Instruction& op) {
  if (op.called.empty()) return unknown_work("the instruction has an error");
  Work out = of(*op.called.front());
  for (const Computation* branch : op.called) out = Work::either(out, of(*branch));
  return out;
}

// reduce-window and select-and-scatter: n elements under a window combine n - 1 times.
Work OperationCounter::windowed(const Instruction& op) {
  const bool scatters = op.opcode == Opcode::select_and_scatter;
  const auto windows = value_of<WindowOp>(op);
  if (windows == nullptr) return unknown_work("the instruction has an error");
  // Windows of a select-and-scatter are at the elements of the source.
  const HloType& out = scatters ? op.operand_type(1) : leaf_type(op.type, 0);
  if (!op.operand_type(0).array().is_static() || !out.array().is_static())
    return unknown_work("an extent is known only at run time");
  Count pairs{1, 1};
  Count covered{1, 1};
  for (const WindowAxis& axis : windows->axes) {
    const WindowOverlap places = window_overlap(axis);
    pairs = product_of(pairs, places.pairs);
    covered = product_of(covered, places.covered);
  }
  Count combined{std::max<Index>(pairs.lower - covered.upper.value_or(pairs.lower), 0), pairs.upper,
                 pairs.reason};
  if (combined.upper) *combined.upper = std::max<Index>(*combined.upper - covered.lower, 0);
  if (combined.reason.empty()) combined.reason = covered.reason;
  if (!scatters) return applied(op, "to_apply", combined);
  Work work = applied(op, "select", combined);
  work.add(applied(op, "scatter", covered));
  return work;
}

Work OperationCounter::started(const Instruction& op) {
  if (const Computation* const computation = started_computation(op)) return of(*computation);
  const auto inner = started_operation(op);
  return inner ? of(*inner) : unknown_work("the operation that is started is unknown");
}

Work OperationCounter::of(const Instruction& op) {
  if (!op.sound) return unknown_work("the instruction has an error");
  switch (kind_of(op.opcode)) {
    case OpcodeKind::nothing:
    case OpcodeKind::state:
    case OpcodeKind::transfer:
    case OpcodeKind::all_gather:
    case OpcodeKind::all_to_all:
    case OpcodeKind::collective_broadcast:
    case OpcodeKind::collective_permute:
    case OpcodeKind::ragged_all_to_all:
      return {};
    case OpcodeKind::arithmetic:
    case OpcodeKind::transcendental:
      return elementwise(op);
    case OpcodeKind::product:
      return dot_work(op);
    case OpcodeKind::convolution:
      return convolution_work(op);
    case OpcodeKind::custom:
      return custom_call_work(op);
    case OpcodeKind::reduction: {
      const HloType& in = op.operand_type(0);
      const Count rows = count_elements(leaf_type(op.type, 0));
      const Count all = count_elements(in);
      if (all.upper == Index{0}) return {};
      Count applications{std::max<Index>(all.lower - rows.upper.value_or(all.lower), 0), all.upper,
                         all.reason};
      if (applications.upper) *applications.upper = std::max<Index>(*applications.upper - rows.lower, 0);
      return applied(op, "to_apply", applications);
    }
    case OpcodeKind::windows:
      return windowed(op);
    case OpcodeKind::scatter: {
      const std::size_t arrays = (op.operands.size() - 1) / 2;
      const Count updates = count_elements(op.operand_type(arrays + 1));
      return applied(op, "to_apply",
                     {0, updates.upper, "updates outside the array are left out, and the indices are data"});
    }
    case OpcodeKind::sort:
      return applied(op, "to_apply", comparisons(op));
    case OpcodeKind::scan: {
      const auto scan = value_of<ScanOp>(op);
      if (scan == nullptr) return unknown_work("the instruction has an error");
      if (scan->inputs + scan->outputs == 0) return unknown_work("the scan has only carries");
      const TensorType& rows = (scan->inputs > 0 ? op.operand_type(0) : leaf_type(op.type, 0)).array();
      const Index steps = rows.dims[scan->dim];
      if (!rows.is_static()) return unknown_work("an extent is known only at run time");
      return applied(op, "to_apply", {steps, steps});
    }
    case OpcodeKind::all_reduce:
      return all_reduced(op, false);
    case OpcodeKind::reduce_scatter:
      return all_reduced(op, true);
    case OpcodeKind::called:
      if (op.opcode == Opcode::map) return applied(op, "to_apply", count_elements(op.type));
      if (op.called.empty()) return unknown_work("the instruction has an error");
      return of(*op.called.front());
    case OpcodeKind::started:
      return started(op);
    case OpcodeKind::loop:
      return loop(op);
    case OpcodeKind::branch:
      return branches(op);
    case OpcodeKind::equations:
      return linear_algebra(op);
    case OpcodeKind::algorithm:
    case OpcodeKind::random:
      return unknown_work(fmt::format("the operations of {} depend on the algorithm", op.opcode_text));
    case OpcodeKind::unknown:
      break;
  }
  return unknown_work(fmt::format("the operations of {} are unknown", op.opcode_text));
}

const Work& OperationCounter::of(const Computation& computation) {
  if (const auto found = known_.find(&computation); found != known_.end()) return found->second;
  Work out;
  if (depth_ >= kHloLimits.walk.call_height) {
    out.add_unknown(fmt::format("calls are nested more than {} levels deep", kHloLimits.walk.call_height));
  } else {
    ++depth_;
    for (const auto& op : computation.instructions) out.add(of(*op));
    --depth_;
  }
  return known_.emplace(&computation, std::move(out)).first->second;
}

}  // namespace tessera::detail
