// SPDX-License-Identifier: Apache-2.0
#include "hlo/time/chip.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include "hlo/analysis/copies.h"
#include "hlo/time/chips.h"

namespace tessera::detail {
namespace {

constexpr std::string_view kThisMachine = "cpu";

std::string names_of_chips() {
  std::string out;
  for (const Chip& chip : known_chips()) out += (out.empty() ? "" : ", ") + chip.name;
  return fmt::format("{}, {}", out, kThisMachine);
}

// Only what can be measured quickly.
Chip this_machine() {
  return {.name = std::string(kThisMachine),
          .title = "this machine",
          .source = "memory: a copy of 32 MiB, measured now",
          .bandwidth = measured_bandwidth()};
}

std::string chip_help() {
  return fmt::format(
      "give a name, {}, or rates for one second: --chip "
      "bandwidth=3.35T,bf16=989T,f32.arithmetic=67T,link=450G",
      names_of_chips());
}

// `3.35T`: at most 20 characters, so that it is no other notation of strtod.
std::optional<double> read_rate(std::string_view text) {
  static constexpr std::string_view kPrefixes = "KMGTP";
  double factor = 1;
  if (!text.empty()) {
    const std::size_t prefix = kPrefixes.find(text.back());
    if (prefix != std::string_view::npos) {
      for (std::size_t i = 0; i <= prefix; ++i) factor *= 1000;
      text.remove_suffix(1);
    }
  }
  const bool digits = !text.empty() && text.size() <= 20 &&
                      std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
  if (!digits) return std::nullopt;
  const std::string own(text);
  char* end = nullptr;
  const double value = std::strtod(own.c_str(), &end) * factor;
  if (end != own.c_str() + own.size() || !(value > 0) || value > 1e21) return std::nullopt;
  return value;
}

// Sets what `key` names; false if it names nothing.
bool set_rate(Chip& chip, std::string_view key, double value) {
  if (key == "bandwidth") {
    chip.bandwidth = value;
  } else if (key == "link") {
    chip.link = value;
  } else if (key == "memory") {
    chip.memory = value;
  } else {
    constexpr std::string_view kSuffix = ".arithmetic";
    const bool arithmetic = key.ends_with(kSuffix);
    if (arithmetic) key.remove_suffix(kSuffix.size());
    const auto type = parse_dtype(key);
    if (!type || !is_array_type(*type)) return false;
    chip.rates[{arithmetic ? OperationKind::arithmetic : OperationKind::product, *type}] = value;
  }
  return true;
}

}  // namespace

std::optional<double> Chip::rate(OperationKind kind, DType type) const {
  const auto of = [&](DType own) -> std::optional<double> {
    const auto found = rates.find({kind, own});
    return found == rates.end() ? std::nullopt : std::optional(found->second);
  };
  if (auto own = of(type)) return own;
  const bool floating = dtype_class(type) == DTypeClass::floating;
  if (type == DType::f16) return of(DType::bf16);
  if (type == DType::bf16) return of(DType::f16);
  if (type == DType::c64) return of(DType::f32);
  if (type == DType::c128) return of(DType::f64);
  if (type == DType::u8) return of(DType::s8);
  if (floating && bit_width(type) == 8) {
    for (const auto& [key, rate] : rates)
      if (key.first == kind && dtype_class(key.second) == DTypeClass::floating && bit_width(key.second) == 8)
        return rate;
  }
  return std::nullopt;
}

Result<Chip> read_chip(std::string_view text) {
  Chip out;
  std::size_t begin = 0;
  bool first = true;
  if (text.empty()) return fail(Code::bad_option, "the chip is empty", {}, chip_help());
  while (begin <= text.size()) {
    const std::size_t comma = std::min(text.find(',', begin), text.size());
    const std::string_view item = text.substr(begin, comma - begin);
    const Span span{static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(comma)};
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos) {
      const auto& chips = known_chips();
      const auto known =
          std::ranges::find(chips, item, [](const Chip& x) { return std::string_view(x.name); });
      const bool is_known = known != chips.end() || item == kThisMachine;
      if (!first && is_known)
        return fail(Code::bad_option, fmt::format("the name of a chip, '{}', comes first", item), span,
                    chip_help());
      if (!is_known)
        return fail(Code::bad_option, fmt::format("'{}' is not the name of a known chip", item), span,
                    chip_help());
      out = known != chips.end() ? *known : this_machine();
    } else {
      const auto value = read_rate(item.substr(equals + 1));
      if (!value)
        return fail(Code::bad_option,
                    fmt::format("'{}' is not a positive number such as 3.35T", item.substr(equals + 1)), span,
                    "K, M, G, T and P are powers of 1000");
      if (!set_rate(out, item.substr(0, equals), *value))
        return fail(Code::bad_option, fmt::format("'{}' is not a rate of a chip", item.substr(0, equals)),
                    span,
                    "the keys are bandwidth, link, memory, a type such as bf16 for the rate of its products, "
                    "and TYPE.arithmetic");
      if (!out.source.ends_with("as given"))
        out.source += out.source.empty() ? "as given" : ", else as given";
    }
    first = false;
    begin = comma + 1;
  }
  if (out.title.empty()) out.title = "a chip as given";
  return out;
}

}  // namespace tessera::detail
