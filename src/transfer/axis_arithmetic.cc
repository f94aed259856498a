// SPDX-License-Identifier: Apache-2.0
#include "transfer/axis_arithmetic.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "text/size_arithmetic.h"

namespace tessera::transfer {
namespace {

Result<Index> config_value(const std::string& key, const std::string& axis, const Json* config) {
  const Json* at = config;
  for (std::size_t begin = 0; at != nullptr && begin <= key.size();) {
    const std::size_t end = std::min(key.find('.', begin), key.size());
    const auto found = at->is_object() ? at->find(key.substr(begin, end - begin)) : at->end();
    at = at->is_object() && found != at->end() ? &*found : nullptr;
    begin = end + 1;
  }
  if (at == nullptr || at->is_null()) {
    return fail(Code::unknown_name,
                config != nullptr ? fmt::format("config.json has no '{}'", key)
                                  : fmt::format("there is no config.json with '{}'", key),
                {}, fmt::format("give the size of the axis: --set {}=N", axis));
  }
  if (at->is_number_unsigned() && at->get<std::uint64_t>() <= static_cast<std::uint64_t>(kIndexMax))
    return static_cast<Index>(at->get<std::uint64_t>());
  return fail(Code::bad_file, fmt::format("'{}' in config.json is not a count", key));
}

}  // namespace

Result<Index> axis_arithmetic(std::string_view text, const std::string& axis, const Json* config,
                              const std::function<Result<Index>(const std::string&)>& size_of) {
  const std::string subject = fmt::format("axis '{}'", axis);
  const detail::SizeNames names = {
      .size_of = size_of,
      .key_of = [&](const std::string& key) { return config_value(key, axis, config); },
      .exact_division = true,
      .subject = subject,
      .help = "write + - * / between numbers, axes and $keys of config.json"};
  std::optional<Diagnostic> first;
  while (true) {
    const std::size_t bar = std::min(text.find('|'), text.size());
    auto value = detail::size_arithmetic(text.substr(0, bar), names);
    if (value || value.error().code != Code::unknown_name) return value;
    if (!first) first = value.error();
    if (bar == text.size()) return fail(*first);
    text.remove_prefix(bar + 1);
  }
}

}  // namespace tessera::transfer
