// SPDX-License-Identifier: Apache-2.0
#include "ttgir/types.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/try.h"
#include "notation/triton/make_attribute.h"
#include "notation/triton/triton_text.h"
#include "text/character_class.h"
#include "ttgir/limits.h"

namespace tessera::ttgir {
namespace {

// The alias that is the layout of a type, such as `#blocked` in `tensor<64xf16, #blocked>`.
std::string_view alias_in(std::string_view type) {
  const std::size_t comma = type.find(", #");
  if (comma == std::string_view::npos) return {};
  std::size_t end = comma + 3;
  while (end < type.size() && detail::is_word(type[end])) ++end;
  const char next = end < type.size() ? type[end] : '\0';
  return next == '>' || next == ',' ? type.substr(comma + 2, end - comma - 2) : std::string_view{};
}

}  // namespace

Result<TtgirTypes> TtgirTypes::make(const std::vector<TtgirLine>& lines) {
  TtgirTypes out;
  for (const TtgirLine& line : lines) {
    if (!line.text.starts_with("#")) continue;
    const std::size_t equal = line.text.find('=');
    if (equal == std::string_view::npos) continue;
    std::string_view name = line.text.substr(1, equal - 1);
    name = name.substr(0, name.find_last_not_of(' ') + 1);
    std::string_view value = line.text.substr(equal + 1);
    value.remove_prefix(std::min(value.find_first_not_of(' '), value.size()));
    const bool location = value.starts_with("loc(");
    const bool twice =
        out.locations_.contains(name) || out.broken_.contains(name) || out.aliases_.find(name) != nullptr;
    if (twice)
      return fail(Code::duplicate_name,
                  fmt::format("line {} defines the alias #{} again", line.number, name));
    if (location) {
      const std::size_t end = closing(value, 3);
      out.locations_[std::string(name)] =
          end == std::string_view::npos ? std::string_view{} : value.substr(4, end - 4);
      continue;
    }
    if (line.text.ends_with("shared_memory") || line.text.ends_with("#ttng.tensor_memory") ||
        line.text.ends_with("#triton_nvidia_gpu.tensor_memory")) {
      out.aliases_.add(name, nullptr);
      continue;
    }
    const bool known = value.starts_with("#");
    if (!known) {
      out.aliases_.add(name, nullptr);
      continue;
    }
    out.numbers_.emplace(name, out.layouts_.size());
    TtgirLayout& layout = out.layouts_.emplace_back();
    layout.name = fmt::format("#{}", name);
    const auto raw = triton::read_raw_text(value, out.aliases_);
    auto attribute =
        raw ? triton::make_attribute(*raw->attribute) : Result<TritonAttribute>(fail(raw.error()));
    if (attribute) {
      layout.layout = *std::move(attribute);
      out.aliases_.add(name, raw->attribute);
    } else {
      layout.error = attribute.error();
      out.broken_[std::string(name)] = name;
    }
  }
  return out;
}

const std::optional<Result<NamedType>>& TtgirTypes::type(std::string_view text) {
  const auto found = types_.find(text);
  if (found != types_.end()) return found->second;
  std::optional<Result<NamedType>>& out = types_[std::string(text)];
  const std::string whole = text.starts_with("<") ? "!ttg.memdesc" + std::string(text) : std::string(text);
  const std::string_view alias = alias_in(text);
  if (!alias.empty() && broken_.contains(alias.substr(1))) {
    out = Result<NamedType>(fail(*layouts_[numbers_.at(alias.substr(1))].error));
    return out;
  }
  auto raw = triton::read_raw_text(whole, aliases_);
  if (!raw && raw.error().code == Code::missing_layout) return out;
  const auto read = [&]() -> Result<NamedType> {
    if (!raw) return fail(raw.error());
    TESSERA_TRY(attribute, triton::make_attribute(*raw->attribute));
    TESSERA_TRY(layout, triton::typed_layout(*raw, std::move(attribute)));
    std::string name = alias.empty() ? to_string(layout.attribute) : std::string(alias);
    return NamedType{std::move(layout), std::move(name)};
  };
  out = read();
  return out;
}

Result<std::vector<NamedType>> TtgirTypes::types(std::string_view text) {
  std::vector<NamedType> out;
  for (const std::string_view one : tensor_types(types_of(text))) {
    const std::optional<Result<NamedType>>& found = type(one);
    if (!found) continue;
    if (!*found) return fail(found->error());
    out.push_back(**found);
  }
  return out;
}

std::optional<std::string> TtgirTypes::source(std::string_view location) const {
  for (int step = 0; step < kTtgirLimits.locations; ++step) {
    if (location.starts_with("#")) {
      const auto found = locations_.find(location.substr(1));
      if (found == locations_.end()) return std::nullopt;
      location = found->second;
      continue;
    }
    if (location.starts_with("callsite(")) {
      // The line of an inlined call is the caller's.
      const std::size_t at = location.rfind(" at ");
      if (at == std::string_view::npos) return std::nullopt;
      location = location.substr(at + 4, location.size() - at - 5);
      if (location.starts_with("loc(")) location = location.substr(4, location.size() - 5);
      continue;
    }
    if (location.starts_with("fused")) {
      const std::size_t open = location.find('[');
      if (open == std::string_view::npos) return std::nullopt;
      const std::size_t end = std::min(location.find_first_of(",]", open), location.size());
      location = location.substr(open + 1, end - open - 1);
      continue;
    }
    if (!location.starts_with("\"")) return std::nullopt;
    const std::size_t end = location.find('"', 1);
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view name = location.substr(1, end - 1);
    std::string_view rest = location.substr(end + 1);
    if (rest.starts_with(":")) {
      rest.remove_prefix(1);
      return fmt::format("{}:{}", name, rest.substr(0, rest.find(':')));
    }
    if (!rest.starts_with("(")) return std::nullopt;
    location = rest.substr(1, rest.size() - 2);
  }
  return std::nullopt;
}

}  // namespace tessera::ttgir
