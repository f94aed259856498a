// SPDX-License-Identifier: Apache-2.0
/// \file
/// A list that is usually short.
#pragma once

#include <cstddef>
#include <vector>

#include "base/inline_vector.h"

namespace tessera::detail {

/// A list of trivially copyable values for the time of one function. The first `kFew` need no memory: most
/// maps have a few variables, and to allocate a list of them takes as long as to fill it.
template <class T, std::size_t kFew = 16>
class SmallVector {
 public:
  SmallVector() = default;
  SmallVector(std::size_t count, T value) {
    for (std::size_t i = 0; i < count; ++i) push_back(value);
  }
  SmallVector(const SmallVector&) = delete;
  SmallVector& operator=(const SmallVector&) = delete;

  void push_back(T value) {
    if (few_.size() < kFew) return few_.push_back(value);
    if (many_.empty()) many_.assign(few_.begin(), few_.end());
    many_.push_back(value);
  }

  std::size_t size() const { return many_.empty() ? few_.size() : many_.size(); }
  bool empty() const { return few_.empty(); }
  T* data() { return many_.empty() ? few_.data() : many_.data(); }
  const T* data() const { return many_.empty() ? few_.data() : many_.data(); }
  T* begin() { return data(); }
  T* end() { return data() + size(); }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size(); }
  T& operator[](std::size_t i) { return data()[i]; }
  const T& operator[](std::size_t i) const { return data()[i]; }

 private:
  InlineVector<T, kFew> few_;
  std::vector<T> many_;  // all values, if there are more than kFew
};

}  // namespace tessera::detail
