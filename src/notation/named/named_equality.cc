// SPDX-License-Identifier: Apache-2.0
#include "notation/named/named_equality.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "base/plural.h"
#include "base/try.h"
#include "notation/named/named_state.h"
#include "tessera/notation/named_layout.h"

namespace tessera {
namespace {

LayoutEquality no(std::string word, std::string reason) {
  return {.verdict = Verdict::no, .word = std::move(word), .reason = std::move(reason)};
}

// The plane with a bit.
const BitPlane& plane_at(const std::vector<BitPlane>& planes, int bit) {
  const auto after = std::ranges::upper_bound(planes, bit, {}, &BitPlane::first);
  return *std::prev(after);
}

// Bits [first, first + count) of each element, as a layout of bits.
Result<Layout> bits_of(const BitPlane& plane, int first, int count) {
  TESSERA_TRY(all, bit_layout(plane.layout, plane.width));
  if (first == plane.first && count == plane.width) return all;
  std::vector<Index> shape(all.shape().begin(), all.shape().end());
  shape.back() = count;
  const Index skipped = first - plane.first;
  if (const Digits* known = all.known_digits()) {
    std::vector<Digit> digits(known->digits().begin(), known->digits().end());
    std::erase_if(digits, [&](const Digit& digit) { return digit.dim == std::ssize(shape) - 1; });
    digits.push_back({std::ssize(shape) - 1, 1, count, 1});
    return Layout::make(Digits::normalized(std::move(shape), known->base() + skipped, std::move(digits)));
  }
  return Layout::make(IndexMap::make_unchecked(Domain::box(shape), {lower(all).results()[0] + skipped}),
                      shape);
}

// The planes of either kind of layout.
Result<std::vector<BitPlane>> planes_of(const NamedOrLayout& side, int bits) {
  if (side.named) return planes(*side.named);
  return std::vector<BitPlane>{{0, bits, *side.layout}};
}

std::vector<Index> compared_shape(const NamedOrLayout& side, const LayoutEqualityOptions& options) {
  std::vector<Index> shape(side.shape().begin(), side.shape().end());
  if (options.ignore_unit_dims) std::erase(shape, 1);
  return shape;
}

std::string width_text(const std::optional<Index>& bits) {
  return bits ? detail::plural(*bits, "bit") : std::string("no known width");
}

std::string text_of(const NamedOrLayout& side) {
  return side.named ? to_string(*side.named) : to_prefixed_string(*side.layout);
}

// Each range of bits is in one plane of both.
Result<LayoutEquality> compare_ranges(const NamedOrLayout& a, const NamedOrLayout& b, int bits,
                                      const LayoutEqualityOptions& options) {
  TESSERA_TRY(mine, planes_of(a, bits));
  TESSERA_TRY(other, planes_of(b, bits));
  std::set<int> cuts = {bits};
  for (const auto* all : {&mine, &other}) {
    for (const BitPlane& plane : *all) cuts.insert(plane.first);
  }
  LayoutEquality answer = {.verdict = Verdict::yes};
  int first = 0;
  for (const int end : cuts) {
    if (end == 0) continue;
    TESSERA_TRY(here, bits_of(plane_at(mine, first), first, end - first));
    TESSERA_TRY(there, bits_of(plane_at(other, first), first, end - first));
    LayoutEquality one = same_map(here, there, options);
    if (one.verdict == Verdict::no && one.difference) {
      // The dimension of a single bit is dropped with the others of extent 1.
      if (options.ignore_unit_dims && end - first == 1) one.difference->index.push_back(0);
      one.difference->index.back() += first;
      if (!answer.difference || one.difference->index < answer.difference->index)
        answer.difference = std::move(one.difference);
      answer.smallest = answer.smallest && one.smallest;
      answer.verdict = Verdict::no;
    } else if (one.verdict == Verdict::undecided) {
      answer.smallest = false;
      if (answer.verdict == Verdict::yes) answer.verdict = Verdict::undecided;
      answer.reason = std::move(one.reason);
    }
    first = end;
  }
  if (answer.verdict == Verdict::no) answer.reason.clear();
  return answer;
}

}  // namespace

Result<LayoutEquality> detail::compare_bits(const NamedOrLayout& a, const NamedOrLayout& b, int bits,
                                            const LayoutEqualityOptions& options) {
  return compare_ranges(a, b, bits, options);
}

std::optional<Index> NamedOrLayout::element_bits() const {
  if (named) return Index{named->type().bits};
  return layout->element_bits();
}

Result<NamedOrLayout> parse_named_or_layout(std::string_view text) {
  if (!is_named_text(text)) {
    TESSERA_TRY(layout, parse_layout(text));
    return NamedOrLayout{.layout = layout};
  }
  TESSERA_TRY(named, parse_named_layout(text));
  if (named.kind() != NamedKind::cells) return NamedOrLayout{.named = named};
  TESSERA_TRY(cells, to_layout(named));
  return NamedOrLayout{.named = named, .layout = cells};
}

Result<LayoutEquality> equal(const NamedOrLayout& a, const NamedOrLayout& b, EqualityNotion notion,
                             const LayoutEqualityOptions& options) {
  if (a.layout && b.layout) return equal(*a.layout, *b.layout, notion, options);
  if (notion == EqualityNotion::text || notion == EqualityNotion::structure) {
    if (a.named && b.named && *a.named == *b.named) return LayoutEquality{.verdict = Verdict::yes};
    return no(std::string(to_string(notion)),
              fmt::format("the layouts are {} and {}", text_of(a), text_of(b)));
  }
  const std::vector<Index> mine_shape = compared_shape(a, options);
  const std::vector<Index> other_shape = compared_shape(b, options);
  if (mine_shape != other_shape) {
    return no("different_shape", fmt::format("the shapes are ({}) and ({})", fmt::join(mine_shape, ","),
                                             fmt::join(other_shape, ",")));
  }
  const auto bits = a.element_bits();
  if (bits != b.element_bits() || !bits) {
    return no("different_type",
              fmt::format("elements have {} and {}", width_text(bits), width_text(b.element_bits())));
  }
  TESSERA_TRY(answer, detail::compare_bits(a, b, static_cast<int>(*bits), options));
  if (notion == EqualityNotion::map || answer.verdict == Verdict::no) return answer;
  const auto buffer = [&](const NamedOrLayout& side) -> std::optional<Index> {
    if (side.named) return side.named->buffer_bits();
    const auto cells = side.layout->buffer_size();
    return cells ? checked_mul(*cells, *bits) : std::nullopt;
  };
  const auto mine = buffer(a);
  const auto other = buffer(b);
  if (mine != other) {
    const auto text = [](const std::optional<Index>& size) {
      return size ? detail::plural(*size, "bit") : std::string("no known size");
    };
    return no("buffer_size", fmt::format("the buffers have {} and {}", text(mine), text(other)));
  }
  return answer;
}

}  // namespace tessera
