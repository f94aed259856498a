// SPDX-License-Identifier: Apache-2.0
#include "verbs/sizes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "notation/symbolic/symbolic_answers.h"
#include "size/question.h"

namespace tessera::verbs {

Result<SizeValues> FieldType<SizeValues>::read(std::string_view text) {
  auto values = parse_size_ranges(text);
  if (!values) return fail(std::move(values.error()));
  for (const SizeRange& one : *values) {
    if (one.count() == 1) continue;
    return fail(Code::number_range, fmt::format("{} has more than one value", one.name),
                Span{0, static_cast<std::uint32_t>(text.size())},
                fmt::format("give one number, or assume an interval: --where '{} in [{}, {}]'", one.name,
                            one.first, one.last));
  }
  return SizeValues{*std::move(values), std::string(text)};
}

Result<symbolic::AssumptionList> assumptions_of(const std::string& where,
                                                const std::vector<SizeValues>& size) {
  symbolic::AssumptionList out;
  if (!where.empty()) {
    Result<symbolic::AssumptionList> own = symbolic::AssumptionList::parse(where);
    if (!own) return unreadable("where", own.error());
    out = *std::move(own);
    out.come_from("where");
  }
  std::vector<SizeRange> all;
  for (std::size_t i = 0; i < size.size(); ++i) {
    for (const SizeRange& one : size[i].values) {
      if (std::ranges::find(all, one.name, &SizeRange::name) != all.end())
        return unreadable(
            "size", {.code = Code::duplicate_name, .message = fmt::format("{} has two numbers", one.name)},
            i);
      all.push_back(one);
    }
    symbolic::AssumptionList numbers = symbolic::assumptions_of(size[i].values);
    numbers.come_from("size", static_cast<std::uint32_t>(i),
                      {0, static_cast<std::uint32_t>(size[i].text.size())});
    out.append(numbers);
  }
  return out;
}

Result<void> are_named(std::string_view subject, const std::vector<SizeValues>& size,
                       const std::vector<std::string>& names) {
  for (std::size_t i = 0; i < size.size(); ++i) {
    for (const SizeRange& one : size[i].values) {
      if (std::ranges::find(names, one.name) != names.end()) continue;
      return unreadable(
          "size",
          {.code = Code::unknown_name,
           .message = fmt::format("the {} has no size {}", subject, one.name),
           .help = names.empty() ? "leave it out" : fmt::format("it has {}", fmt::join(names, ", "))},
          i);
    }
  }
  return {};
}

Result<void> put_sizes(Given<PlacedLayout>& layout, const std::string& where,
                       const std::vector<SizeValues>& size, symbolic::AssumptionList& assumed) {
  Result<symbolic::AssumptionList> all = assumptions_of(where, size);
  if (!all) return fail(std::move(all.error()));
  assumed = *std::move(all);
  if (!layout.value.sized && (!where.empty() || !size.empty())) {
    auto sized = symbolic::SymbolicLayout::parse(layout.text);
    if (!sized) return unreadable("layout", std::move(sized.error()));
    layout.value.sized = *std::move(sized);
  }
  if (!layout.value.sized || size.empty()) return {};
  const symbolic::SymbolicLayout& sized = *layout.value.sized;
  symbolic::AssumptionList every = sized.where();
  every.append(assumed);
  const std::vector<std::string> names = every.names(sized.names());
  if (auto named = are_named("layout", size, sized.where().names(sized.names())); !named)
    return fail(std::move(named.error()));
  symbolic::Sizes at;
  for (const SizeValues& numbers : size) {
    for (const SizeRange& one : numbers.values) at[one.name] = one.first;
  }
  if (at.size() != names.size()) {
    // Numbers for some names; assumptions may be about them, too.
    auto partial = symbolic::SymbolicLayout::parse(sized.text_with(at));
    if (!partial) return unreadable("size", std::move(partial.error()));
    symbolic::AssumptionList rest = sized.where();
    rest.append(assumed);
    assumed = std::move(rest);
    layout.text = partial->text();
    layout.value.sized = *std::move(partial);
    return {};
  }
  if (!every.holds(at)) return bad_input_at("size", symbolic::no_sizes(every));
  const auto text = sized.text_at(at);
  if (!text)
    return unreadable(
        "size", {.code = Code::bad_extent, .message = "a term of the layout has no number for these sizes"});
  Result<PlacedLayout> numbers = Reading<PlacedLayout>::read(*text);
  if (!numbers) {
    Diagnostic error = std::move(numbers.error());
    error.message = fmt::format("{}: {}", *text, error.message);
    error.span = {};
    return unreadable("layout", std::move(error));
  }
  layout = {*std::move(numbers), *text};
  return {};
}

std::string sizes_text(const SizeMap& sizes) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : sizes) parts.push_back(fmt::format("{} = {}", name, value));
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace tessera::verbs
