// SPDX-License-Identifier: Apache-2.0
/// \file
/// add, select, convert, map, ...: output element i reads element i of each operand.
#include <algorithm>

#include "hlo/ops/reducer.h"
#include "hlo/ops/rule.h"
#include "hlo/syntax/attributes.h"

namespace tessera::detail {
namespace {

// The predicate of a select and the bounds of a clamp may be scalars.
bool is_shared_scalar(const OpQuery& q) { return q.in().empty() && !q.out().empty(); }

// Whether the operation is a map whose function does not use the operand.
bool ignored(const OpQuery& q) {
  if (q.op.opcode != Opcode::map || q.operand >= 64) return false;
  const Computation* const function = called_by(q.op, "to_apply");
  if (!flow_is_known(function)) return false;
  return ((parameter_uses(*function)[function->root->index] >> q.operand) & 1) == 0;
}

IndexingSet elementwise_to_input(const OpQuery& q) {
  if (is_shared_scalar(q)) return just(scalar_indexing(q.out()));
  if (!std::ranges::equal(q.in(), q.out())) return bad_shape(q);
  if (ignored(q)) return {};
  return just(identity_indexing(q.out()));
}

IndexingSet elementwise_to_output(const OpQuery& q) {
  if (is_shared_scalar(q)) return just(whole_indexing(q.in(), q.out()));
  if (!std::ranges::equal(q.in(), q.out())) return bad_shape(q);
  if (ignored(q)) return {};
  return just(identity_indexing(q.in()));
}

// bitcast-convert between element widths adds or drops a minor dimension over the parts of a wider element.
enum class Width : std::uint8_t { same, narrower, wider, bad };

Width width_change(const OpQuery& q) {
  const auto in = q.in();
  const auto out = q.out();
  const Index in_bits = bit_width(q.operand_type().array().dtype);
  const Index out_bits = bit_width(q.output_type().array().dtype);
  if (in_bits == out_bits) return std::ranges::equal(in, out) ? Width::same : Width::bad;
  const bool narrower = in_bits > out_bits;
  const auto wide = narrower ? in : out;
  const auto narrow = narrower ? out : in;
  const Index parts = narrower ? in_bits / out_bits : out_bits / in_bits;
  const bool matches = narrow.size() == wide.size() + 1 && narrow.back() == parts &&
                       std::ranges::equal(wide, narrow.first(wide.size()));
  if (!matches) return Width::bad;
  return narrower ? Width::narrower : Width::wider;
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

IndexingSet convert_to_input(const OpQuery& q) {
  switch (width_change(q)) {
    case Width::same:
      return just(identity_indexing(q.out()));
    case Width::narrower:
      return from_parts(q.out());
    case Width::wider:
      return to_parts(q.out(), q.in().back());
    case Width::bad:
      break;
  }
  return bad_shape(q);
}

IndexingSet convert_to_output(const OpQuery& q) {
  switch (width_change(q)) {
    case Width::same:
      return just(identity_indexing(q.in()));
    case Width::narrower:
      return to_parts(q.in(), q.out().back());
    case Width::wider:
      return from_parts(q.in());
    case Width::bad:
      break;
  }
  return bad_shape(q);
}

}  // namespace

constinit const OpRule kElementwiseRule{elementwise_to_input, elementwise_to_output};
constinit const OpRule kBitcastConvertRule{convert_to_input, convert_to_output};

}  // namespace tessera::detail
