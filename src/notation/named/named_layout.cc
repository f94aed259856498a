// SPDX-License-Identifier: Apache-2.0
#include "tessera/notation/named_layout.h"

#include <algorithm>
#include <iterator>

#include "notation/named/make_named.h"
#include "notation/named/named_state.h"

namespace tessera {

Result<NamedLayout> NamedLayout::make(const NamedFields& fields) { return detail::make_named(fields, {}); }

const std::string& NamedLayout::prefix() const { return state_->prefix; }
const std::string& NamedLayout::family() const { return state_->family; }
const std::string& NamedLayout::field() const { return state_->field; }
std::span<const NamedParameter> NamedLayout::parameters() const { return state_->parameters; }
const CellType& NamedLayout::type() const { return state_->type; }
std::span<const Index> NamedLayout::shape() const { return state_->shape; }
NamedKind NamedLayout::kind() const { return state_->kind; }
Index NamedLayout::buffer_bits() const { return state_->bits; }
Index NamedLayout::buffer_bytes() const { return ceil_div(state_->bits, 8); }
const Container& NamedLayout::container() const { return state_->container; }

bool operator==(const NamedLayout& a, const NamedLayout& b) {
  return a.state_ == b.state_ ||
         (a.prefix() == b.prefix() && a.family() == b.family() && a.field() == b.field() &&
          std::ranges::equal(a.parameters(), b.parameters()) && a.type() == b.type() &&
          std::ranges::equal(a.shape(), b.shape()));
}

Index NamedLayout::bit_offset(std::span<const Index> index, int bit) const {
  if (!state_->groups.empty()) return detail::grouped_offset(*state_, index) * state_->type.bits + bit;
  const auto after = std::ranges::upper_bound(state_->regions, bit, {}, &detail::Region::first);
  const detail::Region& region = *std::prev(after);
  const Index cell = detail::region_offset(region, state_->batch, index, bit);
  return state_->kind == NamedKind::stream ? cell : cell * region.width + (bit - region.first);
}

}  // namespace tessera
