// SPDX-License-Identifier: Apache-2.0
/// \file
/// isl's objects as values, and its context. Empty unless isl is built in.
#pragma once

#ifdef TESSERA_HAVE_ISL

#include <fmt/core.h>
#include <isl/aff.h>
#include <isl/ctx.h>
#include <isl/options.h>
#include <isl/point.h>
#include <isl/set.h>
#include <isl/space.h>
#include <isl/val.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

namespace tessera::detail {

/// Owns one reference to an isl object. isl functions consume and return references; `take` gives up this
/// reference, `copy` creates a new one.
template <class T, T* (*copy_of)(T*), T* (*free_of)(T*)>
class IslReference {
 public:
  IslReference() = default;
  explicit IslReference(T* object) : object_(object) {}
  IslReference(const IslReference& other) : object_(other.copy()) {}
  IslReference(IslReference&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  IslReference& operator=(IslReference other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~IslReference() { free_of(object_); }

  explicit operator bool() const { return object_ != nullptr; }
  T* get() const { return object_; }
  T* copy() const { return copy_of(object_); }
  T* take() { return std::exchange(object_, nullptr); }

 private:
  T* object_ = nullptr;
};

/// isl declares its functions with attributes that template arguments must not have, so these wrappers are
/// plain functions.
template <class T>
struct IslCalls;
#define TESSERA_ISL_TYPE(type)                            \
  template <>                                             \
  struct IslCalls<type> {                                 \
    static type* copy(type* o) { return type##_copy(o); } \
    static type* free(type* o) {                          \
      type##_free(o);                                     \
      return nullptr;                                     \
    }                                                     \
  }
TESSERA_ISL_TYPE(isl_set);
TESSERA_ISL_TYPE(isl_pw_aff);
TESSERA_ISL_TYPE(isl_aff);
TESSERA_ISL_TYPE(isl_space);
TESSERA_ISL_TYPE(isl_point);
TESSERA_ISL_TYPE(isl_val);
#undef TESSERA_ISL_TYPE

template <class T>
using Isl = IslReference<T, IslCalls<T>::copy, IslCalls<T>::free>;

/// An isl context that never prints and stops after a number of operations.
class IslContext {
 public:
  explicit IslContext(unsigned long max_operations) : ctx_(isl_ctx_alloc()), max_operations_(max_operations) {
    isl_options_set_on_error(ctx_, ISL_ON_ERROR_CONTINUE);
    isl_ctx_set_max_operations(ctx_, max_operations);
  }
  IslContext(const IslContext&) = delete;
  IslContext& operator=(const IslContext&) = delete;
  ~IslContext() { isl_ctx_free(ctx_); }

  isl_ctx* get() const { return ctx_; }
  /// Resets the count of operations, for at most `share` of them.
  void refill(unsigned long share = std::numeric_limits<unsigned long>::max()) {
    isl_ctx_reset_operations(ctx_);
    isl_ctx_set_max_operations(ctx_, std::min(share, max_operations_));
  }
  std::string why() const {
    if (isl_ctx_last_error(ctx_) == isl_error_quota) {
      return fmt::format("isl reached its limit of {} operations", max_operations_);
    }
    return "isl could not decide";
  }

 private:
  isl_ctx* ctx_;
  unsigned long max_operations_;
};

}  // namespace tessera::detail

#endif
