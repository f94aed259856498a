// SPDX-License-Identifier: Apache-2.0
/// \file
/// What is known about called computations and loops, worked out once for all calls and threads.
#pragma once

#include <memory>
#include <unordered_map>
#include <utility>

#include "base/mutex.h"

namespace tessera::detail {

/// Values by owner and key. Each is made once: a thread that needs what another one is making waits for it.
/// Making a value may need those of other owners, but not one that needs this owner again: computations and
/// loops that call each other are nested, never a circle. Values stay where they are.
template <class Owner, class Key, class Value>
class MadeOnce {
 public:
  template <class Make>
  const Value& get(const Owner& owner, Key key, const Make& make) {
    OfOwner& of = of_owner(owner);
    const MutexLock lock(of.mutex);
    if (const auto found = of.values.find(key); found != of.values.end()) return found->second;
    Value value = make();
    return of.values.emplace(std::move(key), std::move(value)).first->second;
  }

 private:
  struct OfOwner {
    Mutex mutex;
    std::unordered_map<Key, Value> values;
  };

  OfOwner& of_owner(const Owner& owner) {
    const MutexLock lock(mutex_);
    std::unique_ptr<OfOwner>& of = owners_[&owner];
    if (of == nullptr) of = std::make_unique<OfOwner>();
    return *of;
  }

  Mutex mutex_;
  std::unordered_map<const Owner*, std::unique_ptr<OfOwner>> owners_;
};

}  // namespace tessera::detail
