// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <ostream>

#include "tessera/map/index_map.h"

namespace tessera {

std::string to_string(const IndexMap& map) {
  if (map.known_empty()) return "KNOWN EMPTY";
  const Domain& domain = map.domain();
  std::vector<std::string> names;
  names.reserve(domain.variable_count());
  for (std::size_t i = 0; i < domain.variable_count(); ++i) names.push_back(domain.name(i));
  const VariableNamer namer = [&names](Index number) { return names[static_cast<std::size_t>(number)]; };
  const auto list = [&names](std::size_t begin, std::size_t count) {
    return fmt::join(names.begin() + static_cast<std::ptrdiff_t>(begin),
                     names.begin() + static_cast<std::ptrdiff_t>(begin + count), ", ");
  };

  std::string out;
  const auto append = std::back_inserter(out);
  fmt::format_to(append, "({})", list(0, domain.dim_count()));
  if (domain.range_count() > 0)
    fmt::format_to(append, "[{}]", list(domain.dim_count(), domain.range_count()));
  if (domain.runtime_count() > 0) {
    fmt::format_to(append, "{{{}}}", list(domain.dim_count() + domain.range_count(), domain.runtime_count()));
  }
  out += " -> (";
  for (std::size_t i = 0; i < map.results().size(); ++i) {
    if (i > 0) out += ", ";
    out += to_string(map.results()[i], namer);
  }
  out += ")";
  const auto in_interval = [&](std::string_view what, Interval interval) {
    return fmt::format("{} in [{}, {}]", what, interval.lower, interval.upper);
  };
  std::string_view separator = ", domain: ";
  for (std::size_t i = 0; i < names.size(); ++i) {
    out += separator;
    out += in_interval(names[i], domain.variables()[i].bounds);
    separator = ", ";
  }
  std::vector<std::string> constraints;
  for (const Constraint& c : domain.constraints()) {
    constraints.push_back(in_interval(to_string(c.expr, namer), c.range));
  }
  std::ranges::sort(constraints);
  for (const std::string& c : constraints) {
    out += ", ";
    out += c;
  }
  return out;
}

std::ostream& operator<<(std::ostream& out, const IndexMap& map) { return out << to_string(map); }

}  // namespace tessera
