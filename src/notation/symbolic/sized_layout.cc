// SPDX-License-Identifier: Apache-2.0
#include "tessera/notation/sized_layout.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/try.h"
#include "notation/symbolic/public_cases.h"
#include "notation/symbolic/symbolic_answers.h"
#include "notation/symbolic/symbolic_equality.h"
#include "notation/symbolic/symbolic_text.h"
#include "notation/symbolic/unknown_sizes.h"
#include "size/question.h"

namespace tessera {
namespace {

symbolic::AssumptionList public_list(const SizeAssumptions& where) {
  return where.list() == nullptr ? symbolic::AssumptionList() : *where.list();
}

}  // namespace

const std::string& SizedLayout::text() const { return terms_->text(); }

std::vector<std::string> SizedLayout::names() const { return terms_->names(); }

Result<Layout> SizedLayout::at(const SizeMap& sizes) const {
  symbolic::Sizes numbers;
  for (const auto& [name, value] : sizes) numbers[name] = value;
  for (const std::string& name : terms_->where().names(terms_->names())) {
    if (numbers.contains(name)) continue;
    return fail(Code::missing_attribute, fmt::format("{} has no number", name), {},
                fmt::format("give one for each of the names, as in {{{{\"{}\", 64}}}}", name));
  }
  if (!terms_->where().holds(numbers)) return fail(symbolic::no_sizes(terms_->where()));
  const auto text = terms_->text_at(numbers);
  if (!text) return fail(Code::bad_extent, "a term of the layout has no number for these sizes");
  return parse_layout(*text);
}

Result<SizedLayout> parse_sized_layout(std::string_view text) {
  TESSERA_TRY(terms, symbolic::parse_with_unknowns(text));
  return SizedLayout(std::make_shared<const symbolic::SymbolicLayout>(std::move(terms)));
}

std::string to_string(const SizedLayout& layout) { return symbolic::canonical(layout.terms()); }

Result<SizeAnswer> equal(const SizedLayout& a, const SizedLayout& b, const SizeAssumptions& where) {
  return symbolic::equal(a.terms(), b.terms(), public_list(where));
}

Result<SizeCases> convert(const SizedLayout& layout, Notation to, const SizeAssumptions& where) {
  TESSERA_TRY(all, symbolic::convert(layout.terms(), to, public_list(where)));
  return symbolic::public_cases(all.answers[0], all.notes);
}

Result<SizeCases> offset_at(const SizedLayout& layout, std::string_view index, const SizeAssumptions& where) {
  TESSERA_TRY(all, symbolic::offset_at(layout.terms(), std::string(index), public_list(where)));
  return symbolic::public_cases(all.answers[0], all.notes);
}

}  // namespace tessera
