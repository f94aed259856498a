// SPDX-License-Identifier: Apache-2.0
#include "tessera/notation/digits.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/check.h"
#include "base/index_walk.h"
#include "notation/digit_bounds.h"
#include "notation/digitize.h"
#include "notation/limits.h"
#include "notation/not_representable.h"

namespace tessera {

Digits Digits::normalized(std::vector<Index> box, Index base, std::vector<Digit> digits) {
  Digits form;
  form.box_ = std::move(box);
  if (form.empty_box()) return form;
  form.base_ = base;
  std::erase_if(digits, [&](const Digit& d) {
    // A digit whose div reaches the extent is always 0.
    return d.ext == 1 || d.div >= form.box_[static_cast<std::size_t>(d.dim)];
  });
  std::ranges::sort(digits, [](const Digit& a, const Digit& b) {
    return std::pair(a.dim, a.div) < std::pair(b.dim, b.div);
  });
  for (const Digit& digit : digits) {
    Digit* last = form.digits_.empty() ? nullptr : &form.digits_.back();
    Index next_stride = 0;
    if (last != nullptr && last->dim == digit.dim && !mul_overflows(last->stride, last->ext, next_stride) &&
        next_stride == digit.stride) {
      last->ext *= digit.ext;
    } else {
      form.digits_.push_back(digit);
    }
  }
  for (std::size_t i = 0; i < form.digits_.size(); ++i) {
    Digit& digit = form.digits_[i];
    const bool top = i + 1 == form.digits_.size() || form.digits_[i + 1].dim != digit.dim;
    if (top) digit.ext = ceil_div(form.box_[static_cast<std::size_t>(digit.dim)], digit.div);
  }
  return form;
}

std::span<const Digit> Digits::digits(std::size_t dim) const {
  const auto [first, last] = std::ranges::equal_range(digits_, static_cast<Index>(dim), {}, &Digit::dim);
  return {first, last};
}

bool Digits::empty_box() const { return std::ranges::find(box_, 0) != box_.end(); }

Index Digits::offset(std::span<const Index> index) const {
  Index sum = base_;
  for (const Digit& d : digits_) {
    // Avoids divisions, which take most of the time: most digits need none.
    Index value = index[static_cast<std::size_t>(d.dim)];
    if (d.div != 1) value /= d.div;
    if (value >= d.ext) value %= d.ext;
    sum += d.stride * value;
  }
  return sum;
}

Index Digits::digit_extent(std::size_t dim) const {
  const auto own = digits(dim);
  if (own.empty()) return box_[dim];
  return own.back().div * own.back().ext;
}

Interval Digits::image_bounds() const { return detail::offset_bounds(*this); }

IndexMap Digits::to_index_map() const {
  Expr sum = Expr::constant(0);
  for (std::size_t i = 0; i < digits_.size(); ++i) {
    const Digit& d = digits_[i];
    const bool top = i + 1 == digits_.size() || digits_[i + 1].dim != d.dim;
    Expr term = floor_div(Expr::variable(d.dim), d.div);
    if (!top) term = mod(term, d.ext);
    sum = sum + term * d.stride;
  }
  return IndexMap::make_unchecked(Domain::box(box_), {sum + base_});
}

std::string to_string(const Digits& digits) {
  std::vector<std::string> parts;
  for (const Digit& d : digits.digits())
    parts.push_back(fmt::format("{},{},{},{}", d.dim, d.div, d.ext, d.stride));
  std::string text = fmt::format("{}", fmt::join(parts, " "));
  if (text.empty()) return fmt::format("{}", digits.base());
  if (digits.base() == 0) return text;
  return fmt::format("{} + {}", digits.base(), text);
}

namespace {

// The offset as a function of one dimension, with all others 0, minus the base.
class Alone {
 public:
  Alone(std::size_t dim, std::span<const Index> box, Index base, const OffsetFunction& offset)
      : dim_(dim), extent_(box[dim]), base_(base), index_(box.size(), 0), offset_(&offset) {
    const Index known = std::min(extent_, detail::kNotationLimits.digit_table);
    for (Index x = 0; x < known; ++x) beginning_.push_back(ask(x));
  }

  Index extent() const { return extent_; }
  std::span<const Index> beginning() const { return beginning_; }

  Index operator()(Index x) {
    if (x < std::ssize(beginning_)) return beginning_[static_cast<std::size_t>(x)];
    if (x != last_) {
      value_ = ask(x);
      last_ = x;
    }
    return value_;
  }

 private:
  Index ask(Index x) {
    index_[dim_] = x;
    const OffsetFunction& offset = *offset_;
    return offset(index_) - base_;
  }

  std::size_t dim_;
  Index extent_;
  Index base_;
  std::vector<Index> index_;
  const OffsetFunction* offset_;
  std::vector<Index> beginning_;
  Index last_ = -1;
  Index value_ = 0;
};

// digitize() for the whole dimension, with a table of only its beginning.
std::optional<std::vector<Digit>> chain_of(Index dim, Alone& alone) {
  // A prefix of a chain is a chain, so if the prefix has none, the dimension has none.
  auto chain = detail::digitize(dim, alone.beginning());
  const Index extent = alone.extent();
  if (!chain || extent == std::ssize(alone.beginning())) return chain;
  // The end of the last digit lies outside the table, so the chain is continued from there.
  Index div = chain->back().div;
  chain->pop_back();
  while (div < extent) {
    const Index stride = alone(div);
    Index ext = 1;
    for (; ext <= (extent - 1) / div; ++ext) {
      const auto expected = checked_mul(ext, stride);
      if (!expected || alone(ext * div) != *expected) break;
    }
    chain->push_back({dim, div, ext, stride});
    if (mul_overflows(div, ext, div)) break;
  }
  for (Index x = chain->size() > 1 ? detail::kNotationLimits.digit_table : extent; x < extent; ++x) {
    Index sum = 0;
    for (const Digit& d : *chain) {
      const auto reach = checked_mul(d.value(x), d.stride);
      if (!reach || add_overflows(sum, *reach, sum)) return std::nullopt;
    }
    if (alone(x) != sum) return std::nullopt;
  }
  return chain;
}

Failure irregular(std::size_t dim) {
  return detail::not_representable("irregular",
                                   fmt::format("dimension {} is cut unevenly inside an earlier tile", dim));
}

}  // namespace

Result<Digits> digits_by_tables(std::vector<Index> box, const OffsetFunction& offset,
                                std::span<const std::vector<std::size_t>> groups) {
  if (std::ranges::find(box, 0) != box.end()) return Digits::normalized(std::move(box), 0, {});
  std::vector<Index> index(box.size(), 0);
  const Index base = offset(index);
  std::vector<Alone> alone;
  // A prefix of a chain is a chain, so a short prefix usually exposes a dimension without digits.
  constexpr Index kFirst = 256;
  for (std::size_t d = 0; d < box.size(); ++d) {
    if (groups.empty() && box[d] > kFirst) {
      std::vector<Index> first;
      for (index[d] = 0; index[d] < kFirst; ++index[d]) first.push_back(offset(index) - base);
      index[d] = 0;
      if (!detail::digitize(static_cast<Index>(d), first)) return irregular(d);
    }
    alone.emplace_back(d, box, base, offset);
    if (box[d] <= kTableLimit) continue;
    if (groups.empty() && !detail::digitize(static_cast<Index>(d), alone[d].beginning())) return irregular(d);
    return fail(Code::undecided, fmt::format("dimension {} has {} indices; at most {} are enumerated", d,
                                             box[d], kTableLimit));
  }
  for (const auto& group : groups) {
    // Interaction usually shows early, so that even a group too large to enumerate may turn out to be
    // entangled.
    Index looked_at = 0;
    do {
      if (looked_at++ == kTableLimit) {
        return fail(Code::undecided,
                    fmt::format("dimensions {{{}}} have more than {} indices, too many to enumerate",
                                fmt::join(group, ", "), kTableLimit));
      }
      Index sum = base;
      bool fits = true;
      for (const std::size_t d : group) {
        fits = fits && !add_overflows(sum, alone[d](index[d]), sum);
      }
      if (const Index value = offset(index); !fits || value != sum)
        return detail::entangled(group, index, value, sum);
    } while (detail::next_index_of(group, index, box));
  }
  std::vector<Digit> digits;
  for (std::size_t d = 0; d < box.size(); ++d) {
    const auto chain = chain_of(static_cast<Index>(d), alone[d]);
    if (!chain) return irregular(d);
    digits.insert(digits.end(), chain->begin(), chain->end());
  }
  return Digits::normalized(std::move(box), base, std::move(digits));
}

}  // namespace tessera
