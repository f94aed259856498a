// SPDX-License-Identifier: Apache-2.0
/// \file
/// Random instructions, with the elements that they need.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tessera/base/index.h"

namespace tessera::laws {

/// An element of a buffer.
using BufferElement = std::pair<std::size_t, Index>;

/// A value of a program: a name for elements of a buffer.
struct TrafficValue {
  std::string name;
  std::vector<Index> dims;
  std::vector<BufferElement> elements;  ///< row-major
  enum class Kind : std::uint8_t { computed, parameter, constant } kind = Kind::computed;

  std::size_t buffer() const { return elements.empty() ? ~std::size_t{0} : elements[0].first; }
};

/// An instruction: its line, the values that it reads, and for each element of the result the elements of
/// these values that it needs.
struct TrafficOp {
  std::string line;  ///< without the name and the type
  std::vector<Index> dims;
  std::vector<std::size_t> inputs;
  std::vector<std::vector<std::pair<std::size_t, Index>>> needs;  ///< (position in `inputs`, element)
  bool renames = false;                                           ///< only gives its input another name
  std::size_t updated = 0;  ///< elements of the update, if input 0 is updated in place or copied
  bool at_runtime = false;  ///< where it reads depends on a parameter
};

/// Values that an instruction may read, with the scalars for starts and the constant that reductions need.
struct TrafficScope {
  std::vector<TrafficValue> values;
  std::vector<std::size_t> arrays;                    ///< positions of f32 arrays of rank 1 or 2
  std::vector<std::pair<std::size_t, Index>> starts;  ///< positions of s32 scalars, and what they hold
  std::size_t zero = 0;
};

/// A random instruction over the values of a scope; a dynamic-update-slice only with `updates`.
TrafficOp random_traffic_op(std::mt19937_64& random, const TrafficScope& scope, bool updates);

/// The number of elements.
Index volume_of(const std::vector<Index>& dims);
/// `f32[2,3]{1,0}`.
std::string f32_text(const std::vector<Index>& dims);
/// A number of a closed interval.
Index one_between(std::mt19937_64& random, Index low, Index high);

}  // namespace tessera::laws
