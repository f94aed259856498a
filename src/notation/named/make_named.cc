// SPDX-License-Identifier: Apache-2.0
#include "notation/named/make_named.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/try.h"
#include "notation/layout_form.h"
#include "notation/named/named_checks.h"
#include "notation/named/named_state.h"

namespace tessera {
namespace {

using detail::ArrayOrder;
using detail::CellCount;
using detail::GroupPart;
using detail::OrderWriter;
using detail::Region;

// 2^62: the first size of a buffer, in bits, that is too large.
constexpr Index kTooManyBits = Index{1} << 62;

// The digits of a region for arrays in a batch: dimensions are renumbered, and each batch dimension has a
// stride.
Region in_batch(Region region, std::span<const Index> batch, CellCount bits) {
  for (Digit& digit : region.digits) digit.dim += std::ssize(batch);
  CellCount stride = bits / region.width;
  for (std::size_t d = batch.size(); d-- > 0;) {
    if (batch[d] > 1) region.digits.push_back({static_cast<Index>(d), 1, batch[d], stride.value()});
    stride = stride * batch[d];
  }
  return region;
}

// Whether the digits of `dim` can end at `size`, so that a digit that counts groups of this size follows.
bool cut_digits(Region& region, std::size_t dim, Index size) {
  std::vector<Digit> kept;
  bool fits = true;
  for (const Digit& digit : region.digits) {
    if (digit.dim != static_cast<Index>(dim)) {
      kept.push_back(digit);
    } else if (digit.div < size) {
      fits = fits && size % digit.div == 0;
      const Index ext = std::min(digit.ext, size / digit.div);
      fits = fits && size % (digit.div * ext) == 0;
      if (ext > 1) kept.push_back({digit.dim, digit.div, ext, digit.stride});
    }
  }
  region.digits = std::move(kept);
  return fits;
}

class Builder {
 public:
  Builder(const detail::CheckedFields& checked, const detail::NamedSpans& spans)
      : checked_(checked), spans_(spans) {}

  Result<NamedLayout> build() {
    auto state = std::make_shared<NamedLayout::State>(checked_.state);
    rank_ = state->rule != nullptr ? state->rule->rank : 1;
    if (state->shape.size() < rank_) {
      return fail(Code::rank_mismatch,
                  fmt::format("{} has {} dimensions, but the extents are {}", name(),
                              rank_ == 1 ? "at least 1" : "at least 2", state->shape.size()),
                  spans_.extents,
                  state->rule != nullptr && rank_ == 2
                      ? fmt::format("the last two are [{}]", state->rule->indices)
                      : "");
    }
    state->batch = state->shape.size() - rank_;
    batch_ = std::span<const Index>(state->shape).first(state->batch);
    last_ = std::span<const Index>(state->shape).subspan(state->batch);
    batch_size_ = 1;
    for (const Index extent : batch_) batch_size_ = batch_size_ * extent;
    const NamedParameter* groups = checked_.groups ? &*checked_.groups : nullptr;
    TESSERA_NEED(groups != nullptr ? grouped(*state, *groups) : plain(*state));
    TESSERA_NEED(detail::checked_size(state->shape));
    return NamedLayout(std::shared_ptr<const NamedLayout::State>(std::move(state)));
  }

 private:
  std::string name() const { return fmt::format("{}:{}", checked_.state.prefix, checked_.state.family); }

  // The order of one array.
  Result<ArrayOrder> order_of(std::vector<Index> extents) const {
    OrderWriter writer(std::move(extents), checked_.state.type, checked_.values);
    if (checked_.state.rule != nullptr) {
      checked_.state.rule->write(writer);
    } else {
      detail::write_block(writer, *checked_.state.block, *checked_.field);
    }
    if (writer.fault()) {
      const auto [dim, divisor] = *writer.fault();
      const std::size_t place = dim + checked_.state.shape.size() - rank_;
      return fail(Code::shape_divisibility,
                  fmt::format("the extent {} of dimension {} is not a multiple of {}", writer.extent(dim),
                              place, divisor),
                  place < spans_.extent.size() ? spans_.extent[place] : Span{},
                  fmt::format("{} needs whole blocks: pad to {}", name(),
                              detail::up(writer.extent(dim), divisor).value()));
    }
    return writer.take();
  }

  Result<Index> checked_bits(CellCount bits) const {
    const CellCount all = bits * batch_size_;
    if (all.value() < kTooManyBits) return all.value();
    return fail(Code::overflow, "the buffer has 2^62 bits or more", spans_.extents,
                "bit offsets have 62 bits");
  }

  Result<void> plain(NamedLayout::State& state) const {
    TESSERA_TRY(order, order_of({last_.begin(), last_.end()}));
    const bool empty = state.empty();
    if (empty && order.bits.value() == kIndexMax) order.bits = 0;
    TESSERA_TRY(bits, checked_bits(order.bits));
    state.bits = bits;
    state.kind = order.kind;
    state.container = {order.container, {batch_.begin(), batch_.end()}};
    if (order.flat) state.container.shape = {ceil_div(bits, 8)};
    state.container.shape.insert(state.container.shape.end(), order.container_shape.begin(),
                                 order.container_shape.end());
    for (Region& region : order.regions)
      state.regions.push_back(in_batch(std::move(region), batch_, order.bits));
    return {};
  }

  Result<void> grouped(NamedLayout::State& state, const NamedParameter& groups) const {
    const std::size_t dim = groups.key == "groups" ? 0 : 1;
    state.group_dim = state.batch + dim;
    Index sum = 0;
    bool fits = true;
    for (const Index size : groups.values) fits = fits && !add_overflows(sum, size, sum);
    if (!fits || sum != last_[dim]) {
      const std::string total = fits ? fmt::format("{}", sum) : "2^63 or more";
      return fail(Code::shape_mismatch,
                  fmt::format("the {} add up to {}, but dimension {} has extent {}", groups.key, total,
                              state.group_dim, last_[dim]),
                  checked_.groups_span, "the sizes of all groups add up to the extent");
    }
    CellCount bits = 0;
    std::vector<ArrayOrder> orders;
    std::vector<Index> sizes;
    for (const Index size : groups.values) {
      std::vector<Index> extents(last_.begin(), last_.end());
      extents[dim] = size;
      TESSERA_TRY(order, order_of(std::move(extents)));
      if (state.empty() && order.bits.value() == kIndexMax) order.bits = 0;
      bits = bits + order.bits;
      state.container.type = order.container;
      if (size == 0) continue;
      orders.push_back(std::move(order));
      sizes.push_back(size);
    }
    TESSERA_TRY(all, checked_bits(bits));
    state.bits = all;
    state.container.shape.assign(batch_.begin(), batch_.end());
    state.container.shape.push_back(bits.value() / state.container.type.bits);
    if (state.empty()) {
      state.regions.push_back({.first = 0, .width = state.type.bits});
      return {};
    }
    if (std::ranges::adjacent_find(sizes, std::not_equal_to<>()) == sizes.end() &&
        even(state, orders.front(), dim, sizes, bits)) {
      return {};
    }
    Index begin = 0;
    Index base = 0;
    for (std::size_t g = 0; g < sizes.size(); ++g) {
      GroupPart part{.begin = begin, .size = sizes[g]};
      for (Region& region : orders[g].regions) {
        region.base += base / region.width;
        part.regions.push_back(in_batch(std::move(region), batch_, bits));
      }
      begin += sizes[g];
      base += orders[g].bits.value();
      state.groups.push_back(std::move(part));
    }
    return {};
  }

  // Groups of equal size are one more digit, if the digits of one group end at its size.
  bool even(NamedLayout::State& state, const ArrayOrder& order, std::size_t dim, std::span<const Index> sizes,
            CellCount bits) const {
    Region region = order.regions.front();
    if (sizes.size() > 1) {
      if (!cut_digits(region, dim, sizes.front())) return false;
      region.digits.push_back(
          {static_cast<Index>(dim), sizes.front(), std::ssize(sizes), (order.bits / region.width).value()});
    }
    state.regions.push_back(in_batch(std::move(region), batch_, bits));
    return true;
  }

  const detail::CheckedFields& checked_;
  const detail::NamedSpans& spans_;
  std::size_t rank_ = 2;
  std::span<const Index> batch_ = {};
  std::span<const Index> last_ = {};
  CellCount batch_size_ = 1;
};

}  // namespace

Result<NamedLayout> detail::make_named(const NamedFields& fields, const NamedSpans& spans) {
  TESSERA_TRY(checked, check_fields(fields, spans));
  return Builder(checked, spans).build();
}

}  // namespace tessera
