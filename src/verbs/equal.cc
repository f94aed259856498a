// SPDX-License-Identifier: Apache-2.0
#include "verbs/equal.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "files/number_table.h"
#include "notation/symbolic/symbolic_answers.h"
#include "notation/symbolic/symbolic_equality.h"
#include "notation/symbolic/unknown_sizes.h"
#include "report/exit_status.h"
#include "report/layout_answer.h"
#include "report/sized_answer.h"
#include "verbs/column_major.h"
#include "verbs/placed.h"

namespace tessera::verbs {
namespace {

// Both layouts for every combination of sizes.
Result<EqualResult> for_sizes(const EqualRequest& request) {
  SizedPair pair{request.a, *request.b, request.sizes->value};
  auto found = equal_for_sizes(pair, request.notion, {.ignore_unit_dims = request.ignore_unit_dims});
  if (!found) return unreadable(found.error().field == "b" ? "b" : "a", std::move(found.error()));
  return EqualResult(request, SizesEquality{std::move(pair), *std::move(found)});
}

// Gives an attribute of Triton without a shape the shape of the other layout, if that is one of Triton.
void share_shape(EqualRequest& request) {
  if (!request.b || !is_triton_text(request.a) || !is_triton_text(*request.b)) return;
  const auto a = parse_triton_layout(request.a);
  const auto b = parse_triton_layout(*request.b);
  if (!a || !b || a->shape.has_value() == b->shape.has_value()) return;
  TritonLayout whole = a->shape ? *b : *a;
  const TritonLayout& other = a->shape ? *a : *b;
  whole.form = TritonForm::shape;
  whole.shape = other.shape;
  (a->shape ? *request.b : request.a) = to_string(whole);
}

// A layout and a table of another program.
Result<EqualResult> with_table(const EqualRequest& request) {
  const bool offsets = !request.offsets.empty();
  const std::string_view field = offsets ? "offsets" : "gather";
  const Result<Layout> layout = Reading<Layout>::read(request.a);
  if (!layout) return unreadable("a", layout.error());
  const auto table = read_number_table(offsets ? request.offsets : request.gather);
  if (!table) return refuse(field, table.error());
  if (offsets && !std::ranges::equal(table->shape, layout->shape()))
    return refuse(field, Code::value_count,
                  fmt::format("the table has shape ({}), but the layout has ({})",
                              fmt::join(table->shape, ","), fmt::join(layout->shape(), ",")));
  auto difference = offsets ? compare_offsets(*layout, table->values)
                            : compare_gather(*layout, table->values, request.gather_from);
  if (!difference) return refuse(field, std::move(difference.error()));
  return EqualResult(request, TableEquality{*layout, offsets, *std::move(difference)});
}

Result<PlacedSide> side_of(const PlacedLayout& placed, const PlacedSide* other) {
  if (placed.mesh || placed.triton) return fail(layout_side(placed).error());
  if (placed.axe) return placed_side(*placed.axe);
  if (placed.sized)
    return fail(Code::missing_attribute, layout_side(placed).error().message, {},
                "write numbers: Axe layouts are compared without names of sizes");
  if (placed.plain.layout) return placed_side(*placed.plain.layout, other);
  return fail(Code::not_applicable, "the elements are not cells, so they have no places to compare");
}

// Two placements: sets of places for each index, or the texts.
Result<EqualResult> with_places(const EqualRequest& request) {
  if (!request.where.empty() || !request.size.empty())
    return refuse(request.where.empty() ? "size" : "where", Code::bad_option,
                  "Axe layouts are compared without names of sizes", "leave it out, and write numbers");
  auto read_a = Reading<PlacedLayout>::read(request.a);
  if (!read_a) return unreadable("a", std::move(read_a.error()));
  auto read_b = Reading<PlacedLayout>::read(*request.b);
  if (!read_b) return unreadable("b", std::move(read_b.error()));
  // The side of an Axe layout says whether the other one counts threads.
  const bool first = read_a->axe.has_value();
  auto one = side_of(first ? *read_a : *read_b, nullptr);
  if (!one) return unreadable(first ? "a" : "b", std::move(one.error()));
  auto other = side_of(first ? *read_b : *read_a, &*one);
  if (!other) return unreadable(first ? "b" : "a", std::move(other.error()));
  PlacedSide a = *std::move(first ? one : other);
  PlacedSide b = *std::move(first ? other : one);
  PlacementEquality found;
  if (request.notion == EqualityNotion::map)
    found = tessera::equal(a.compared(), b.compared());
  else if (read_a->axe != read_b->axe || !read_a->axe)
    found = {.verdict = Verdict::no, .reason = "text"};
  return EqualResult(request, PlacedEquality{std::move(a), std::move(b), std::move(found)});
}

// Refuses numbers for names that neither the layouts nor the assumptions have.
Result<void> check_names(const EqualRequest& request, std::vector<std::string> names) {
  const Result<symbolic::AssumptionList> where = assumptions_of(request.where, {});
  if (where) names = where->names(std::move(names));
  for (std::size_t i = 0; i < request.size.size(); ++i) {
    for (const SizeRange& one : request.size[i].values) {
      if (std::ranges::find(names, one.name) != names.end()) continue;
      return unreadable(
          "size",
          {.code = Code::unknown_name,
           .message = fmt::format("the layouts have no size {}", one.name),
           .help = names.empty() ? "leave it out" : fmt::format("they have {}", fmt::join(names, ", "))},
          i);
    }
  }
  return {};
}

// Both layouts with names for sizes: nothing if they have none, or no such texts.
std::optional<Result<EqualResult>> for_all_sizes(const EqualRequest& request) {
  if (request.notion != EqualityNotion::map || request.ignore_unit_dims) return std::nullopt;
  if (!request.where.empty() && (is_named_text(request.a) || is_named_text(*request.b)))
    return refuse("where", Code::bad_option, "--where is not for named layouts",
                  "write sizes in braces and give their values: 'scale:128x4 u8[{M},4]' --sizes M=1:300");
  Result<symbolic::AssumptionList> where = assumptions_of(request.where, request.size);
  if (!where) return Result<EqualResult>(fail(std::move(where.error())));
  if (request.sizes) where->append(symbolic::assumptions_of(request.sizes->value));
  // Unknowns of the second text go on counting: each is a number of its own.
  const std::size_t unused = symbolic::first_unknown(request.a + ' ' + *request.b);
  Result<symbolic::SymbolicLayout> a = symbolic::parse_with_unknowns(request.a, unused);
  Result<symbolic::SymbolicLayout> b =
      symbolic::parse_with_unknowns(*request.b, unused + symbolic::unknown_count(request.a));
  const bool asked = !request.where.empty() || !request.size.empty() ||
                     symbolic::has_assumptions(request.a) || symbolic::has_assumptions(*request.b);
  const bool named = (a && !a->names().empty()) || (b && !b->names().empty());
  // A text with a mistake after a name is not one of numbers: its error is here.
  for (const bool first : {true, false}) {
    const Result<symbolic::SymbolicLayout>& side = first ? a : b;
    if (asked || side) continue;
    const auto read = Reading<PlacedLayout>::read(first ? request.a : *request.b);
    if (!read && read.error().message == side.error().message)
      return unreadable(first ? "a" : "b", read.error());
  }
  if (!asked && !(a && b && named)) return std::nullopt;
  if (!a) return unreadable("a", a.error());
  if (!b) return unreadable("b", b.error());
  for (const bool first : {true, false}) {
    const std::string& text = first ? request.a : *request.b;
    if (asked || symbolic::has_unknowns(text)) continue;
    if (Result<void> good = is_no_mistyped_prefix(first ? *a : *b); !good)
      return unreadable(first ? "a" : "b", good.error());
  }
  a->come_from("a");
  b->come_from("b");
  std::vector<std::string> names = a->where().names(a->names());
  for (const std::string& name : b->where().names(b->names())) names.push_back(name);
  if (Result<void> known = check_names(request, std::move(names)); !known)
    return Result<EqualResult>(fail(std::move(known.error())));
  Result<SizeAnswer> found = symbolic::equal(*a, *b, *where);
  if (!found) return bad_input_at("a", found.error());
  symbolic::AssumptionList all = a->where();
  all.append(b->where());
  all.append(*where);
  return EqualResult(request, SymbolicEquality{*std::move(found), all.text()});
}

// The notation of a text for the first sizes.
std::string first_word(const std::string& text, const SizedPair& pair) {
  std::vector<Index> values;
  for (const SizeRange& size : pair.sizes) values.push_back(size.first);
  const auto sized = SizedText::make(text, pair.sizes);
  const auto whole = sized ? sized->at(values) : Result<std::string>(fail(sized.error()));
  const auto side = whole ? parse_named_or_layout(*whole) : Result<NamedOrLayout>(fail(whole.error()));
  return side ? std::string(notation_word(*side)) : "a layout";
}

}  // namespace

int EqualResult::status() const {
  if (const auto* const table = std::get_if<TableEquality>(&value_)) return table->difference ? kNo : kDone;
  if (const auto* const sized = std::get_if<SizesEquality>(&value_))
    return status_of(sized->equality.equality.verdict);
  if (const auto* const symbolic = std::get_if<SymbolicEquality>(&value_)) return status_of(symbolic->answer);
  if (const auto* const placed = std::get_if<PlacedEquality>(&value_))
    return status_of(placed->equality.verdict);
  return status_of(std::get<PairEquality>(value_).equality.verdict);
}

std::string EqualResult::heading() const {
  const std::string_view notion = Words<EqualityNotion>::words[static_cast<std::size_t>(request_.notion)];
  if (const auto* const table = std::get_if<TableEquality>(&value_))
    return fmt::format("{} and a table of {}", to_string(table->layout.notation()),
                       table->offsets ? "offsets" : "the elements in memory order");
  if (const auto* const sized = std::get_if<SizesEquality>(&value_))
    return fmt::format("{} and {}, compared as {}", first_word(sized->pair.a, sized->pair),
                       first_word(sized->pair.b, sized->pair), notion);
  if (const auto* const symbolic = std::get_if<SymbolicEquality>(&value_))
    return fmt::format("compared as map for all sizes{}; indices in row-major order",
                       symbolic->where.empty() ? "" : " with " + symbolic->where);
  if (std::holds_alternative<PlacedEquality>(value_))
    return request_.notion == EqualityNotion::map
               ? "placements, compared as sets of places; indices in row-major order"
               : fmt::format("placements, compared as {}", notion);
  const auto& [a, b, equality] = std::get<PairEquality>(value_);
  const bool values = request_.notion == EqualityNotion::map || request_.notion == EqualityNotion::storage;
  return fmt::format("{} and {}, compared as {}{}", notation_word(a), notation_word(b), notion,
                     values ? "; indices in row-major order" : "");
}

Result<std::string> EqualResult::to_text(const Terminal& /*terminal*/) const {
  if (const auto* const table = std::get_if<TableEquality>(&value_))
    return tessera::to_text(table->difference);
  if (const auto* const sized = std::get_if<SizesEquality>(&value_))
    return tessera::to_text(sized->pair, sized->equality);
  if (const auto* const symbolic = std::get_if<SymbolicEquality>(&value_)) return to_string(symbolic->answer);
  if (const auto* const placed = std::get_if<PlacedEquality>(&value_))
    return tessera::to_text(placed->a, placed->b, placed->equality);
  return to_string(std::get<PairEquality>(value_).equality);
}

Result<std::string> EqualResult::to_json() const {
  if (const auto* const table = std::get_if<TableEquality>(&value_))
    return tessera::to_json(table->layout, table->difference);
  if (const auto* const sized = std::get_if<SizesEquality>(&value_))
    return tessera::to_json(sized->pair, request_.notion, sized->equality);
  if (const auto* const symbolic = std::get_if<SymbolicEquality>(&value_))
    return tessera::to_json(request_.a, *request_.b, symbolic->where, symbolic->answer);
  if (const auto* const placed = std::get_if<PlacedEquality>(&value_))
    return tessera::to_json(placed->a, placed->b, to_string(request_.notion), status(), placed->equality);
  const auto& [a, b, equality] = std::get<PairEquality>(value_);
  if (a.layout && b.layout) return tessera::to_json(*a.layout, *b.layout, request_.notion, equality);
  return tessera::to_json(a, b, request_.notion, equality);
}

std::vector<std::string> EqualResult::hints() const {
  if (const auto* const symbolic = std::get_if<SymbolicEquality>(&value_)) return symbolic->answer.notes;
  if (!std::holds_alternative<PairEquality>(value_)) return {};
  return column_major_notes({request_.a, request_.b.value_or("")});
}

Result<EqualResult> equal(const EqualRequest& given, Observer& /*observer*/) {
  EqualRequest request = given;
  share_shape(request);
  if (!request.offsets.empty() || !request.gather.empty()) return with_table(request);
  if (!request.b)
    return refuse("", Code::bad_option, "B is missing", "give a second layout, or a table: --offsets FILE");
  if (request.sizes) {
    if (auto all = for_all_sizes(request)) return *std::move(all);
    return for_sizes(request);
  }
  if (!request.ignore_unit_dims && request.notion != EqualityNotion::storage &&
      (is_axe_text(request.a) || is_axe_text(*request.b)))
    return with_places(request);
  Result<NamedOrLayout> a = Reading<NamedOrLayout>::read(request.a);
  Result<NamedOrLayout> b = Reading<NamedOrLayout>::read(*request.b);
  if (!a || !b || !request.where.empty() || !request.size.empty()) {
    if (auto all = for_all_sizes(request)) return *std::move(all);
  }
  // Names in A are wrong only if B can be read, with or without names.
  if (!a && !b && symbolic::is_about_sizes(request.a) && !symbolic::is_about_sizes(*request.b))
    return unreadable("b", std::move(b.error()));
  if (!a) return unreadable("a", std::move(a.error()));
  if (!b) return unreadable("b", std::move(b.error()));
  auto equality = tessera::equal(*a, *b, request.notion, {.ignore_unit_dims = request.ignore_unit_dims});
  if (!equality) return refuse("a", std::move(equality.error()));
  return EqualResult(request, PairEquality{*std::move(a), *std::move(b), *std::move(equality)});
}

}  // namespace tessera::verbs
