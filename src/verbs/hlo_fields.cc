// SPDX-License-Identifier: Apache-2.0
// The values of the fields of HloRequest.
#include <fmt/format.h>

#include <charconv>
#include <cstdlib>

#include "hlo/time/chips.h"
#include "verbs/byte_size.h"
#include "verbs/hlo.h"

namespace tessera::verbs {

Result<ProgramName> FieldType<ProgramName>::read(std::string_view text) {
  if (text.empty()) return fail(Code::bad_option, "the name is empty");
  return ProgramName{std::string(text)};
}

Result<GigabytesPerSecond> FieldType<GigabytesPerSecond>::read(std::string_view text) {
  // libc++ has no std::from_chars of floating-point numbers.
  const std::string own(text);
  char* end = nullptr;
  const double value = std::strtod(own.c_str(), &end);
  const bool whole = !own.empty() && end == own.c_str() + own.size();
  if (whole && value >= 0.001 && value <= 1e6) return GigabytesPerSecond{value};
  return fail(Code::bad_option, fmt::format("'{}' is not a number from 0.001 to 1000000", text));
}

Json FieldType<GigabytesPerSecond>::schema() {
  return {{"oneOf", {{{"type", "number"}, {"minimum", 0.001}, {"maximum", 1e6}}, {{"type", "string"}}}}};
}

Result<OnChip> FieldType<OnChip>::read(std::string_view text) {
  std::string help;
  for (const detail::Chip& chip : detail::known_chips())
    if (chip.on_chip) help += (help.empty() ? "" : ", ") + chip.name;
  help = fmt::format("give bytes, such as 50M, or a chip of which they are known: {}", help);
  for (const detail::Chip& chip : detail::known_chips()) {
    if (chip.name != text) continue;
    if (chip.on_chip) return OnChip{*chip.on_chip, chip.on_chip_source};
    return fail(Code::bad_option, fmt::format("how many bytes fit on the chip '{}' is not known", text), {},
                help);
  }
  if (text == "cpu")
    return fail(Code::bad_option, "of 'cpu', this machine, only the bandwidth is measured", {}, help);
  const std::optional<Index> bytes = parse_byte_size(text);
  if (!bytes || *bytes == 0)
    return fail(Code::bad_option, fmt::format("'{}' is neither a number of bytes nor a known chip", text), {},
                help);
  return OnChip{*bytes, {}};
}

Result<RuntimeSetting> FieldType<RuntimeSetting>::read(std::string_view text) {
  const std::size_t equals = text.find('=');
  RuntimeSetting out;
  if (equals != std::string_view::npos && equals > 0) {
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data() + equals + 1, end, out.value);
    out.name = text.substr(0, equals);
    if (error == std::errc() && stop == end) return out;
  }
  return fail(Code::bad_option, fmt::format("'{}' is not NAME=INTEGER", text), {}, "--set rt0=20");
}

std::optional<TilingRule> HloRequest::rule() const {
  if (!padding) return std::nullopt;
  const Result<TilingRule> named =
      parse_tiling_rule(Words<PaddingRule>::words[static_cast<std::size_t>(*padding)]);
  return named ? std::optional(*named) : std::nullopt;
}

}  // namespace tessera::verbs
