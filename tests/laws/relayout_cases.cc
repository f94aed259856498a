// SPDX-License-Identifier: Apache-2.0
#include "laws/relayout_cases.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

#include "base/check.h"
#include "tessera/notation/layout.h"

namespace tessera::testing_relayout {
namespace {

using Extents = std::vector<Index>;

std::vector<std::size_t> shuffled(Choices& choices, std::size_t n) {
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = n; i > 1; --i)
    std::swap(order[i - 1], order[static_cast<std::size_t>(choices.pick(0, static_cast<Index>(i) - 1))]);
  return order;
}

// Strides for the extents in some order, with or without gaps, followed by the stride after the last one.
Extents strides_for(Choices& choices, const Extents& extents, bool injective) {
  Extents strides(extents.size(), 0);
  Index next = choices.one_in(6) ? choices.pick(2, 5) : 1;
  for (const std::size_t k : shuffled(choices, extents.size())) {
    strides[k] = next;
    next *= std::max<Index>(extents[k], 1);
    if (choices.one_in(6)) next += choices.pick(1, 9);
    if (choices.one_in(12)) next = (next + 63) / 64 * 64;
    if (!injective && choices.one_in(5)) strides[k] = choices.pick(0, 3);
  }
  return strides;
}

std::string draw_strides(Choices& choices, const Extents& box, bool injective) {
  Extents strides = strides_for(choices, box, injective);
  Index offset = choices.one_in(4) ? choices.pick(1, 20) : 0;
  for (std::size_t k = 0; k < box.size(); ++k) {
    if (!choices.one_in(5)) continue;
    offset += std::max<Index>(box[k] - 1, 0) * strides[k];
    strides[k] = -strides[k];
  }
  return fmt::format("np:({}):({}) + {}", fmt::join(box, ","), fmt::join(strides, ","), offset);
}

std::string draw_cute(Choices& choices, const Extents& box, bool injective) {
  Extents leaves;
  std::vector<std::size_t> parts;
  for (const Index extent : box) {
    Index rest = extent;
    std::size_t count = 0;
    while (rest > 1 && choices.one_in(2) && count < 3) {
      const Index leaf = choices.pick(1, std::min<Index>(rest, 9));
      leaves.push_back(leaf);
      rest = ceil_div(rest, leaf);
      ++count;
    }
    leaves.push_back(choices.one_in(8) ? rest + choices.pick(0, 2) : rest);
    parts.push_back(count + 1);
  }
  const Extents strides = strides_for(choices, leaves, injective);
  std::string shape;
  std::string stride;
  std::size_t at = 0;
  for (std::size_t k = 0; k < box.size(); ++k) {
    const auto list = [&](const Extents& values) {
      return fmt::format("({})", fmt::join(values.begin() + static_cast<std::ptrdiff_t>(at),
                                           values.begin() + static_cast<std::ptrdiff_t>(at + parts[k]), ","));
    };
    shape += (k > 0 ? "," : "") + list(leaves);
    stride += (k > 0 ? "," : "") + list(strides);
    at += parts[k];
  }
  std::string text = fmt::format("({}):({})", shape, stride);
  if (choices.one_in(3)) {
    const Index bits = choices.pick(1, 3);
    const Index base = choices.pick(0, 3);
    const Index shift = bits + choices.pick(0, 2);
    text = fmt::format("Sw<{},{},{}> o 0 o {}", bits, base, shift, text);
  }
  return fmt::format("cute:{} crop ({})", text, fmt::join(box, ","));
}

std::string draw_xla(Choices& choices, const Extents& box) {
  std::string text =
      fmt::format("f32[{}]{{{}", fmt::join(box, ","), fmt::join(shuffled(choices, box.size()), ","));
  const Index tiles = choices.pick(0, 3);
  for (Index t = 0; t < tiles; ++t) {
    text += t == 0 ? ":T(" : "(";
    const Index entries = choices.pick(1, static_cast<Index>(std::max<std::size_t>(box.size(), 1)));
    for (Index k = 0; k < entries; ++k) {
      if (k > 0) text += ",";
      text += k + 1 < entries && choices.one_in(8) ? "*" : fmt::format("{}", choices.pick(1, 7));
    }
    text += ")";
  }
  return text + "}";
}

std::string draw_morello(Choices& choices, const Extents& box) {
  // The fastest come first: packs that divide the remaining extent of their dimension, then the rest of each
  // dimension.
  Extents rest = box;
  std::vector<std::string> entries;
  const Index packs = choices.pick(0, 4);
  for (Index p = 0; p < packs; ++p) {
    const auto dim = static_cast<std::size_t>(choices.pick(0, static_cast<Index>(box.size()) - 1));
    const Index size = choices.pick(2, 8);
    if (rest[dim] % size != 0) continue;
    rest[dim] /= size;
    const bool odd_even = size % 2 == 0 && choices.one_in(2);
    entries.push_back(fmt::format("{} {}({})", dim, odd_even ? "oe" : "p", size));
  }
  for (const std::size_t dim : shuffled(choices, box.size())) entries.push_back(fmt::format("{}", dim));
  std::ranges::reverse(entries);
  return fmt::format("mor:{}:[{}]", fmt::join(box, "x"), fmt::join(entries, ", "));
}

std::string draw_linear(Choices& choices, const Extents& box, bool injective) {
  std::size_t bits = 0;
  for (const Index extent : box)
    bits += static_cast<std::size_t>(std::countr_zero(static_cast<std::uint64_t>(extent)));
  Extents bases(bits);
  const auto order = shuffled(choices, bits);
  for (std::size_t k = 0; k < bits; ++k) bases[k] = Index{1} << order[k];
  // Adding one basis to another keeps them independent.
  const Index mixes = bits < 2 ? 0 : choices.pick(0, 4);
  for (Index m = 0; m < mixes; ++m) {
    const auto a = static_cast<std::size_t>(choices.pick(0, static_cast<Index>(bits) - 1));
    const auto b = static_cast<std::size_t>(choices.pick(0, static_cast<Index>(bits) - 1));
    if (a != b) bases[a] ^= bases[b];
  }
  if (!injective && bits > 0 && choices.one_in(3)) bases[0] = 0;
  std::string text = "ll:";
  std::size_t at = 0;
  for (std::size_t dim = 0; dim < box.size(); ++dim) {
    const auto own = static_cast<std::size_t>(std::countr_zero(static_cast<std::uint64_t>(box[dim])));
    text += fmt::format("{}d{}:{}", dim > 0 ? " " : "", dim,
                        fmt::join(bases.begin() + static_cast<std::ptrdiff_t>(at),
                                  bases.begin() + static_cast<std::ptrdiff_t>(at + own), ","));
    at += own;
  }
  return text;
}

bool fits(const Layout& layout, const Extents& box, Index most) {
  if (!std::ranges::equal(layout.shape(), box)) return false;
  const auto elements = layout.buffer_size();
  return elements && *elements <= most;
}

}  // namespace

std::vector<Index> draw_box(Choices& choices, Index elements) {
  if (choices.one_in(60)) return {};
  const Index rank = choices.pick(1, 5);
  const bool powers = choices.one_in(4);
  Extents box;
  Index size = 1;
  for (Index k = 0; k < rank; ++k) {
    const Index room = std::min<Index>(elements / size, choices.one_in(4) ? 300 : 24);
    const Index extent = powers ? Index{1}
                                      << choices.pick(0, std::bit_width(static_cast<std::uint64_t>(room)) - 1)
                                : choices.pick(1, room);
    box.push_back(extent);
    size *= extent;
  }
  if (choices.one_in(100)) box[0] = 0;
  return box;
}

Layout draw_layout(Choices& choices, const std::vector<Index>& box, bool injective, Index most) {
  const bool positive = !box.empty() && std::ranges::find(box, 0) == box.end();
  const bool powers = positive && std::ranges::all_of(box, [](Index extent) {
                        return std::has_single_bit(static_cast<std::uint64_t>(extent));
                      });
  for (int attempt = 0; attempt < 8; ++attempt) {
    std::string text;
    switch (choices.pick(0, powers ? 5 : 4)) {
      case 0:
        text = draw_xla(choices, box);
        break;
      case 1:
        text = positive ? draw_cute(choices, box, injective) : draw_strides(choices, box, injective);
        break;
      case 2:
        text = positive ? draw_morello(choices, box) : draw_xla(choices, box);
        break;
      case 5:
        text = draw_linear(choices, box, injective);
        break;
      default:
        text = draw_strides(choices, box, injective);
        break;
    }
    auto layout = parse_layout(text);
    if (!layout || !fits(*layout, box, most)) continue;
    if (choices.one_in(8)) {
      auto map = Layout::make(lower(*layout));
      if (map && fits(*map, box, most)) return *map;
    }
    return *layout;
  }
  Strides plain{box, Extents(box.size(), 0), 0};
  Index stride = 1;
  for (std::size_t k = box.size(); k-- > 0; stride *= std::max<Index>(box[k], 1)) plain.strides[k] = stride;
  return *Layout::make(plain);
}

Layout draw_broadcast(Choices& choices, const std::vector<Index>& box) {
  Extents strides(box.size(), 0);
  Index next = 1;
  for (const std::size_t k : shuffled(choices, box.size())) {
    if (choices.one_in(2)) continue;
    strides[k] = next;
    next *= std::max<Index>(box[k], 1);
  }
  return *Layout::make(Strides{box, strides, 0});
}

Layout draw_swizzled(Choices& choices, const std::vector<Index>& box) {
  if (box.empty() || std::ranges::find(box, 0) != box.end())
    return *Layout::make(Strides{box, Extents(box.size(), 0), 0});
  std::string text = "cute:";
  for (Index swizzles = choices.one_in(4) ? 2 : 1; swizzles > 0; --swizzles) {
    const Index bits = choices.pick(1, 3);
    const Index base = choices.pick(0, 4);
    const Index shift = bits + choices.pick(0, 3);
    const bool down = choices.one_in(4);
    const Index offset = choices.one_in(6) ? choices.pick(1, 40) : 0;
    text += fmt::format("Sw<{},{},{}> o {} o ", bits, base, down ? -shift : shift, offset);
  }
  const Extents strides = strides_for(choices, box, true);
  return parse_layout(fmt::format("{}({}):({})", text, fmt::join(box, ","), fmt::join(strides, ","))).value();
}

std::vector<Index> draw_wide_box(Choices& choices) {
  const Index rows = choices.pick(64, 200);
  const Index cols = choices.one_in(4) ? 64 * choices.pick(1, 2) : choices.pick(64, 200);
  Extents box = {rows, cols};
  if (choices.one_in(3)) {
    const auto at = static_cast<std::ptrdiff_t>(choices.pick(0, 2));
    box.insert(box.begin() + at, choices.pick(2, 4));
  }
  return box;
}

Layout draw_wide_layout(Choices& choices, const std::vector<Index>& box) {
  constexpr std::array<const char*, 5> kTiles = {"", "T(8,128)", "T(8,128)(2,1)", "T(8,128)(4,1)",
                                                 "T(16,16)"};
  const auto order = shuffled(choices, box.size());
  // Row pitches that map to the same cache sets, to nearby sets, or to different sets.
  const Index round = choices.one_in(2) ? (choices.one_in(2) ? 1024 : 2048) : 1;
  const Index past = choices.one_in(4) ? choices.pick(1, 40) : 0;
  Extents strides(box.size());
  Index next = 1;
  for (const std::size_t k : order) {
    strides[k] = next;
    next *= box[k];
    if (k == order.front()) next = (next + round - 1) / round * round + past;
  }
  const auto tile = static_cast<std::size_t>(choices.pick(0, 4));
  const std::string tiled = fmt::format("u8[{}]{{{}{}{}}}", fmt::join(box, ","), fmt::join(order, ","),
                                        tile == 0 ? "" : ":", kTiles[tile]);
  const std::string strided = fmt::format("np:({}):({})", fmt::join(box, ","), fmt::join(strides, ","));
  const std::string swizzled =
      fmt::format("cute:Sw<3,3,3> o 0 o ({}):({})", fmt::join(box, ","), fmt::join(strides, ","));
  const Index kind = choices.pick(0, 7);
  if (kind == 0) return draw_layout(choices, box, true, kWideBuffer);
  const auto layout = parse_layout(kind == 1 ? swizzled : kind < 4 ? tiled : strided);
  TESSERA_CHECK(layout.has_value(), "the texts are right");
  if (fits(*layout, box, kWideBuffer)) return *layout;
  return draw_wide_layout(choices, box);
}

}  // namespace tessera::testing_relayout
