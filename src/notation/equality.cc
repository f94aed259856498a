// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/index_walk.h"
#include "base/plural.h"
#include "notation/from_digits.h"
#include "notation/limits.h"
#include "notation/structure.h"
#include "notation/triton/memory_places.h"
#include "tessera/notation/conversion.h"
#include "tessera/notation/triton_layout.h"

namespace tessera {
namespace {

using detail::DimGroups;

// A layout, optionally without its dimensions of extent 1.
class SqueezedLayout {
 public:
  SqueezedLayout(const Layout& layout, bool without_units) : layout_(layout), index_(layout.rank(), 0) {
    for (std::size_t d = 0; d < layout.rank(); ++d) {
      if (without_units && layout.shape()[d] == 1) continue;
      place_.push_back(d);
      box_.push_back(layout.shape()[d]);
    }
  }

  std::span<const Index> box() const { return box_; }
  Index offset(std::span<const Index> index) {
    for (std::size_t i = 0; i < index.size(); ++i) index_[place_[i]] = index[i];
    return layout_.offset(index_);
  }

  std::optional<Digits> digits() const {
    const Digits* const known = layout_.known_digits();
    if (known == nullptr) return std::nullopt;
    if (place_.size() == layout_.rank()) return *known;
    std::vector<Digit> digits(known->digits().begin(), known->digits().end());
    for (Digit& digit : digits) digit.dim = renumbered(static_cast<std::size_t>(digit.dim));
    return Digits::normalized(box_, known->base(), std::move(digits));
  }

  // The bases over F2, which may also come from digits whose sums do not carry.
  std::optional<LinearLayout> linear(const std::optional<Digits>& digits) const {
    if (digits) {
      const auto made = to_linear_layout(*digits);
      return made ? std::optional(*made) : std::nullopt;
    }
    const auto whole = linear_form(layout_);
    if (!whole || place_.size() == layout_.rank()) return whole;
    std::vector<std::vector<Index>> bases;
    for (const std::size_t d : place_) bases.push_back(whole->bases()[d]);
    const auto made = LinearLayout::make(std::move(bases));
    return made ? std::optional(*made) : std::nullopt;
  }

  DimGroups groups() const {
    DimGroups own = interacting_dims(layout_);
    for (auto& group : own) {
      std::erase_if(group, [&](std::size_t d) { return std::ranges::find(place_, d) == place_.end(); });
      for (std::size_t& d : group) d = static_cast<std::size_t>(renumbered(d));
    }
    std::erase_if(own, [](const auto& group) { return group.size() < 2; });
    return own;
  }

  // The map restricted to the dimensions in `group`, with the others 0.
  IndexMap map_of(std::span<const std::size_t> group) const {
    std::vector<Expr> replacement(layout_.rank(), Expr::constant(0));
    std::vector<Index> extents;
    for (const std::size_t d : group) {
      replacement[place_[d]] = Expr::variable(static_cast<Index>(extents.size()));
      extents.push_back(box_[d]);
    }
    return IndexMap::make_unchecked(Domain::box(extents),
                                    {substitute(lower(layout_).results()[0], replacement)});
  }

 private:
  Index renumbered(std::size_t dim) const { return std::ranges::find(place_, dim) - place_.begin(); }

  const Layout& layout_;
  std::vector<std::size_t> place_;  // the layout's dimension for each dimension of the view
  std::vector<Index> box_;
  std::vector<Index> index_;  // scratch
};

// The sets of dimensions that interact in either layout; every other dimension is a set of its own.
DimGroups joined(std::size_t rank, const DimGroups& a, const DimGroups& b) {
  std::vector<std::size_t> root = detail::all_dims(rank);
  for (const DimGroups* groups : {&a, &b}) {
    for (const auto& group : *groups) {
      const std::size_t from = root[group[0]];
      for (const std::size_t d : group) {
        const std::size_t old = root[d];
        std::ranges::replace(root, old, from);
      }
    }
  }
  DimGroups out(rank);
  for (std::size_t d = 0; d < rank; ++d) out[root[d]].push_back(d);
  std::erase_if(out, [](const auto& group) { return group.empty(); });
  return out;
}

std::string shape_text(std::span<const Index> shape) { return fmt::format("({})", fmt::join(shape, ",")); }

LayoutEquality yes(std::string_view proof) { return {.verdict = Verdict::yes, .proof = proof}; }
LayoutEquality no(LayoutDifference difference) {
  return {.verdict = Verdict::no, .difference = std::move(difference)};
}
LayoutEquality no(std::string word, std::string reason) {
  return {.verdict = Verdict::no, .word = std::move(word), .reason = std::move(reason)};
}

// The index of the lowest basis that differs in the last dimension with such a basis; every smaller index
// agrees, because its offset is an XOR of equal bases.
std::optional<std::vector<Index>> first_difference(const LinearLayout& a, const LinearLayout& b) {
  for (std::size_t d = a.bases().size(); d-- > 0;) {
    const auto& mine = a.bases()[d];
    const auto& other = b.bases()[d];
    const auto at = std::ranges::mismatch(mine, other).in1 - mine.begin();
    if (at == std::ssize(mine)) continue;
    std::vector<Index> index(a.bases().size(), 0);
    index[d] = Index{1} << at;
    return index;
  }
  return std::nullopt;
}

// The answer for one set of dimensions, with the others 0.
struct GroupAnswer {
  Verdict verdict = Verdict::yes;
  std::vector<Index> index = {};  // for `no`
  bool smallest = true;
  std::string reason = {};  // for `undecided`
  bool solved = false;      // for `yes`: by isl, not by enumeration
};

GroupAnswer compare_group(SqueezedLayout& a, SqueezedLayout& b, std::span<const std::size_t> group,
                          const JudgeLimits& limits) {
  Index points = 1;
  for (const std::size_t d : group) {
    if (mul_overflows(points, a.box()[d], points) || points > kTableLimit) points = kTableLimit + 1;
  }
  const Index looks = points > kTableLimit ? detail::kNotationLimits.quick_points : points;
  std::vector<Index> index(a.box().size(), 0);
  Index looked_at = 0;
  do {
    if (a.offset(index) != b.offset(index)) return {.verdict = Verdict::no, .index = index};
  } while (++looked_at < looks && detail::next_index_of(group, index, a.box()));
  if (points <= kTableLimit) return {};
  const Equality proof = equal(a.map_of(group), b.map_of(group), limits);
  if (proof.verdict == Verdict::yes) return {.solved = true};
  if (proof.verdict == Verdict::no && proof.difference) {
    GroupAnswer answer{.verdict = Verdict::no, .index = std::vector<Index>(a.box().size(), 0)};
    for (std::size_t i = 0; i < group.size(); ++i) answer.index[group[i]] = proof.difference->point[i];
    answer.smallest = proof.smallest;
    return answer;
  }
  return {.verdict = Verdict::undecided,
          .reason = fmt::format("dimensions {{{}}} have more than {} indices, too many to enumerate; {}",
                                fmt::join(group, ", "), kTableLimit, proof.reason)};
}

// Compares each set of dimensions separately. This finds the first difference, because the contribution of a
// set does not depend on the others: if the layouts differ at an index, they also differ at an index that is
// not larger and is nonzero in only one set.
LayoutEquality compare_groups(SqueezedLayout& a, SqueezedLayout& b, const JudgeLimits& limits) {
  // Index 0 belongs to every set. Without dimensions it is the only index.
  const std::vector<Index> zero(a.box().size(), 0);
  if (a.offset(zero) != b.offset(zero)) return no({zero, a.offset(zero), b.offset(zero)});
  LayoutEquality answer = yes("enumeration");
  std::vector<Index> least;
  for (const auto& group : joined(a.box().size(), a.groups(), b.groups())) {
    const GroupAnswer one = compare_group(a, b, group, limits);
    if (one.solved) answer.proof = "isl";
    if (one.verdict == Verdict::yes) continue;
    if (one.verdict == Verdict::undecided) {
      answer.smallest = false;
      answer.reason = one.reason;
      continue;
    }
    answer.smallest = answer.smallest && one.smallest;
    if (least.empty() || one.index < least) least = one.index;
  }
  if (!least.empty()) {
    answer.verdict = Verdict::no;
    answer.proof = {};
    answer.reason.clear();
    answer.difference = LayoutDifference{least, a.offset(least), b.offset(least)};
  } else if (!answer.smallest) {
    answer.verdict = Verdict::undecided;
    answer.proof = {};
    answer.smallest = true;
  }
  return answer;
}

// The bases of two layouts of Triton, both of registers or both of memory.
struct BothBases {
  bool of_registers = false;
  TritonBases a;
  TritonBases b;
};
std::optional<BothBases> both_bases(const Layout& a, const Layout& b) {
  const auto* mine = a.as<TritonLayout>();
  const auto* other = b.as<TritonLayout>();
  if (mine == nullptr || other == nullptr) return std::nullopt;
  const auto of_registers = [](const TritonLayout* one) {
    return space_of(one->attribute.kind) == TritonSpace::registers;
  };
  auto bases = triton_bases(*mine);
  auto other_bases = triton_bases(*other);
  if (!bases || !other_bases || of_registers(mine) != of_registers(other)) return std::nullopt;
  return BothBases{of_registers(mine), *std::move(bases), *std::move(other_bases)};
}

}  // namespace

std::optional<LayoutDifference> first_difference(const Digits& a, const Digits& b) {
  if (a == b) return std::nullopt;
  std::vector<Index> index(a.box().size(), 0);
  const auto found = [&] { return LayoutDifference{index, a.offset(index), b.offset(index)}; };
  if (a.base() != b.base()) return found();
  for (std::size_t d = index.size(); d-- > 0;) {
    const auto mine = a.digits(d);
    const auto other = b.digits(d);
    const std::size_t common = std::min(mine.size(), other.size());
    for (std::size_t k = 0; k < common; ++k) {
      if (mine[k] == other[k]) continue;
      // Below the smaller digit extent both are x * stride; at that extent the normal forms diverge.
      index[d] =
          mine[k].stride != other[k].stride ? mine[k].div : mine[k].div * std::min(mine[k].ext, other[k].ext);
      return found();
    }
  }
  return std::nullopt;
}

namespace {

LayoutEquality same_function(const Layout& a, const Layout& b, const LayoutEqualityOptions& options) {
  SqueezedLayout first(a, options.ignore_unit_dims);
  SqueezedLayout second(b, options.ignore_unit_dims);
  if (!std::ranges::equal(first.box(), second.box())) {
    return no("different_shape",
              fmt::format("the shapes are {} and {}", shape_text(first.box()), shape_text(second.box())));
  }
  if (a.size() == 0 || a == b) return yes("identity");
  const auto digits = first.digits();
  const auto other_digits = second.digits();
  if (digits && other_digits) {
    auto difference = first_difference(*digits, *other_digits);
    return difference ? no(*std::move(difference)) : yes("digits");
  }
  const auto linear = first.linear(digits);
  const auto other_linear = linear ? second.linear(other_digits) : std::nullopt;
  if (linear && other_linear) {
    const auto index = first_difference(*linear, *other_linear);
    if (!index) return yes("bases");
    return no({*index, first.offset(*index), second.offset(*index)});
  }
  return compare_groups(first, second, options.judge);
}

}  // namespace

LayoutEquality same_map(const Layout& a, const Layout& b, const LayoutEqualityOptions& options) {
  // Layouts of Triton join lane, warp and block to one number, and so do partitions, blocks and offsets:
  // equal functions do not make equal layouts.
  auto bases = both_bases(a, b);
  if (bases) {
    // Only the functions of registers lack the shape of the tensor. Bases of memory have that of the
    // allocation, of which equal slices may have different ones.
    if (!bases->of_registers) bases->b.shape = bases->a.shape;
    if (options.ignore_unit_dims) {
      std::erase(bases->a.shape, 1);
      std::erase(bases->b.shape, 1);
    }
    if (std::string reason = different_places(bases->a, bases->b); !reason.empty())
      return no("different_shape", std::move(reason));
  }
  LayoutEquality out = same_function(a, b, options);
  if (!bases) return out;
  if (!bases->of_registers && (out.verdict == Verdict::yes || out.difference)) {
    // The number of an offset counts the blocks before it by their sizes, and not blocks that only repeat.
    if (const auto places = triton::same_places(*a.as<TritonLayout>(), *b.as<TritonLayout>())) {
      if (!places->decided)
        return {.verdict = Verdict::undecided,
                .reason = "the paddings differ, but the first 2^16 elements are at the same places"};
      if (!places->difference) return out.verdict == Verdict::yes ? out : yes("places");
      if (out.verdict == Verdict::yes) return no("different_places", places->difference->text);
    }
  }
  if (out.verdict != Verdict::yes) return out;
  const Index own = Index{1} << bases->a.of("partition").size();
  const Index others = Index{1} << bases->b.of("partition").size();
  if (own == others) return out;
  return no("different_shape", fmt::format("the numbers of partitions are {} and {}", own, others));
}

LayoutEquality same_storage(const Layout& a, const Layout& b, const LayoutEqualityOptions& options) {
  LayoutEquality answer = same_map(a, b, options);
  if (answer.verdict == Verdict::no) return answer;
  const auto memory = a.buffer_size();
  const auto other = b.buffer_size();
  const auto text = [](const Result<Index>& size) { return size ? fmt::format("{}", *size) : "no"; };
  if (memory.has_value() != other.has_value() || (memory && *memory != *other)) {
    return no("buffer_size", fmt::format("the buffers have {} and {} elements", text(memory), text(other)));
  }
  const auto width = [](const Layout& layout) {
    const auto bits = layout.element_bits();
    return bits ? detail::plural(*bits, "bit") : std::string("no width");
  };
  if (a.element_bits() != b.element_bits())
    return no("element_bits", fmt::format("elements have {} and {}", width(a), width(b)));
  const auto splits = [](const Layout& layout) {
    const TensorType* type = layout.tensor_type();
    return type != nullptr && type->layout ? type->layout->splits : std::vector<TiledLayout::Split>{};
  };
  if (splits(a) != splits(b)) return no("splits", "the splits differ");
  return answer;
}

}  // namespace tessera
