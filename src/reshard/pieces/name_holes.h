// SPDX-License-Identifier: Apache-2.0
/// \file
/// The axes in the names of stored tensors: `experts.{e}.w1`, `layers.{l:02}`.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tessera/base/index.h"

namespace tessera::detail {

/// A hole of a name: `{axis}`, or `{axis:02}` for a number of at least two digits.
struct NameHole {
  std::size_t begin = 0;
  std::size_t end = 0;  ///< after the brace; npos if it is not closed
  std::string axis;
  std::size_t digits = 0;
};

/// The holes of a name, in order.
inline std::vector<NameHole> name_holes(std::string_view name) {
  std::vector<NameHole> out;
  for (std::size_t at = name.find('{'); at != name.npos; at = name.find('{', at + 1)) {
    NameHole hole{at, name.npos, {}, 0};
    const std::size_t close = name.find('}', at);
    if (close != name.npos) {
      hole.end = close + 1;
      std::string_view text = name.substr(at + 1, close - at - 1);
      if (const std::size_t colon = text.find(':'); colon != text.npos) {
        for (const char c : text.substr(colon + 1)) {
          if (c >= '0' && c <= '9' && hole.digits < 100)
            hole.digits = hole.digits * 10 + static_cast<std::size_t>(c - '0');
        }
        text = text.substr(0, colon);
      }
      hole.axis = text;
    }
    out.push_back(std::move(hole));
  }
  return out;
}

/// The name with numbers in its holes. `value` returns the number of an axis, or nothing to keep the hole.
template <class Value>
std::string with_numbers(const std::string& name, const Value& value) {
  std::string out;
  std::size_t done = 0;
  for (const NameHole& hole : name_holes(name)) {
    if (hole.end == name.npos) break;
    const std::optional<Index> number = value(hole.axis);
    if (!number) continue;
    out += name.substr(done, hole.begin - done);
    out += fmt::format("{:0{}}", *number, hole.digits);
    done = hole.end;
  }
  return out + name.substr(done);
}

}  // namespace tessera::detail
