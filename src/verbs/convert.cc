// SPDX-License-Identifier: Apache-2.0
#include "verbs/convert.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "report/exit_status.h"
#include "verbs/column_major.h"

namespace tessera::verbs {
namespace {

constexpr std::string_view kDigits = "digits";

std::vector<std::string> targets() {
  std::vector<std::string> words;
  for (const Notation notation : all_notations()) words.emplace_back(to_string(notation));
  words.emplace_back(kDigits);
  return words;
}

// The input is valid, but the target cannot express it.
Failure refused(const ConvertRequest& request, Diagnostic error) {
  error.span = {0, static_cast<std::uint32_t>(request.layout.text.size())};
  if (error.code == Code::not_representable && error.help.empty())
    error.help = "--to map can express any quasi-affine layout";
  if (status_of(error) == kBadInput) error.status = kNo;
  return refuse("layout", std::move(error));
}

}  // namespace

Result<ConversionTarget> FieldType<ConversionTarget>::read(std::string_view text) {
  if (text == kDigits) return ConversionTarget{};
  // Prefixes and long names are other spellings: np, numpy.
  if (const std::optional<Notation> notation = parse_notation(text)) return ConversionTarget{notation};
  return fail(Code::bad_option, fmt::format("'{}' is not one of {}", text, fmt::join(targets(), ", ")),
              Span{0, static_cast<std::uint32_t>(text.size())});
}

Json FieldType<ConversionTarget>::to_json(const ConversionTarget& value) {
  return value.notation ? to_string(*value.notation) : kDigits;
}

Json FieldType<ConversionTarget>::schema() { return {{"type", "string"}, {"examples", targets()}}; }

std::string_view FieldType<ConversionTarget>::words() {
  static const std::string kWords = fmt::format("{}", fmt::join(targets(), "|"));
  return kWords;
}

int ConvertResult::status() const { return kDone; }

std::string ConvertResult::heading() const {
  const std::string from = reading_text(request_.layout.value) + " -> ";
  const auto* const one = std::get_if<ConversionAnswer>(&value_);
  if (one == nullptr) return from + "all notations";
  return one->digits ? from + "digits: dimension,div,ext,stride"
                     : from + reading_text(one->conversion->layout);
}

Result<std::string> ConvertResult::to_text(const Terminal& /*terminal*/) const {
  const auto* const one = std::get_if<ConversionAnswer>(&value_);
  if (one == nullptr) return tessera::to_text(std::get<std::vector<NotationAnswer>>(value_));
  if (one->digits) return to_string(*one->digits);
  std::string text = to_string(one->conversion->layout);
  for (std::size_t i = 1; i < one->all.size(); ++i) text += "\n" + to_string(one->all[i]);
  return text;
}

Result<std::string> ConvertResult::to_line() const {
  std::vector<std::string> parts;
  if (const auto* const one = std::get_if<ConversionAnswer>(&value_)) {
    if (one->digits) return to_string(*one->digits);
    parts.push_back(to_string(one->conversion->layout));
    for (std::size_t i = 1; i < one->all.size(); ++i) parts.push_back(to_string(one->all[i]));
  } else {
    for (const NotationAnswer& each : std::get<std::vector<NotationAnswer>>(value_))
      if (each.conversion) parts.push_back(to_prefixed_string(each.conversion->layout));
  }
  return fmt::format("{}", fmt::join(parts, " | "));
}

Result<std::string> ConvertResult::to_json() const {
  const auto* const one = std::get_if<ConversionAnswer>(&value_);
  if (one == nullptr)
    return tessera::to_json(request_.layout.value, std::get<std::vector<NotationAnswer>>(value_));
  const std::string_view to = one->digits ? kDigits : to_string(*request_.to->notation);
  return tessera::to_json(request_.layout.value, to, *one);
}

std::vector<std::string> ConvertResult::notes() const {
  const auto* const one = std::get_if<ConversionAnswer>(&value_);
  return one != nullptr && one->conversion ? notes_of(*one->conversion) : std::vector<std::string>{};
}

std::vector<std::string> ConvertResult::hints() const { return column_major_notes({request_.layout.text}); }

Result<ConvertResult> convert(const ConvertRequest& request, Observer& /*observer*/) {
  const Layout& from = request.layout.value;
  if (!request.to) return ConvertResult(request, in_all_notations(from));
  if (!request.to->notation) {
    const Result<Digits> digits = to_digits(from);
    if (!digits) return refused(request, digits.error());
    return ConvertResult(request, ConversionAnswer{.digits = *digits});
  }
  auto conversion = tessera::convert(from, *request.to->notation);
  if (!conversion) return refused(request, conversion.error());
  ConversionAnswer answer{.conversion = *std::move(conversion)};
  if (request.all) {
    auto all = spellings(from, *request.to->notation);
    if (!all) return refused(request, all.error());
    answer.all = *std::move(all);
  }
  return ConvertResult(request, std::move(answer));
}

}  // namespace tessera::verbs
