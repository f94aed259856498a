// SPDX-License-Identifier: Apache-2.0
/// \file
/// The text of random Axe layouts.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

namespace tessera::laws {

/// `[(2,3):(1@m,4@p)]` of iterators with an extent and a stride. `axis_of` gives the name of an iterator's
/// axis.
template <class Iter, class AxisOf>
std::string iterators_text(const std::vector<Iter>& all, const AxisOf& axis_of) {
  std::vector<std::string> extents;
  std::vector<std::string> strides;
  for (const Iter& i : all) {
    extents.push_back(fmt::format("{}", i.extent));
    strides.push_back(fmt::format("{}@{}", i.stride, axis_of(i)));
  }
  return fmt::format("[({}):({})]", fmt::join(extents, ","), fmt::join(strides, ","));
}

}  // namespace tessera::laws
