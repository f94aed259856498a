// SPDX-License-Identifier: Apache-2.0
#include "tessera/notation/layout.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/plural.h"
#include "notation/layout_state.h"
#include "notation/refusal.h"
#include "notation/structure.h"
#include "notation/to_digits.h"
#include "tessera/algebra/detail/linear.h"
#include "tessera/notation/layout_queries.h"

namespace tessera {
namespace {

using detail::Chain;
using detail::Cropped;

constexpr std::string_view kNotationNames[] = {"xla", "cute", "morello", "strides", "linear", "map"};

// The difference of two offsets, plus another offset, must fit in 64 bits.
constexpr Index kMaxOffset = Index{1} << 62;

Result<Index> product(std::span<const Index> extents) {
  if (std::ranges::find(extents, 0) != extents.end()) return 0;
  Index size = 1;
  for (const Index extent : extents) {
    if (mul_overflows(size, extent, size))
      return fail(Code::overflow, "the number of indices exceeds 64 bits");
  }
  return size;
}

Result<void> check_rank(std::size_t rank, std::string_view notation) {
  if (rank > 0) return {};
  return fail(Code::rank_mismatch,
              fmt::format("a scalar has no dimensions, but {} needs at least one", notation));
}

Result<void> check_bounds(Interval bounds) {
  if (bounds.lower > -kMaxOffset && bounds.upper < kMaxOffset) return {};
  return fail(Code::overflow,
              fmt::format("offsets reach {}, but must be between -2^62 and 2^62 so that their differences "
                          "fit in 64 bits",
                          bounds.upper >= kMaxOffset ? "2^62 or more" : "-2^62 or less"));
}

// Sizes of the top-level modes.
std::vector<Index> mode_sizes(const StridedLayout& layout) {
  std::vector<Index> sizes;
  Cursor mode = first_mode(layout.profile);
  for (int i = 0; i < layout.rank(); ++i, mode = after(layout.profile, mode))
    sizes.push_back(layout.size_at(mode));
  return sizes;
}

// The box of a CuTe layout; `crop` becomes empty if it cuts nothing off.
Result<std::vector<Index>> box_of(const StridedLayout& layout, std::vector<Index>& crop) {
  if (layout.has_basis()) {
    return fail(Code::unsupported_codomain,
                "the strides are coordinate strides, but a layout here maps to memory offsets");
  }
  std::vector<Index> box = mode_sizes(layout);
  if (crop.empty()) return box;
  if (crop.size() != box.size()) {
    return fail(Code::rank_mismatch, fmt::format("a crop with {} for {}", detail::plural(crop.size(), "size"),
                                                 detail::plural(box.size(), "mode")));
  }
  for (std::size_t i = 0; i < crop.size(); ++i) {
    if (crop[i] >= 1 && crop[i] <= box[i]) continue;
    return fail(Code::bad_extent,
                fmt::format("the crop of mode {} is {}, outside [1, {}]", i, crop[i], box[i]));
  }
  std::swap(box, crop);
  if (crop == box) crop.clear();
  return box;
}

// The range of a part for values in `in`; empty if the bounds do not prove that it is defined.
std::optional<Interval> pushed(const ComposedPart& part, Interval in) {
  Interval value = in + Interval::point(part.offset);
  if (!value.is_finite()) return std::nullopt;
  if (part.kind == ComposedPart::Kind::swizzle) {
    if (value.lower < 0) return std::nullopt;
    // A swizzle maps each aligned block of 2^k to itself if the bits it moves are below k.
    const Index moved = part.swizzle.read_mask() | part.swizzle.write_mask();
    Index top = 1;
    while (top <= std::max(value.upper, moved)) {
      if (top >= kMaxOffset) return std::nullopt;
      top *= 2;
    }
    return value.upper < (moved & -moved) || moved == 0 ? value : Interval{0, top - 1};
  }
  // Every digit but the last is below its extent; the last takes the rest.
  const StridedLayout& layout = part.layout;
  Interval sum = Interval::point(0);
  Index rest = std::max(value.upper, -value.lower);
  for (int i = 0; i < layout.leaves(); ++i) {
    const Index most = i + 1 < layout.leaves() ? std::min(rest, layout.extent[i] - 1) : rest;
    const Interval reach = Interval::point(most) * Interval::point(layout.stride[i]);
    sum = sum + hull(reach, -reach);
    rest /= layout.extent[i];
  }
  return sum.is_finite() ? std::optional(sum) : std::nullopt;
}

// Whether the chain is defined and in range everywhere: first by bounds, then by enumeration.
Result<void> check_chain(const ComposedLayout& chain, const Digits& inner) {
  std::optional<Interval> bounds = inner.image_bounds();
  for (int i = chain.parts - 1; i-- > 0 && bounds;) bounds = pushed(chain.part[i], *bounds);
  if (bounds && check_bounds(*bounds)) return {};
  Index points = 1;
  for (const Index extent : inner.box()) {
    if (mul_overflows(points, extent, points) || points > kTableLimit) {
      return fail(Code::undecided,
                  fmt::format("whether the chain has a value everywhere was not decided: it has more than "
                              "{} indices, too many to enumerate",
                              kTableLimit));
    }
  }
  std::vector<Index> index(inner.box().size(), 0);
  const auto dims = detail::all_dims(index.size());
  do {
    const Outcome<Index> value = detail::push(chain, chain.parts - 1, inner.offset(index));
    if (value && check_bounds(Interval::point(*value))) continue;
    if (value.error.code == AlgebraCode::unsupported_codomain) {
      return fail(Code::unsupported_codomain,
                  fmt::format("index {} passes {} to a swizzle, which takes no negative values",
                              detail::point_text(index), value.error.first));
    }
    return fail(Code::overflow, fmt::format("the offset of index {} is not between -2^62 and 2^62",
                                            detail::point_text(index)));
  } while (detail::next_point(index, dims, inner.box()));
  return {};
}

Result<Index> one_more(Index largest) {
  if (largest == kIndexMax) return fail(Code::overflow, "the buffer size exceeds 64 bits");
  return largest + 1;
}

}  // namespace

std::string_view to_string(Notation notation) { return kNotationNames[static_cast<std::size_t>(notation)]; }

std::optional<Notation> parse_notation(std::string_view word) {
  const auto found = std::ranges::find(kNotationNames, word);
  if (found == std::end(kNotationNames)) return std::nullopt;
  return static_cast<Notation>(found - std::begin(kNotationNames));
}

Result<Layout> Layout::make(TensorType type) {
  if (!is_array_type(type.dtype)) {
    return fail(Code::layout_on_nonarray, fmt::format("a {} has no elements", to_string(type.dtype)));
  }
  if (auto wrong = validate(type)) return fail(*std::move(wrong));
  auto tiled = TiledMap::make(type);
  if (!tiled) return fail(tiled.error());
  if (tiled->buffer_elements() >= kMaxOffset)
    return fail(Code::overflow, "the buffer has 2^62 elements or more, but offsets must be below 2^62");
  auto state = std::make_shared<State>();
  state->notation = Notation::xla;
  state->shape = type.dims;
  state->size = tiled->elements();
  state->digits = detail::structural_digits(type);
  state->tiled = *std::move(tiled);
  state->written = std::move(type);
  return Layout(std::move(state));
}

Result<Layout> Layout::make(const StridedLayout& layout, std::vector<Index> crop) {
  auto box = box_of(layout, crop);
  if (!box) return fail(box.error());
  auto state = std::make_shared<State>();
  state->notation = Notation::cute;
  state->digits = to_digits(layout, *box);
  if (const auto fits = check_bounds(state->digits->image_bounds()); !fits) return fail(fits.error());
  state->size = *product(*box);
  state->shape = *std::move(box);
  state->written = Cropped{layout, !crop.empty()};
  return Layout(std::move(state));
}

Result<Layout> Layout::make(const ComposedLayout& chain, std::vector<Index> crop) {
  if (!chain.has_domain()) {
    return detail::refuse("not_a_layout",
                          "the chain ends in a swizzle and so has no shape; end it in a layout");
  }
  if (chain.parts == 1) return make(chain.domain(), std::move(crop));
  auto box = box_of(chain.domain(), crop);
  if (!box) return fail(box.error());
  for (int i = 0; i + 1 < chain.parts; ++i) {
    if (chain.part[i].kind == ComposedPart::Kind::layout && chain.part[i].layout.has_basis())
      return fail(Code::unsupported_codomain, "a layout in the chain has coordinate strides");
  }
  auto state = std::make_shared<State>();
  state->notation = Notation::cute;
  Digits inner = to_digits(chain.domain(), *box);
  if (const auto total = check_chain(chain, inner); !total) return fail(total.error());
  state->size = *product(*box);
  state->shape = *std::move(box);
  state->written = Chain{std::make_shared<const ComposedLayout>(chain), std::move(inner), !crop.empty()};
  return Layout(std::move(state));
}

Result<Layout> Layout::make(ShapedPackedLayout packed) {
  if (const auto some = check_rank(packed.shape.size(), "Morello's notation"); !some)
    return fail(some.error());
  auto digits = to_digits(packed.layout, packed.shape);
  if (!digits) return fail(digits.error());
  auto state = std::make_shared<State>();
  state->notation = Notation::morello;
  state->shape = packed.shape;
  state->size = *product(packed.shape);
  if (state->size >= kMaxOffset)
    return fail(Code::overflow, "there are 2^62 elements or more, but offsets must be below 2^62");
  state->digits = *std::move(digits);
  state->written = std::move(packed);
  return Layout(std::move(state));
}

Result<Layout> Layout::make(Strides strides) {
  if (strides.shape.size() != strides.strides.size()) {
    return fail(Code::rank_mismatch,
                fmt::format("{} sizes, but {} strides", strides.shape.size(), strides.strides.size()));
  }
  for (std::size_t i = 0; i < strides.shape.size(); ++i) {
    if (strides.shape[i] < 0)
      return fail(Code::bad_extent,
                  fmt::format("the extent {} of dimension {} is negative", strides.shape[i], i));
  }
  const auto size = product(strides.shape);
  if (!size) return fail(size.error());
  auto digits = to_digits(strides);
  if (!digits) return fail(digits.error());
  if (*size > 0) {
    if (const auto fits = check_bounds(digits->image_bounds()); !fits) return fail(fits.error());
  }
  auto state = std::make_shared<State>();
  state->notation = Notation::strides;
  state->shape = strides.shape;
  state->size = *size;
  state->digits = *std::move(digits);
  state->written = std::move(strides);
  return Layout(std::move(state));
}

Result<Layout> Layout::make(LinearLayout linear) {
  if (const auto some = check_rank(linear.bases().size(), "a linear layout"); !some)
    return fail(some.error());
  if (const auto fits = check_bounds({0, detail::largest_xor(linear)}); !fits) return fail(fits.error());
  auto state = std::make_shared<State>();
  state->notation = Notation::linear;
  state->shape = linear.shape();
  state->size = *product(state->shape);
  state->digits = detail::structural_digits(linear);
  state->written = std::move(linear);
  return Layout(std::move(state));
}

Result<Layout> Layout::make(IndexMap map, std::span<const Index> empty_shape) {
  auto box = detail::box_of(map);
  if (!box) return fail(box.error());
  if (map.known_empty() && empty_shape.size() == box->size())
    box->assign(empty_shape.begin(), empty_shape.end());
  const auto size = product(*box);
  if (!size) return fail(size.error());
  auto state = std::make_shared<State>();
  state->notation = Notation::map;
  state->digits = *size > 0 ? detail::structural_digits(map) : Digits::normalized(*box, 0, {});
  if (*size > 0) {
    auto program = detail::OffsetProgram::make(map.results()[0], *box);
    if (!program) return fail(program.error());
    const Interval bounds = state->digits ? state->digits->image_bounds() : program->bounds();
    if (const auto fits = check_bounds(bounds); !fits) return fail(fits.error());
    state->program = *std::move(program);
  }
  state->shape = *std::move(box);
  state->size = *size;
  state->written = std::move(map);
  return Layout(std::move(state));
}

Result<Layout> Layout::make(const Digits& digits) {
  const auto size = product(digits.box());
  if (!size) return fail(size.error());
  if (*size > 0) {
    if (const auto fits = check_bounds(digits.image_bounds()); !fits) return fail(fits.error());
  }
  auto state = std::make_shared<State>();
  state->notation = Notation::map;
  state->shape.assign(digits.box().begin(), digits.box().end());
  state->size = *size;
  state->written = digits.to_index_map();
  state->digits = digits;
  return Layout(std::move(state));
}

Notation Layout::notation() const { return state_->notation; }
std::span<const Index> Layout::shape() const { return state_->shape; }
Index Layout::size() const { return state_->size; }
const Digits* Layout::known_digits() const { return state_->digits ? &*state_->digits : nullptr; }

Index Layout::offset(std::span<const Index> index) const {
  if (state_->digits) return state_->digits->offset(index);
  switch (state_->notation) {
    case Notation::xla:
      return state_->tiled->offset_unchecked(index);
    case Notation::linear:
      return std::get<LinearLayout>(state_->written).offset(index);
    case Notation::map:
      return state_->program.run(index);
    default: {
      const auto& chain = std::get<Chain>(state_->written);
      return *detail::push(*chain.layout, chain.layout->parts - 1, chain.inner.offset(index));
    }
  }
}

Result<Index> Layout::buffer_size() const {
  if (state_->notation == Notation::xla) return state_->tiled->buffer_elements();
  if (state_->notation == Notation::morello || state_->size == 0) return state_->size;
  const auto of_bounds = [](Interval bounds) -> Result<Index> {
    if (bounds.lower < 0) {
      return fail(Code::not_applicable,
                  fmt::format("the smallest offset is {}, but memory starts at offset 0", bounds.lower), {},
                  fmt::format("add an offset: np:(...):(...) + {}", 0 - bounds.lower));
    }
    return one_more(bounds.upper);
  };
  if (state_->notation == Notation::map && !state_->digits && state_->program.is_exact())
    return of_bounds(state_->program.bounds());
  const auto range = offset_range(*this);
  if (!range) return fail(range.error());
  return of_bounds(*range);
}

std::optional<DType> Layout::dtype() const {
  if (const TensorType* type = tensor_type()) return type->dtype;
  return std::nullopt;
}

std::optional<Index> Layout::element_bits() const {
  const TensorType* type = tensor_type();
  if (type == nullptr) return std::nullopt;
  if (type->layout && type->layout->element_bits > 0) return type->layout->element_bits;
  return ceil_div(Index{bit_width(type->dtype)}, 8) * 8;
}

const TensorType* Layout::tensor_type() const { return std::get_if<TensorType>(&state_->written); }
const TiledMap* Layout::tiled_map() const { return state_->tiled ? &*state_->tiled : nullptr; }
const StridedLayout* Layout::strided() const {
  const auto* cropped = std::get_if<Cropped>(&state_->written);
  return cropped != nullptr ? &cropped->layout : nullptr;
}
const ComposedLayout* Layout::composed() const {
  const auto* chain = std::get_if<Chain>(&state_->written);
  return chain != nullptr ? chain->layout.get() : nullptr;
}
const ShapedPackedLayout* Layout::packed() const { return std::get_if<ShapedPackedLayout>(&state_->written); }
const Strides* Layout::strides() const { return std::get_if<Strides>(&state_->written); }
const LinearLayout* Layout::linear() const { return std::get_if<LinearLayout>(&state_->written); }
const IndexMap* Layout::index_map() const { return std::get_if<IndexMap>(&state_->written); }

bool Layout::is_cropped() const {
  if (const auto* cropped = std::get_if<Cropped>(&state_->written)) return cropped->is_cropped;
  const auto* chain = std::get_if<Chain>(&state_->written);
  return chain != nullptr && chain->is_cropped;
}

bool operator==(const Layout& a, const Layout& b) {
  return a.state_ == b.state_ ||
         (a.state_->shape == b.state_->shape && a.state_->written == b.state_->written);
}

Result<Digits> to_digits(const Layout& layout) {
  if (const Digits* known = layout.known_digits()) return *known;
  if (const IndexMap* map = layout.index_map()) return to_digits(*map);
  if (const auto linear = linear_form(layout)) {
    if (std::ranges::equal(linear->shape(), layout.shape())) return to_digits(*linear);
  }
  const auto groups = interacting_dims(layout);
  return digits_by_tables(
      {layout.shape().begin(), layout.shape().end()},
      [&](std::span<const Index> x) { return layout.offset(x); }, groups);
}

std::vector<std::vector<std::size_t>> interacting_dims(const Layout& layout) {
  if (layout.known_digits() != nullptr) return {};
  if (const TensorType* type = layout.tensor_type()) return detail::interacting_dims(*type);
  if (const IndexMap* map = layout.index_map()) return detail::interacting_dims(*map);
  if (const auto linear = linear_form(layout)) return detail::interacting_dims(*linear);
  if (layout.rank() < 2) return {};
  return {detail::all_dims(layout.rank())};
}

std::optional<LinearLayout> linear_form(const Layout& layout) {
  if (const LinearLayout* linear = layout.linear()) return *linear;
  const ComposedLayout* chain = layout.composed();
  if (chain == nullptr) return std::nullopt;
  const Outcome<LinearBases> table = to_linear(*chain);
  if (!table) return std::nullopt;
  // One row of bases per leaf; the leaves of a mode are consecutive.
  std::vector<std::vector<Index>> bases;
  int next = 0;
  const StridedLayout& domain = chain->domain();
  Cursor mode = first_mode(domain.profile);
  for (int i = 0; i < domain.rank(); ++i) {
    const Cursor end = after(domain.profile, mode);
    std::vector<Index>& own = bases.emplace_back();
    for (int leaf = mode.leaf; leaf < end.leaf; ++leaf) {
      for (int k = 0; k < table->bits[leaf]; ++k) own.push_back(table->basis[next++]);
    }
    // A crop leaves the upper bits unused.
    while (!own.empty() && (Index{1} << (own.size() - 1)) >= layout.shape()[static_cast<std::size_t>(i)])
      own.pop_back();
    mode = end;
  }
  auto made = LinearLayout::make(std::move(bases));
  if (!made) return std::nullopt;
  return *std::move(made);
}

}  // namespace tessera
