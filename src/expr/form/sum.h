// SPDX-License-Identifier: Apache-2.0
/// \file
/// A linear form under construction.
#pragma once

#include <cstring>

#include "expr/form/workspace.h"

namespace tessera::detail {

/// A constant and sorted terms in a buffer. Arithmetic is checked: after an overflow, `overflowed` is true
/// and `intern` gives Workspace::overflow, so that no wrapped value is ever interned. -2^63 counts as an
/// overflow, so that every number in a sum can be negated.
class Sum {
 public:
  explicit Sum(Workspace& workspace) : workspace_(&workspace) {}
  Sum(Workspace& workspace, const Form* form)
      : workspace_(&workspace), constant_(form->constant), overflowed_(form->overflow) {
    append_all(form->terms());
  }
  Sum(const Sum& other) : workspace_(other.workspace_) { *this = other; }
  Sum& operator=(const Sum& other) {
    if (this == &other) return *this;
    size_ = 0;
    append_all(other.terms());
    constant_ = other.constant_;
    overflowed_ = other.overflowed_;
    return *this;
  }

  void add_constant(Index value) {
    overflowed_ |= add_overflows(constant_, value, constant_) || constant_ == kIndexMin;
  }
  void add(Index factor, const Form* form);
  void add(Index factor, const Sum& other) {
    overflowed_ |= other.overflowed_;
    add(factor, other.constant_, other.terms());
  }
  void add(Index factor, const FormAtom* atom);
  void add(Index factor, Index constant, std::span<const Term> terms);
  void scale(Index factor);
  void clear() {
    size_ = 0;
    constant_ = 0;
    overflowed_ = false;
  }
  /// Appends a term after all others; the caller knows that the order holds and that factor != 0.
  void append(Index factor, const FormAtom* atom) {
    reserve(size_ + 1);
    terms_[size_++] = {factor, atom};
  }
  /// Removes an atom and returns its coefficient.
  Index take(const FormAtom* atom);

  Index coefficient(const FormAtom* atom) const;
  Index constant() const { return constant_; }
  void set_constant(Index value) { constant_ = value; }
  std::span<const Term> terms() const { return {terms_, size_}; }
  std::size_t size() const { return size_; }
  bool overflowed() const { return overflowed_; }

  const Form* intern() const {
    return overflowed_ ? workspace_->overflow() : workspace_->intern(constant_, terms());
  }

 private:
  static constexpr std::uint32_t kInline = 12;
  void reserve(std::size_t count) {
    if (count > capacity_) [[unlikely]]
      grow(count);
  }
  void grow(std::size_t count);
  void remove(std::size_t at);
  void append_all(std::span<const Term> terms) {
    reserve(size_ + terms.size());
    if (!terms.empty()) std::memcpy(terms_ + size_, terms.data(), terms.size_bytes());
    size_ += static_cast<std::uint32_t>(terms.size());
  }

  Workspace* workspace_;
  Term* terms_ = inline_;
  std::uint32_t size_ = 0;
  std::uint32_t capacity_ = kInline;
  Index constant_ = 0;
  bool overflowed_ = false;
  Term inline_[kInline];
};

/// The t for which form = t * F + rest and the rest has no term of F; 0 if there is none.
Index multiple_of(std::span<const Term> form, const Form* f);
/// form - t * (F - value), which is the same function if F = value; null if that overflows.
const Form* without_multiple(Workspace& ws, const Form* form, Index t, const Form* f, Index value);
/// a * x + b * y + c.
const Form* weighted_sum(Workspace& ws, Index a, const Form* x, Index b, const Form* y, Index c = 0);
/// a * x + c.
const Form* affine(Workspace& ws, Index a, const Form* x, Index c = 0);

}  // namespace tessera::detail
