// SPDX-License-Identifier: Apache-2.0
/// \file
/// dynamic-slice(x, starts...) and dynamic-update-slice(x, update, starts...): a box at a runtime start,
/// clamped so that the box stays inside.
#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "hlo/check/types.h"
#include "hlo/ops/fold_runtime.h"
#include "hlo/ops/outside_box.h"
#include "hlo/ops/rule.h"

namespace tessera::detail {
namespace {

constexpr const char* kOverwritten = "includes the elements that the update overwrites";

// A box in an array: the result of a dynamic-slice, or the update. Its starts are the operands from `first`
// on: one scalar for each dimension, or one vector.
struct BoxOp : OpValue {
  std::size_t first = 1;
  bool vector = false;
  std::vector<Index> whole;
  std::vector<Index> box;
};

// Checks the starts: one scalar integer per dimension or, in older programs, one vector.
Problem read_starts(const OpReader& reader, BoxOp& op) {
  const std::size_t first = op.first;
  const std::size_t rank = op.whole.size();
  const std::size_t count = reader.operand_count() - first;
  op.vector = count == 1 && reader.operand(first).is_array() && reader.operand(first).rank() == 1;
  if (op.vector ? reader.dims(first)[0] != static_cast<Index>(rank) : count != rank) {
    return reader.wrong(Code::operand_count,
                        fmt::format("{} of an array with {} needs as many start indices, not {}",
                                    reader.instruction().opcode_text, plural(rank, "dimension"),
                                    op.vector ? reader.dims(first)[0] : static_cast<Index>(count)),
                        reader.instruction().opcode_span,
                        fmt::format("one scalar start index for each dimension follows the {}",
                                    first == 1 ? "array" : "update"));
  }
  for (std::size_t i = first; i < reader.operand_count(); ++i) {
    if (!op.vector) TESSERA_RULE(reader.operand_is_scalar(i, fmt::format("start index {}", i - first)));
    if (!is_integer(reader.dtype(i))) {
      return reader.wrong_operand(Code::shape_mismatch, i,
                                  fmt::format("start index {} must be an integer, but it is {}", i - first,
                                              short_text(reader.operand(i))));
    }
  }
  return std::nullopt;
}

// `wrong_size` reports a size that does not fit.
template <class WrongSize>
Problem read_box(const OpReader& reader, BoxOp& op, WrongSize wrong_size) {
  op.whole = copied(reader.dims(0));
  if (op.box.size() != op.whole.size()) {
    return wrong_size(
        Code::rank_mismatch, 0,
        fmt::format("{} of an array with {} needs as many sizes, not {}", reader.instruction().opcode_text,
                    plural(op.whole.size(), "dimension"), op.box.size()));
  }
  for (std::size_t i = 0; i < op.box.size(); ++i) {
    if (op.box[i] >= 0 && op.box[i] <= op.whole[i]) continue;
    return wrong_size(
        Code::bad_attribute, i,
        fmt::format("slice size {} of dimension {} is not within its extent {}", op.box[i], i, op.whole[i]));
  }
  return read_starts(reader, op);
}

Problem read_dynamic_slice(const OpReader& reader, BoxOp& op) {
  TESSERA_RULE(reader.operand_count_is(1, static_cast<std::size_t>(-1)));
  TESSERA_RULE(reader.operands_are_arrays());
  TESSERA_READ(sizes, reader.ints("dynamic_slice_sizes"));
  op.box = std::move(sizes);
  TESSERA_RULE(read_box(reader, op, [&](Code code, std::size_t nth, std::string message) {
    const Attribute& written = *reader.instruction().attribute("dynamic_slice_sizes");
    return reader.wrong(code, std::move(message),
                        code == Code::rank_mismatch ? written.span : integer_span(written, nth));
  }));
  return reader.gives(reader.dtype(0), op.box);
}

Problem read_update(const OpReader& reader, BoxOp& op) {
  TESSERA_RULE(reader.operand_count_is(2, static_cast<std::size_t>(-1)));
  TESSERA_RULE(reader.operands_are_arrays());
  if (!same_element_type(reader.dtype(0), reader.dtype(1))) {
    return reader.wrong_operand(
        Code::shape_mismatch, 1,
        fmt::format("the update has elements of {}, but the operand has elements of {}",
                    to_string(reader.dtype(1)), to_string(reader.dtype(0))));
  }
  op.first = 2;
  op.box = copied(reader.dims(1));
  TESSERA_RULE(read_box(reader, op, [&](Code code, std::size_t, std::string message) {
    return reader.wrong_operand(code, 1, std::move(message));
  }));
  return reader.gives(reader.dtype(0), op.whole);
}

// Declares a runtime variable for the start in each dimension.
std::vector<Expr> declare_starts(MapBuilder& map, const OpQuery& q, const BoxOp& b) {
  std::vector<Expr> starts;
  for (std::size_t i = 0; i < b.whole.size(); ++i) {
    const Interval range{0, b.whole[i] - b.box[i]};
    const Operand& source = q.op.operands[b.vector ? b.first : b.first + i];
    starts.push_back(
        map.runtime(range, range, source,
                    b.vector ? std::vector{Expr::constant(static_cast<Index>(i))} : std::vector<Expr>()));
  }
  return starts;
}

// From an index of the box to the element of the whole array.
IndexingSet outwards(const OpQuery& q, const BoxOp& b) {
  MapBuilder map(b.box);
  const std::vector<Expr> starts = declare_starts(map, q, b);
  std::vector<Expr> results;
  for (std::size_t i = 0; i < starts.size(); ++i) results.push_back(map.dim(i) + starts[i]);
  return just(known_starts(q, std::move(map).build(std::move(results))));
}

// From an index of the whole array to the element of the box, if it is inside.
IndexingSet inwards(const OpQuery& q, const BoxOp& b) {
  MapBuilder map(b.whole);
  const std::vector<Expr> starts = declare_starts(map, q, b);
  std::vector<Expr> results;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    results.push_back(map.dim(i) - starts[i]);
    if (b.box[i] == 0) map.nothing();
    map.constrain(results.back(), {0, b.box[i] - 1});
  }
  return just(known_starts(q, std::move(map).build(std::move(results))));
}

// Every output element reads all starts.
IndexingSet starts_to_input(const OpQuery& q) { return just(whole_indexing(q.out(), q.in())); }
IndexingSet starts_to_output(const OpQuery& q) { return just(whole_indexing(q.in(), q.out())); }

IndexingSet dynamic_slice_to_input(const OpQuery& q, const BoxOp& b) {
  return q.operand == 0 ? outwards(q, b) : starts_to_input(q);
}

IndexingSet dynamic_slice_to_output(const OpQuery& q, const BoxOp& b) {
  return q.operand == 0 ? inwards(q, b) : starts_to_output(q);
}

// Where the box starts; empty if the program does not determine it.
std::optional<std::vector<Index>> known_corner(const OpQuery& q, const BoxOp& b) {
  MapBuilder map({});
  Indexing x = known_starts(q, std::move(map).build(declare_starts(map, q, b)));
  std::vector<Index> corner;
  for (const Expr& start : x.map.results()) {
    if (!start.is_constant()) return std::nullopt;
    corner.push_back(start.value());
  }
  return corner;
}

// The elements of the operand stay in place, except those in the box of the update.
IndexingSet kept(const OpQuery& q, const BoxOp& b) {
  if (std::ranges::find(b.box, 0) != b.box.end()) return just(identity_indexing(q.out()));
  const auto corner = known_corner(q, b);
  if (!corner) return just(as_superset(identity_indexing(q.out()), kOverwritten));
  std::vector<Domain> parts{Domain::box(q.out())};
  remove_box(parts, *corner, b.box);
  return identities(q.out(), std::move(parts));
}

IndexingSet update_to_input(const OpQuery& q, const BoxOp& b) {
  if (q.operand == 0) return kept(q, b);
  return q.operand == 1 ? inwards(q, b) : starts_to_input(q);
}

IndexingSet update_to_output(const OpQuery& q, const BoxOp& b) {
  if (q.operand == 0) return kept(q, b);
  return q.operand == 1 ? outwards(q, b) : starts_to_output(q);
}

}  // namespace

constinit const OpRule kDynamicSliceRule =
    family_rule<BoxOp, read_dynamic_slice, dynamic_slice_to_input, dynamic_slice_to_output>();
constinit const OpRule kDynamicUpdateSliceRule =
    family_rule<BoxOp, read_update, update_to_input, update_to_output>();

}  // namespace tessera::detail
