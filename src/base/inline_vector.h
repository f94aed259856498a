// SPDX-License-Identifier: Apache-2.0
/// \file
/// A short list on the stack.
#pragma once

#include <array>
#include <cstddef>
#include <new>
#include <type_traits>

namespace tessera::detail {

/// A vector of at most kCapacity trivially copyable values, stored inline. Storage stays uninitialized until
/// a value is added, because initializing it would take most of the time of a small plan or map. The caller
/// checks the capacity.
template <class T, std::size_t kCapacity>
class InlineVector {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  InlineVector() {}  // NOLINT: the storage stays uninitialized
  InlineVector(const InlineVector& other) { *this = other; }
  InlineVector& operator=(const InlineVector& other) {
    if (this == &other) return *this;
    size_ = 0;
    for (const T& value : other) push_back(value);
    return *this;
  }

  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  static constexpr std::size_t capacity() { return kCapacity; }
  T* data() { return begin(); }
  const T* data() const { return begin(); }
  T* begin() { return std::launder(reinterpret_cast<T*>(storage_)); }
  T* end() { return begin() + size_; }
  const T* begin() const { return std::launder(reinterpret_cast<const T*>(storage_)); }
  const T* end() const { return begin() + size_; }
  T& operator[](std::size_t k) { return begin()[k]; }
  const T& operator[](std::size_t k) const { return begin()[k]; }
  T& back() { return begin()[size_ - 1]; }

  void push_back(const T& value) { new (storage_ + sizeof(T) * size_++) T(value); }
  void clear() { size_ = 0; }
  void erase(std::size_t k) {
    for (std::size_t i = k + 1; i < size_; ++i) begin()[i - 1] = begin()[i];
    --size_;
  }
  T take(std::size_t k) {
    const T value = begin()[k];
    erase(k);
    return value;
  }

 private:
  alignas(T) std::byte storage_[sizeof(T) * kCapacity];  // NOLINT(modernize-avoid-c-arrays)
  std::size_t size_ = 0;
};

}  // namespace tessera::detail
