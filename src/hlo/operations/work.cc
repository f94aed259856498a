// SPDX-License-Identifier: Apache-2.0
#include "hlo/operations/work.h"

#include <algorithm>
#include <utility>

#include "base/saturating.h"
#include "map/image/image_union.h"

namespace tessera::detail {

std::string_view to_string(OperationKind kind) {
  switch (kind) {
    case OperationKind::product:
      return "product";
    case OperationKind::arithmetic:
      return "arithmetic";
    case OperationKind::transcendental:
      break;
  }
  return "transcendental";
}

Count product_of(const Count& a, const Count& b) {
  if (a.upper == Index{0} || b.upper == Index{0}) return {0, 0};
  Count out{saturating_mul(a.lower, b.lower), std::nullopt, a.reason.empty() ? b.reason : a.reason};
  if (a.upper && b.upper) out.upper = checked_mul(*a.upper, *b.upper);
  if (out.exact()) {
    out.reason.clear();
  } else if (out.reason.empty()) {
    out.reason = "the number exceeds 64 bits";
  }
  return out;
}

Count either_of(const Count& a, const Count& b) {
  Count out{std::min(a.lower, b.lower), std::nullopt, a.reason.empty() ? b.reason : a.reason};
  if (a.upper && b.upper) out.upper = std::max(*a.upper, *b.upper);
  if (out.exact()) {
    out.reason.clear();
  } else if (out.reason.empty()) {
    out.reason = "the branch is chosen at run time";
  }
  return out;
}

void Work::add(OperationKind kind, DType type, Count count) {
  if (count.upper == Index{0}) return;
  const auto [found, is_new] = counts_.try_emplace({kind, type}, count);
  if (!is_new) found->second = sum(found->second, count);
}

void Work::add(const Work& other) {
  for (const auto& [key, count] : other.counts_) add(key.first, key.second, count);
  if (unknown_.empty()) unknown_ = other.unknown_;
}

void Work::add_unknown(std::string reason) {
  if (unknown_.empty()) unknown_ = std::move(reason);
}

Work Work::times(const Count& runs) const {
  Work out;
  if (runs.upper == Index{0}) return out;
  for (const auto& [key, count] : counts_) out.add(key.first, key.second, product_of(count, runs));
  out.unknown_ = unknown_;
  return out;
}

Work Work::either(const Work& a, const Work& b) {
  Work out;
  const auto of = [](const Work& work, const Key& key) {
    const auto found = work.counts_.find(key);
    return found == work.counts_.end() ? Count{0, 0} : found->second;
  };
  for (const auto& [key, count] : a.counts_) out.add(key.first, key.second, either_of(count, of(b, key)));
  for (const auto& [key, count] : b.counts_)
    if (!a.counts_.contains(key)) out.add(key.first, key.second, either_of(Count{0, 0}, count));
  out.unknown_ = a.unknown_.empty() ? b.unknown_ : a.unknown_;
  return out;
}

template <class Takes>
Count Work::total(Takes takes) const {
  Count out{0, 0};
  for (const auto& [key, count] : counts_)
    if (takes(key)) out = sum(out, count);
  if (!unknown_.empty()) {
    out.upper.reset();
    out.reason = unknown_;
  }
  return out;
}

bool is_floating(DType type) {
  return dtype_class(type) == DTypeClass::floating || dtype_class(type) == DTypeClass::complex;
}

Count Work::flops() const {
  return total(
      [](const Key& key) { return key.first != OperationKind::transcendental && is_floating(key.second); });
}

Count Work::integer_operations() const {
  return total(
      [](const Key& key) { return key.first != OperationKind::transcendental && !is_floating(key.second); });
}

Count Work::transcendentals() const {
  return total([](const Key& key) { return key.first == OperationKind::transcendental; });
}

Count Work::operations() const {
  return total([](const Key& key) { return key.first != OperationKind::transcendental; });
}

bool Work::exact() const {
  return unknown_.empty() && std::ranges::all_of(counts_, [](const auto& x) { return x.second.exact(); });
}

std::string Work::reason() const {
  if (!unknown_.empty()) return unknown_;
  for (const auto& [key, count] : counts_)
    if (!count.exact()) return count.reason;
  return {};
}

}  // namespace tessera::detail
