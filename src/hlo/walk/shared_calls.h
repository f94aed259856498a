// SPDX-License-Identifier: Apache-2.0
/// \file
/// Values that several threads share and each of which is computed once.
#pragma once

#include <memory>
#include <unordered_map>
#include <utility>

#include "base/mutex.h"

namespace tessera::detail {

/// Values by owner and key. A thread that needs a value that another thread is computing waits for it.
/// Computing a value may request values of other owners, but these must not need this owner again. That holds
/// for computations and loops, because calls are nested and never recursive. References to values stay valid.
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
