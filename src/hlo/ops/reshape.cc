// SPDX-License-Identifier: Apache-2.0
#include "hlo/ops/reshape.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "base/index_walk.h"
#include "hlo/check/types.h"
#include "hlo/ops/rule.h"

namespace tessera::detail {

Expr row_major_number(std::span<const Index> extents, std::span<const Expr> at) {
  const std::vector<Index> strides = row_major_strides(extents);
  Expr sum;
  for (std::size_t i = 0; i < extents.size(); ++i) sum = sum + at[i] * strides[i];
  return sum;
}

void append_digits(std::span<const Index> extents, Expr number, std::vector<Expr>& results) {
  const std::vector<Index> strides = row_major_strides(extents);
  bool leading = true;  // the first nonconstant digit needs no remainder
  for (std::size_t i = 0; i < extents.size(); ++i) {
    if (extents[i] == 1) {
      results.emplace_back();
      continue;
    }
    const Expr quotient = floor_div(number, strides[i]);
    results.push_back(leading ? quotient : mod(quotient, extents[i]));
    leading = false;
  }
}

Renumbered renumber(std::span<const Index> from, std::span<const Index> to, std::span<const Expr> at) {
  Renumbered out;
  out.results.reserve(to.size());
  std::size_t from_begin = 0, to_begin = 0, i = 0, o = 0;
  Index from_product = 1, to_product = 1;
  while (i < to.size() || o < from.size() || to_begin < i || from_begin < o) {
    if (i < to.size() && (to_begin == i || to_product < from_product)) {
      to_product *= to[i++];
      continue;
    }
    if (o < from.size() && (from_begin == o || from_product < to_product)) {
      from_product *= from[o++];
      continue;
    }
    const auto to_run = to.subspan(to_begin, i - to_begin);
    const auto from_run = from.subspan(from_begin, o - from_begin);
    const auto at_run = at.subspan(from_begin, o - from_begin);
    // An extent of 1 among others repeats the stride of its neighbor, so the sum has a common factor to
    // simplify.
    if (from_run.size() > 1 && std::ranges::find(from_run, 1) != from_run.end()) out.canonical = false;
    if (to_run.size() == 1) {
      // Extents of 1 at the end have no partner: their index is 0.
      out.results.push_back(row_major_number(from_run, at_run));
    } else if (!to_run.empty()) {
      if (from_run.size() > 1) out.canonical = false;
      append_digits(to_run, row_major_number(from_run, at_run), out.results);
    }
    to_begin = i;
    from_begin = o;
    to_product = from_product = 1;
  }
  return out;
}

namespace {

// Checks a size for which XLA accepts any integer type.
Problem size_is_integer(const OpReader& reader, std::size_t i) {
  const DTypeClass kind = dtype_class(reader.dtype(i));
  if (kind == DTypeClass::signed_integer || kind == DTypeClass::unsigned_integer) return std::nullopt;
  return reader.wrong_operand(Code::shape_mismatch, i,
                              fmt::format("operand {} of {}, a size, must be an integer, but it is {}", i,
                                          reader.instruction().opcode_text, short_text(reader.operand(i))),
                              "convert the size to s32");
}

// The written type has as many elements as the operand.
Problem same_count(const OpReader& reader) {
  const auto from = reader.operand(0).array().element_count();
  const auto to = reader.instruction().type.array().element_count();
  if (from == to) return std::nullopt;
  return reader.wrong_type(
      Code::shape_mismatch,
      fmt::format("{} of {} {} to {} {}", reader.instruction().opcode_text,
                  plural(from.value_or(-1), "element"), dims_text(reader.dims(0)),
                  plural(to.value_or(-1), "element"), dims_text(reader.instruction().type.dims())),
      "a reshape keeps the number of elements");
}

Problem gives_written(const OpReader& reader) {
  TESSERA_RULE(reader.operands_are_arrays());
  TESSERA_RULE(reader.must_be_written());
  TESSERA_RULE(reader.gives(reader.dtype(0), reader.instruction().type.dims()));
  return std::nullopt;
}

Problem check_reshape(const OpReader& reader) {
  TESSERA_RULE(reader.operand_count_is(1));
  TESSERA_RULE(gives_written(reader));
  return same_count(reader);
}

Problem check_dynamic_reshape(const OpReader& reader) {
  TESSERA_RULE(reader.operand_count_is(1, static_cast<std::size_t>(-1)));
  TESSERA_RULE(gives_written(reader));
  const std::size_t rank = reader.instruction().type.rank();
  if (reader.operand_count() != rank + 1) {
    return reader.wrong(Code::operand_count,
                        fmt::format("dynamic-reshape to an array with {} needs as many sizes, not {}",
                                    plural(rank, "dimension"), reader.operand_count() - 1),
                        reader.instruction().opcode_span,
                        "one size for each result dimension follows the array");
  }
  for (std::size_t i = 1; i <= rank; ++i) {
    TESSERA_RULE(reader.operand_is_scalar(i, "a size"));
    TESSERA_RULE(size_is_integer(reader, i));
  }
  return same_count(reader);
}

// Row-major numbers depend on the runtime sizes of all dimensions but the first.
bool numbers_depend_on_sizes(const TensorType& type) {
  std::size_t first = 0;
  while (first < type.rank() && type.dims[first] == 1 && type.dim_kind(first) == DimKind::fixed) ++first;
  for (std::size_t i = first + 1; i < type.rank(); ++i) {
    if (type.dim_kind(i) != DimKind::fixed) return true;
  }
  return false;
}

// The sizes of the dimensions of an array, of which the dynamic ones are runtime variables; empty if one has
// no name. The first dimension is left out, as no number depends on its size.
std::vector<Expr> runtime_sizes(MapBuilder& map, const TensorType& type, std::span<const std::string> names) {
  std::vector<Expr> out;
  for (std::size_t i = 1; i < type.rank(); ++i) {
    const bool fixed = type.dim_kind(i) == DimKind::fixed;
    if (!fixed && (i >= names.size() || names[i].empty())) return {};
    // An array with a size of 0 has no elements.
    out.push_back(fixed ? Expr::constant(type.dims[i]) : map.size(names[i], {1, type.dims[i]}));
  }
  return out;
}

// The index with the same row-major number, where strides depend on runtime sizes; nothing if one has no
// name.
std::optional<Indexing> renumbered_by_sizes(const TensorType& start, const TensorType& target,
                                            std::span<const std::string> start_names,
                                            std::span<const std::string> target_names) {
  MapBuilder map(start.dims);
  const std::vector<Expr> from = runtime_sizes(map, start, start_names);
  const std::vector<Expr> to = runtime_sizes(map, target, target_names);
  if (from.size() + 1 != start.rank() || to.size() + 1 != target.rank()) return std::nullopt;
  Expr number = map.dim(0);
  for (std::size_t i = 0; i < from.size(); ++i) number = number * from[i] + map.dim(i + 1);
  std::vector<Expr> results(target.rank());
  for (std::size_t i = to.size(); i-- > 0;) {
    results[i + 1] = mod(number, to[i]);
    number = floor_div(number, to[i]);
  }
  results[0] = number;
  map.constrain(number, {0, target.dims[0] - 1});
  return std::move(map).build(std::move(results), MapBuilder::Simplification::preserve_points);
}

// From an index of `start` to the index of `target` with the same row-major number.
IndexingSet renumbered(const TensorType& start, const TensorType& target,
                       std::span<const std::string> start_names = {},
                       std::span<const std::string> target_names = {}) {
  const auto count = element_count(start.dims);
  if (count != element_count(target.dims)) return unknown_set("the element counts differ");
  if (!count) return unknown_set("the element count does not fit in 64 bits");
  MapBuilder map(start.dims);
  if (*count == 0) return just(std::move(map).build(std::vector<Expr>(target.rank())));
  if (start.dims == target.dims && start.dim_kinds == target.dim_kinds) {
    return just(identity_indexing(start.dims));
  }
  if (numbers_depend_on_sizes(start) || numbers_depend_on_sizes(target)) {
    if (auto exact = renumbered_by_sizes(start, target, start_names, target_names))
      return just(*std::move(exact));
    std::vector<Expr> all = map.ranges(target.dims);
    return just(std::move(map).superset(std::move(all),
                                        "the order of elements depends on the sizes of dynamic dimensions"));
  }
  const std::vector<Expr> dims = map.dims();
  Renumbered result = renumber(start.dims, target.dims, dims);
  const auto simplification =
      result.canonical ? MapBuilder::Simplification::none : MapBuilder::Simplification::preserve_points;
  return just(std::move(map).build(std::move(result.results), simplification));
}

IndexingSet same_number(const OpQuery& q, bool to_input) {
  const TensorType& in = q.operand_type().array();
  const TensorType& out = q.output_type().array();
  const OpValue* const op = q.facts.value();
  const bool named = op != nullptr && op->sizes.size() > 1;
  const std::span<const std::string> none;
  const std::span<const std::string> ins = named ? op->sizes[1] : none;
  const std::span<const std::string> outs = named ? op->sizes[0] : none;
  return to_input ? renumbered(out, in, outs, ins) : renumbered(in, out, ins, outs);
}

IndexingSet reshape_to_input(const OpQuery& q) { return same_number(q, true); }
IndexingSet reshape_to_output(const OpQuery& q) { return same_number(q, false); }

IndexingSet dynamic_to_input(const OpQuery& q) {
  return q.operand == 0 ? reshape_to_input(q) : just(scalar_indexing(q.out()));
}
IndexingSet dynamic_to_output(const OpQuery& q) {
  return q.operand == 0 ? reshape_to_output(q) : just(whole_indexing(q.in(), q.out()));
}

}  // namespace

constinit const OpRule kReshapeRule{.read = check_only<check_reshape>,
                                    .output_to_input = reshape_to_input,
                                    .input_to_output = reshape_to_output};
constinit const OpRule kDynamicReshapeRule{.read = check_only<check_dynamic_reshape>,
                                           .output_to_input = dynamic_to_input,
                                           .input_to_output = dynamic_to_output};

}  // namespace tessera::detail
