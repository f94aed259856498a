// SPDX-License-Identifier: Apache-2.0
/// \file
/// The state of values that are shared and immutable, for the folders that implement them.
#pragma once

namespace tessera::detail {

struct StateAccess {
  template <class T>
  static const typename T::State& of(const T& value) {
    return *value.state_;
  }
};

/// The state of a Layout, a RelayoutPlan or a ReshardPlan.
template <class T>
const typename T::State& state_of(const T& value) {
  return StateAccess::of(value);
}

}  // namespace tessera::detail
