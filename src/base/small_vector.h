// SPDX-License-Identifier: Apache-2.0
/// \file
/// A list that is usually short.
#pragma once

#include <cstddef>
#include <new>
#include <type_traits>
#include <vector>

namespace tessera::detail {

/// A list of trivially copyable values for the time of one function. The first `kFew` need no memory, and
/// their storage stays uninitialized: most maps have a few variables, and to allocate a list of them takes as
/// long as to fill it.
template <class T, std::size_t kFew = 16>
class SmallVector {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  SmallVector() {}  // NOLINT: the storage stays uninitialized
  SmallVector(std::size_t count, T value) : SmallVector() {
    for (std::size_t i = 0; i < count; ++i) push_back(value);
  }
  SmallVector(const SmallVector&) = delete;
  SmallVector& operator=(const SmallVector&) = delete;

  void push_back(T value) {
    if (size_ < kFew) {
      new (storage_ + sizeof(T) * size_) T(value);
    } else {
      if (size_ == kFew) many_.assign(data(), data() + kFew);
      many_.push_back(value);
    }
    ++size_;
  }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* data() { return size_ <= kFew ? std::launder(reinterpret_cast<T*>(storage_)) : many_.data(); }
  const T* data() const {
    return size_ <= kFew ? std::launder(reinterpret_cast<const T*>(storage_)) : many_.data();
  }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  T& operator[](std::size_t i) { return data()[i]; }
  const T& operator[](std::size_t i) const { return data()[i]; }

 private:
  alignas(T) std::byte storage_[sizeof(T) * kFew];  // NOLINT(modernize-avoid-c-arrays)
  std::size_t size_ = 0;
  std::vector<T> many_;  // all values, if there are more than kFew
};

}  // namespace tessera::detail
