// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "algebra/xor_rows.h"
#include "base/index_walk.h"
#include "base/plural.h"
#include "notation/limits.h"
#include "tessera/notation/layout.h"

namespace tessera {
namespace {

bool inside(std::span<const Index> index, std::span<const Index> box) {
  for (std::size_t d = 0; d < box.size(); ++d) {
    if (index[d] >= box[d]) return false;
  }
  return true;
}

// Searches for digits with a given sum, from the largest stride down; prunes remainders that the remaining
// digits cannot reach.
class DigitSearch {
 public:
  DigitSearch(const Digits& form, std::size_t limit)
      : form_(form), sorted_(form.digits().begin(), form.digits().end()), limit_(limit) {
    std::ranges::sort(sorted_, std::ranges::greater{}, [](const Digit& d) { return std::abs(d.stride); });
    reach_.resize(sorted_.size() + 1, Interval::point(0));
    for (std::size_t k = sorted_.size(); k-- > 0;) {
      const Interval own = Interval::point(sorted_[k].ext - 1) * Interval::point(sorted_[k].stride);
      reach_[k] = reach_[k + 1] + hull(Interval::point(0), own);
    }
    index_.resize(form.box().size(), 0);
  }

  Result<Preimage> run(Index offset) {
    if (form_.empty_box()) return Preimage{};
    descend(0, Interval::point(offset) - Interval::point(form_.base()));
    if (steps_ > detail::kNotationLimits.preimage_steps) {
      return fail(Code::undecided, fmt::format("the indices at offset {} were not found in {} steps", offset,
                                               detail::kNotationLimits.preimage_steps));
    }
    std::ranges::sort(found_.indices);
    return std::move(found_);
  }

 private:
  // Searches digits k and up for the sum `rest`. If the arithmetic overflowed, `rest` is unbounded, and
  // nothing matches.
  void descend(std::size_t k, Interval rest) {
    if (++steps_ > detail::kNotationLimits.preimage_steps || !found_.complete || !rest.is_point()) return;
    if (k == sorted_.size()) {
      if (rest.lower != 0 || !inside(index_, form_.box())) return;
      if (found_.indices.size() == limit_) {
        found_.complete = false;
        return;
      }
      found_.indices.push_back(index_);
      return;
    }
    const Digit& digit = sorted_[k];
    // rest - stride * value must be within the reach of the remaining digits.
    const Interval room = rest - reach_[k + 1];
    Index low = 0;
    Index high = digit.ext - 1;
    if (digit.stride != 0 && room.is_finite()) {
      const Index a = digit.stride > 0 ? room.lower : -room.upper;
      const Index b = digit.stride > 0 ? room.upper : -room.lower;
      low = std::max(low, ceil_div(a, std::abs(digit.stride)));
      high = std::min(high, floor_div(b, std::abs(digit.stride)));
    }
    Index& own = index_[static_cast<std::size_t>(digit.dim)];
    const Index before = own;
    for (Index value = low; value <= high; ++value) {
      own = before + value * digit.div;
      descend(k + 1, rest - Interval::point(value) * Interval::point(digit.stride));
      if (steps_ > detail::kNotationLimits.preimage_steps || !found_.complete) break;
    }
    own = before;
  }

  const Digits& form_;
  std::vector<Digit> sorted_;  // by |stride|, largest first
  std::vector<Interval> reach_;
  std::size_t limit_;
  std::vector<Index> index_;
  Preimage found_;
  int steps_ = 0;
};

// Solves XOR of bases = offset: finds one solution, and the combinations of bases that give 0.
Preimage solve(const LinearLayout& layout, std::span<const Index> box, Index offset, std::size_t limit) {
  detail::XorRows rows;
  std::vector<Index> kernel;
  for (const auto& own : layout.bases()) {
    for (const Index basis : own) {
      if (const detail::XorRows::Row row = rows.add(basis); row.value == 0) kernel.push_back(row.added);
    }
  }
  Preimage out;
  const detail::XorRows::Row rest = rows.reduced({offset, 0});
  if (offset < 0 || rest.value != 0) return out;
  const auto index_of = [&](Index bits) {
    std::vector<Index> index;
    for (const auto& own : layout.bases()) {
      index.push_back(bits & ((Index{1} << own.size()) - 1));
      bits >>= own.size();
    }
    return index;
  };
  for (std::uint64_t choice = 0; kernel.size() >= 63 || choice < (std::uint64_t{1} << kernel.size());
       ++choice) {
    Index bits = rest.added;
    for (std::size_t k = 0; k < kernel.size(); ++k) {
      if (((choice >> k) & 1) != 0) bits ^= kernel[k];
    }
    std::vector<Index> index = index_of(bits);
    if (!inside(index, box)) continue;
    if (out.indices.size() == limit) {
      out.complete = false;
      break;
    }
    out.indices.push_back(std::move(index));
  }
  std::ranges::sort(out.indices);
  return out;
}

Result<Preimage> searched(const Layout& layout, Index offset, std::size_t limit) {
  if (layout.size() > kTableLimit) {
    return fail(
        Code::undecided,
        fmt::format("the indices at offset {} were not found: more than {} indices, too many to enumerate",
                    offset, kTableLimit));
  }
  Preimage out;
  if (layout.size() == 0) return out;
  std::vector<Index> index(layout.rank(), 0);
  do {
    if (layout.offset(index) != offset) continue;
    if (out.indices.size() == limit) {
      out.complete = false;
      break;
    }
    out.indices.push_back(index);
  } while (detail::next_index(index, layout.shape()));
  return out;
}

// The offset that the last layout of a chain must have so that the chain gives `offset`; empty unless only
// swizzles precede it.
std::optional<Index> turned_around(const ComposedLayout& chain, Index offset) {
  for (int i = 0; i + 1 < chain.parts; ++i) {
    const ComposedPart& part = chain.part[i];
    if (part.kind != ComposedPart::Kind::swizzle || offset < 0) return std::nullopt;
    // A swizzle is its own inverse.
    offset = part.swizzle(offset) - part.offset;
  }
  return offset;
}

Result<Preimage> found(const Layout& layout, Index offset, std::size_t limit) {
  if (const TiledMap* tiled = layout.tiled_map()) {
    if (offset < 0 || offset >= tiled->buffer_elements()) return Preimage{};
    TiledCell cell = tiled->at(offset).value();
    if (cell.is_padding()) return Preimage{.padding_of = cell.padding_of};
    return Preimage{.indices = {std::move(cell.index)}};
  }
  if (const Digits* digits = layout.known_digits()) return DigitSearch(*digits, limit).run(offset);
  if (const ComposedLayout* chain = layout.composed()) {
    if (offset < 0 && chain->part[0].kind == ComposedPart::Kind::swizzle) return Preimage{};
    if (const auto inner = turned_around(*chain, offset)) {
      const auto base = Layout::make(chain->domain(), {layout.shape().begin(), layout.shape().end()});
      if (base) return found(*base, *inner, limit);
    }
  }
  if (const LinearLayout* linear = layout.linear()) return solve(*linear, layout.shape(), offset, limit);
  return searched(layout, offset, limit);
}

}  // namespace

Result<Preimage> indices_at(const Layout& layout, Index offset, PreimageLimits limits) {
  auto preimage = found(layout, offset, limits.indices);
  if (!preimage || !preimage->indices.empty()) return preimage;
  const auto memory = layout.buffer_size();
  if (memory && offset >= 0 && offset < *memory) return preimage;
  if (!memory) return fail(Code::index_out_of_range, fmt::format("no index has offset {}", offset));
  return fail(
      Code::index_out_of_range,
      fmt::format("offset {} is outside the memory of {}", offset, detail::plural(*memory, "element")), {},
      *memory == 0 ? "" : fmt::format("offsets are 0 to {}", *memory - 1));
}

}  // namespace tessera
