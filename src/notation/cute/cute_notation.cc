// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "base/index_walk.h"
#include "base/plural.h"
#include "notation/conversion.h"
#include "notation/cute/cute_form.h"
#include "notation/cute/cute_text.h"
#include "notation/cute/swizzle_from_map.h"
#include "notation/from_digits.h"
#include "notation/limits.h"
#include "notation/not_representable.h"
#include "notation/notation_traits.h"
#include "notation/parse_layout.h"
#include "notation/to_digits.h"
#include "notation/unit_strides.h"
#include "tessera/algebra/composed_layout.h"
#include "tessera/notation/cute.h"
#include "text/character_class.h"
#include "text/integers.h"

namespace tessera {
namespace {

using detail::Claim;
using detail::is_empty;
using detail::NotationTraits;
using detail::TextStart;

// The sizes of the top-level modes.
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
    return fail(Code::rank_mismatch,
                fmt::format("the crop has {}, but the layout has {}", detail::plural(crop.size(), "size"),
                            detail::plural(box.size(), "mode")));
  }
  for (std::size_t i = 0; i < crop.size(); ++i) {
    if (crop[i] >= 1 && crop[i] <= box[i]) continue;
    return fail(Code::bad_extent,
                fmt::format("the crop of mode {} is {}, outside [1, {}]", i, crop[i], box[i]), {},
                "a crop keeps the first indices of a mode, at least one");
  }
  std::swap(box, crop);
  if (crop == box) crop.clear();
  return box;
}

// The range of a part for arguments in `in`; empty if the bounds do not prove that it is defined there.
std::optional<Interval> pushed(const ComposedPart& part, Interval in) {
  Interval value = in + Interval::point(part.offset);
  if (!value.is_finite()) return std::nullopt;
  if (part.kind == ComposedPart::Kind::swizzle) {
    if (value.lower < 0) return std::nullopt;
    // A swizzle maps each aligned block of 2^k to itself if the bits it moves are below k.
    const Index moved = part.swizzle.read_mask() | part.swizzle.write_mask();
    Index top = 1;
    while (top <= std::max(value.upper, moved)) {
      if (top >= detail::kNotationLimits.offset) return std::nullopt;
      top *= 2;
    }
    return value.upper < (moved & -moved) || moved == 0 ? value : Interval{0, top - 1};
  }
  // Every digit except the last is less than its extent; the last takes the rest.
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

// Checks that the chain is defined and in range everywhere: first by bounds, then by enumeration.
Result<void> check_chain(const ComposedLayout& chain, const Digits& inner) {
  std::optional<Interval> bounds = inner.image_bounds();
  for (int i = chain.parts - 1; i-- > 0 && bounds;) bounds = pushed(chain.part[i], *bounds);
  if (bounds && detail::check_bounds(*bounds)) return {};
  Index points = 1;
  for (const Index extent : inner.box()) {
    if (mul_overflows(points, extent, points) || points > kTableLimit) {
      return fail(Code::undecided,
                  fmt::format("could not decide whether the chain has a value everywhere: it has more than "
                              "{} indices, too many to enumerate",
                              kTableLimit));
    }
  }
  std::vector<Index> index(inner.box().size(), 0);
  do {
    const detail::Outcome<Index> value = detail::push(chain, chain.parts - 1, inner.offset(index));
    if (value && detail::check_bounds(Interval::point(*value))) continue;
    if (value.error.code == Code::unsupported_codomain) {
      return fail(Code::unsupported_codomain,
                  fmt::format("index {} passes {} to a swizzle, which takes no negative values",
                              detail::point_text(index), value.error.first));
    }
    return fail(Code::overflow, fmt::format("the offset of index {} is not between -2^62 and 2^62",
                                            detail::point_text(index)));
  } while (detail::next_index(index, inner.box()));
  return {};
}

Claim claim_cute(const TextStart& start) {
  if (start.has_arrow) return Claim::no;
  if (begins_cute(start.text.substr(start.inside))) return Claim::certain;
  const bool number = start.word.empty() || start.word[0] == '_' || detail::is_digit(start.word[0]);
  return number ? Claim::possible : Claim::no;
}

// Reads the sizes after `crop`; the spans of errors refer to `text`.
Result<std::vector<Index>> read_crop(std::string_view text, std::size_t begin) {
  Lexer lexer(text.substr(begin));
  const auto read = [&]() -> Result<std::vector<Index>> {
    std::vector<Index> sizes;
    if (!lexer.accept("(")) return detail::expected(lexer, "'(' and the sizes of the crop");
    do {
      const auto size = detail::read_integer(lexer);
      if (!size) return fail(size.error());
      sizes.push_back(*size);
    } while (lexer.accept(","));
    if (!lexer.accept(")")) return detail::expected(lexer, "',' or ')' in the crop");
    if (lexer.peek().kind != TokenKind::end) return detail::expected(lexer, "the end of the text");
    return sizes;
  };
  auto sizes = read();
  if (!sizes) {
    sizes.error().span.begin += static_cast<std::uint32_t>(begin);
    sizes.error().span.end += static_cast<std::uint32_t>(begin);
  }
  return sizes;
}

Result<Layout> read_cute(std::string_view text) {
  constexpr std::string_view kCrop = "crop";
  const std::size_t at = text.find(kCrop);
  std::vector<Index> crop;
  std::string_view layout = text;
  if (at != std::string_view::npos) {
    auto sizes = read_crop(text, at + kCrop.size());
    if (!sizes) return fail(sizes.error());
    crop = *std::move(sizes);
    layout = text.substr(0, at);
  }
  if (layout.find_first_of("So") == std::string_view::npos) {
    const auto plain = parse_cute_layout(layout);
    if (!plain) return fail(plain.error());
    return detail::placed(Layout::make(plain->layout, std::move(crop)), text);
  }
  const auto chain = parse_cute_expression(layout);
  if (!chain) return fail(chain.error());
  auto made = detail::placed(Layout::make(chain->layout, std::move(crop)), text);
  if (!made && made.error().reason == "not_a_layout" && made.error().help.empty())
    made.error().help = "end the chain with a layout: Sw<3,0,3> o _0 o (8,8):(8,1)";
  return made;
}

Result<Conversion> convert_to_cute(const Layout& from) {
  if (is_empty(from))
    return detail::not_representable("empty", "the box is empty, but CuTe's extents are at least 1");
  const auto digits = to_digits(from);
  if (!digits) {
    if (from.notation() == Notation::cute) return Conversion{from};
    if (auto layout = detail::swizzled(from)) return Conversion{*std::move(layout)};
    if (auto layout = detail::swizzled_digits(from)) return Conversion{*std::move(layout)};
    Diagnostic why = digits.error();
    why.notes.emplace_back(from.size() <= detail::kNotationLimits.cute.swizzled
                               ? "it is not a single swizzle of a layout either"
                               : "it is not a single swizzle of an uncropped layout with power-of-two "
                                 "extents either; with so many "
                                 "indices, no other layouts were tried");
    return fail(std::move(why));
  }
  const auto layout = to_strided_layout(*digits);
  if (layout) return detail::converted(Layout::make(*layout, detail::shape_of(from)));
  // A chain may start at another offset than 0.
  if (from.notation() == Notation::cute) return Conversion{from};
  return fail(layout.error());
}

void add_cute_spellings(const Layout& from, const Layout&, std::vector<Layout>& all) {
  if (is_empty(from)) return;
  if (auto layout = detail::swizzled(from)) detail::add_spelling(all, *std::move(layout));
  // The strides that the source has for dimensions with one index.
  const auto digits = to_digits(from);
  const auto layout = digits ? to_strided_layout(*digits, detail::unit_strides(from)) : fail(digits.error());
  if (layout) detail::add_spelling(all, Layout::make(*layout, detail::shape_of(from)));
}

}  // namespace

bool Layout::is_cropped() const {
  const StridedLayout* modes = shape_stride();
  if (const ComposedLayout* chain = composed()) modes = &chain->domain();
  return modes != nullptr && !std::ranges::equal(mode_sizes(*modes), shape());
}

Result<Layout> to_layout(const StridedLayout& layout, std::vector<Index> crop) {
  auto box = box_of(layout, crop);
  if (!box) return fail(box.error());
  Digits digits = to_digits(layout, *box);
  if (const auto checked = detail::check_bounds(digits.image_bounds()); !checked)
    return fail(checked.error());
  const Index size = *detail::checked_size(*box);
  return detail::new_layout(Notation::cute, *std::move(box), size, std::move(digits),
                            std::make_unique<detail::CuteForm>(layout, !crop.empty()));
}

Result<Layout> to_layout(const ComposedLayout& chain, std::vector<Index> crop) {
  if (!chain.has_domain()) {
    return detail::not_representable("not_a_layout",
                                     "the chain ends in a swizzle and so has no shape; end it in a layout");
  }
  if (chain.parts == 1) return to_layout(chain.domain(), std::move(crop));
  auto box = box_of(chain.domain(), crop);
  if (!box) return fail(box.error());
  for (int i = 0; i + 1 < chain.parts; ++i) {
    if (chain.part[i].kind == ComposedPart::Kind::layout && chain.part[i].layout.has_basis())
      return fail(Code::unsupported_codomain, "a layout in the chain has coordinate strides");
  }
  Digits last = to_digits(chain.domain(), *box);
  if (const auto total = check_chain(chain, last); !total) return fail(total.error());
  const Index size = *detail::checked_size(*box);
  return detail::new_layout(Notation::cute, *std::move(box), size, std::nullopt,
                            std::make_unique<detail::CuteChainForm>(chain, std::move(last), !crop.empty()));
}

const NotationTraits& detail::cute_traits() {
  static const NotationTraits traits = {
      .prefix = "cute",
      .example = "a layout has a shape and strides of the same nesting: (4,8):(8,1)",
      .claim = claim_cute,
      .read = read_cute,
      .convert = convert_to_cute,
      .add_spellings = add_cute_spellings,
  };
  return traits;
}

}  // namespace tessera
