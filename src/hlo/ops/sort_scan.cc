// SPDX-License-Identifier: Apache-2.0
/// \file
/// sort, topk, scan: an element may reach many elements of its row.
#include <algorithm>

#include "hlo/ops/reducer.h"
#include "hlo/ops/rule.h"
#include "hlo/syntax/attributes.h"

namespace tessera::detail {
namespace {

// All dimensions are equal except `row`, which ranges over its whole extent in `to`.
Indexing row_mixed(std::span<const Index> from, std::span<const Index> to, std::size_t row) {
  MapBuilder map(from);
  std::vector<Expr> results = map.dims();
  results[row] = map.range(to[row]);
  return std::move(map).build(std::move(results));
}

IndexingSet sort_either(const OpQuery& q) {
  const auto dims = ints_of(q.op, "dimensions");
  if (!dims) return unknown_set(dims.error());
  if (dims->size() != 1 || dims->front() < 0 || dims->front() >= static_cast<Index>(q.out().size()) ||
      !std::ranges::equal(q.in(), q.out())) {
    return bad_shape(q);
  }
  return just(as_superset(row_mixed(q.out(), q.out(), static_cast<std::size_t>(dims->front())),
                          "the sorted position of an element is data dependent"));
}

bool is_topk(const OpQuery& q) {
  return !q.in().empty() && q.in().size() == q.out().size() &&
         std::equal(q.in().begin(), q.in().end() - 1, q.out().begin());
}

IndexingSet topk_to_input(const OpQuery& q) {
  return is_topk(q) ? just(row_mixed(q.out(), q.in(), q.in().size() - 1)) : bad_shape(q);
}

IndexingSet topk_to_output(const OpQuery& q) {
  return is_topk(q) ? just(row_mixed(q.in(), q.out(), q.in().size() - 1)) : bad_shape(q);
}

// scan(inputs..., carries...) applies a function along one dimension. It takes (input slices..., carries...)
// and returns (output slices..., carries...). The results of the scan are the outputs, then the last carries.
struct Scan {
  std::size_t dim = 0;
  std::size_t carries = 0;
  std::size_t inputs = 0;
  std::size_t outputs = 0;
  bool reverse = false;
};

Result<Scan> read_scan(const OpQuery& q) {
  const auto mismatch = [] {
    return fail(Code::shape_mismatch, "the scan does not match the shapes of its operands and results");
  };
  const auto dims = ints_of(q.op, "dimensions");
  if (!dims) return Failure(dims.error());
  const auto carries = int_of(q.op, "num_carries");
  if (!carries) return Failure(carries.error());
  const auto reverse = bool_of(q.op, "is_reverse", false);
  if (!reverse) return Failure(reverse.error());
  const std::size_t results = q.facts.outputs();
  if (dims->size() != 1 || dims->front() < 0 || *carries < 0 ||
      static_cast<std::size_t>(*carries) > std::min(q.op.operands.size(), results)) {
    return mismatch();
  }
  const auto count = static_cast<std::size_t>(*carries);
  Scan scan{.dim = static_cast<std::size_t>(dims->front()),
            .carries = count,
            .inputs = q.op.operands.size() - count,
            .outputs = results - count,
            .reverse = *reverse};
  for (std::size_t j = 0; j < scan.inputs; ++j) {
    if (scan.dim >= q.dims_of(j).size()) return mismatch();
  }
  return scan;
}

std::vector<Index> slice_of(std::span<const Index> extents, std::size_t dim) {
  std::vector<Index> slice(extents.begin(), extents.end());
  slice.erase(slice.begin() + static_cast<std::ptrdiff_t>(dim));
  return slice;
}

// Whether the function is elementwise on its slices, so that the other dimensions are equal.
bool elementwise_function(const Computation* function) {
  if (function == nullptr || function->root == nullptr) return false;
  return std::ranges::all_of(function->instructions, [](const auto& op) {
    if (!op->sound) return false;
    switch (op->opcode) {
      case Opcode::parameter:
      case Opcode::tuple:
      case Opcode::get_tuple_element:
      case Opcode::constant:
      case Opcode::iota:
        return true;
      case Opcode::broadcast:
        // Allows only a constant, because a broadcast of a computed value would mix elements.
        return op->operands[0].instruction->opcode == Opcode::constant;
      default:
        return is_elementwise(op->opcode);
    }
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
std::vector<Expr> coordinates(MapBuilder& map, const Scan& scan, const End& from, const End& to, bool follow,
                              Expr at) {
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

bool same_slices(const Scan& scan, const End& a, const End& b) {
  const auto slice = [&](const End& end) {
    return end.carry ? std::vector<Index>(end.extents.begin(), end.extents.end())
                     : slice_of(end.extents, scan.dim);
  };
  return slice(a) == slice(b);
}

// Whether the output certainly uses everything that can reach it: the input of its own step directly, and
// those of earlier steps through a carry that keeps its old value.
bool uses_all(const OpQuery& q, const Scan& scan) {
  const Computation* function = called_by(q.op, "to_apply");
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

IndexingSet scan_either(const OpQuery& q, bool to_input) {
  const auto scan = read_scan(q);
  if (!scan) return unknown_set(scan.error());
  const End in{q.in(), q.operand >= scan->inputs};
  const End out{q.out(), q.output >= scan->outputs};
  if ((!out.carry && scan->dim >= out.extents.size()) || (!in.carry && scan->dim >= in.extents.size())) {
    return bad_shape(q);
  }
  if (!in.carry && !out.carry && in.extents[scan->dim] != out.extents[scan->dim]) return bad_shape(q);
  if (in.carry && out.carry && scan->inputs > 0 && q.dims_of(0)[scan->dim] == 0) {
    // Without steps the last carries are the initial carries.
    const bool own = q.operand - scan->inputs == q.output - scan->outputs;
    if (!own) return {};
    return std::ranges::equal(in.extents, out.extents) ? just(identity_indexing(in.extents)) : bad_shape(q);
  }
  const bool scalar_slices = (in.carry ? in.extents.size() : in.extents.size() - 1) == 0 &&
                             (out.carry ? out.extents.size() : out.extents.size() - 1) == 0;
  const bool follow =
      scalar_slices || (same_slices(*scan, in, out) && elementwise_function(called_by(q.op, "to_apply")));
  const End& from = to_input ? out : in;
  const End& to = to_input ? in : out;
  MapBuilder map(from.extents);
  Expr step;
  if (!to.carry) step = map.range(to.extents[scan->dim]);
  std::vector<Expr> results = coordinates(map, *scan, from, to, follow, step);
  if (!from.carry && !to.carry && to.extents[scan->dim] > 1) {
    // The output's step does not come before the input's.
    const Expr ahead = to_input != scan->reverse ? map.dim(scan->dim) - step : step - map.dim(scan->dim);
    map.constrain(ahead, {0, to.extents[scan->dim] - 1});
  }
  Indexing indexing = std::move(map).build(std::move(results), MapBuilder::Simplification::preserve_points);
  if (!follow || !uses_all(q, *scan)) indexing = as_superset(std::move(indexing), kScanReason);
  return just(std::move(indexing));
}

IndexingSet scan_to_input(const OpQuery& q) { return scan_either(q, true); }
IndexingSet scan_to_output(const OpQuery& q) { return scan_either(q, false); }

}  // namespace

constinit const OpRule kSortRule{sort_either, sort_either};
constinit const OpRule kTopKRule{topk_to_input, topk_to_output};
constinit const OpRule kScanRule{scan_to_input, scan_to_output};

}  // namespace tessera::detail
