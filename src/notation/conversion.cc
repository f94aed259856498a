// SPDX-License-Identifier: Apache-2.0
#include "tessera/notation/conversion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/plural.h"
#include "notation/cute/swizzle_from_map.h"
#include "notation/from_digits.h"
#include "notation/refusal.h"
#include "notation/to_digits.h"
#include "tessera/map/simplify.h"

namespace tessera {
namespace {

bool is_empty(const Layout& layout) { return layout.size() == 0; }

// Properties of an array that only XLA's notation has, and the contiguity of a packed layout.
std::vector<std::string> tags(const Layout& from) {
  std::vector<std::string> out;
  if (const ShapedPackedLayout* packed = from.packed();
      packed != nullptr && !packed->layout.fully_contiguous())
    out.push_back(fmt::format("contiguity c{}", packed->layout.contig()));
  const TensorType* type = from.tensor_type();
  if (type == nullptr) return out;
  out.push_back(fmt::format("type {}", to_string(type->dtype)));
  if (std::ranges::find(type->dim_kinds, DimKind::bounded) != type->dim_kinds.end())
    out.emplace_back("dynamic dimensions");
  if (!type->layout) return out;
  const TiledLayout& layout = *type->layout;
  if (layout.element_bits != 0) out.push_back(fmt::format("element width E({})", layout.element_bits));
  if (layout.memory_space != 0) out.push_back(fmt::format("memory space S({})", layout.memory_space));
  if (!layout.splits.empty()) out.emplace_back("splits SC(...)");
  if (layout.metadata_prefix_bytes != 0)
    out.push_back(fmt::format("metadata prefix M({})", layout.metadata_prefix_bytes));
  return out;
}

Result<Conversion> converted(Result<Layout> layout) {
  if (!layout) return fail(layout.error());
  return Conversion{*std::move(layout)};
}

Result<Conversion> to_cute(const Layout& from) {
  if (is_empty(from)) return detail::refuse("empty", "the box is empty, but CuTe's extents are at least 1");
  const auto digits = to_digits(from);
  if (!digits) {
    if (from.notation() == Notation::cute) return Conversion{from};
    if (auto layout = detail::swizzled(from)) return Conversion{*std::move(layout)};
    if (auto layout = detail::swizzled_digits(from)) return Conversion{*std::move(layout)};
    Diagnostic why = digits.error();
    why.notes.emplace_back(
        from.size() <= detail::kSwizzleLimit
            ? "it is not one swizzle before a layout either"
            : "it is not one swizzle before an uncropped layout of powers of two either; other layouts were "
              "not attempted for so many indices");
    return fail(std::move(why));
  }
  const auto layout = to_strided_layout(*digits);
  if (!layout) return fail(layout.error());
  return converted(Layout::make(*layout, {from.shape().begin(), from.shape().end()}));
}

Result<Conversion> to_morello(const Layout& from) {
  if (is_empty(from)) return detail::refuse("empty", "the box is empty, but a packed layout has no extent 0");
  const auto digits = to_digits(from);
  if (!digits) return fail(digits.error());
  auto packed = to_packed_layout(*digits);
  if (!packed) return fail(packed.error());
  auto out = converted(
      Layout::make(ShapedPackedLayout{{from.shape().begin(), from.shape().end()}, *std::move(packed)}));
  const auto memory = from.buffer_size();
  if (out && memory && *memory > from.size()) {
    out->notes.push_back(
        fmt::format("buffer_smaller: the target has {}, the source {}; the tail is not represented",
                    detail::plural(from.size(), "element"), *memory));
  }
  return out;
}

// The array type with other tiles and the buffer size of the source.
Result<Conversion> with_tiles(const Layout& from, TiledLayout tiles) {
  TensorType type{.dtype = DType::f32, .dims = {from.shape().begin(), from.shape().end()}};
  std::vector<std::string> notes;
  std::vector<std::string> dropped;
  if (const TensorType* own = from.tensor_type()) {
    type = *own;
    if (own->layout) {
      TiledLayout tagged = *own->layout;
      // Splits number physical dimensions, so they do not apply to another order.
      if (!tagged.splits.empty() && tagged.minor_to_major != tiles.minor_to_major) {
        tagged.splits.clear();
        dropped.emplace_back("splits SC(...)");
      }
      tagged.minor_to_major = std::move(tiles.minor_to_major);
      tagged.tiles = std::move(tiles.tiles);
      tagged.tail_align = 1;
      tiles = std::move(tagged);
    }
  } else {
    notes.emplace_back("the source has no element type; f32 is assumed");
  }
  type.layout = std::make_shared<const TiledLayout>(tiles);
  auto layout = Layout::make(type);
  if (!layout) return fail(layout.error());
  const auto memory = from.buffer_size();
  const Index allocated = layout->tiled_map()->buffer_elements();
  if (memory && *memory > allocated) {
    tiles.tail_align = *memory;
    type.layout = std::make_shared<const TiledLayout>(std::move(tiles));
    layout = Layout::make(std::move(type));
    if (!layout) return fail(layout.error());
  } else if (memory && *memory < allocated) {
    notes.push_back(fmt::format("buffer_larger: the tiles allocate {}, the source has {}",
                                detail::plural(allocated, "element"), *memory));
  }
  Conversion out{*std::move(layout)};
  out.notes = std::move(notes);
  out.dropped = std::move(dropped);
  return out;
}

std::size_t entries(const std::vector<std::vector<Index>>& tiles) {
  std::size_t count = 0;
  for (const auto& tile : tiles) count += tile.size();
  return count;
}

// Whether the source's list is as short as the list found.
bool is_as_short(const TiledLayout* written, const TiledLayout& found) {
  if (written == nullptr)
    return found.tiles.empty() && std::ranges::is_sorted(found.minor_to_major, std::greater{});
  return std::pair(written->tiles.size(), entries(written->tiles)) <=
         std::pair(found.tiles.size(), entries(found.tiles));
}

Result<Conversion> to_xla(const Layout& from) {
  if (is_empty(from)) {
    if (from.notation() == Notation::xla) return Conversion{from};
    return detail::refuse("empty", "the box is empty, but a tiled layout has no extent 0 here");
  }
  const TensorType* own = from.tensor_type();
  const auto digits = to_digits(from);
  if (!digits) {
    if (own != nullptr) return Conversion{from};
    return fail(digits.error());
  }
  auto tiles = to_tiled_layout(*digits);
  if (own != nullptr && (!tiles || is_as_short(own->layout.get(), *tiles))) return Conversion{from};
  if (!tiles) return fail(tiles.error());
  return with_tiles(from, *std::move(tiles));
}

Result<Conversion> to_linear(const Layout& from) {
  if (is_empty(from))
    return detail::refuse("empty", "the box is empty, but the extents of a linear layout are powers of two");
  if (from.notation() == Notation::linear) return Conversion{from};
  if (const Digits* known = from.known_digits()) {
    auto linear = to_linear_layout(*known);
    if (!linear) return fail(linear.error());
    return converted(Layout::make(*std::move(linear)));
  }
  if (auto linear = linear_form(from); linear && std::ranges::equal(linear->shape(), from.shape()))
    return converted(Layout::make(*std::move(linear)));
  auto linear = to_linear_layout(
      from.shape(), [&](std::span<const Index> x) { return from.offset(x); }, interacting_dims(from));
  if (!linear) return fail(linear.error());
  return converted(Layout::make(*std::move(linear)));
}

constexpr Index kQuickTable = 1 << 16;

Result<Conversion> to_map(const Layout& from) {
  if (is_empty(from)) return converted(Layout::make(lower(from), from.shape()));
  if (from.known_digits() == nullptr && from.size() <= kQuickTable) {
    // The box is small enough to find digits by enumeration.
    if (const auto digits = to_digits(from)) return converted(Layout::make(digits->to_index_map()));
  }
  if (from.known_digits() != nullptr) return converted(Layout::make(lower(from)));
  return converted(Layout::make(simplify(lower(from))));
}

Result<Conversion> in_notation(const Layout& from, Notation to) {
  switch (to) {
    case Notation::xla:
      return to_xla(from);
    case Notation::cute:
      return to_cute(from);
    case Notation::morello:
      return to_morello(from);
    case Notation::strides: {
      const auto digits = to_digits(from);
      if (!digits) return fail(digits.error());
      auto strides = to_strides(*digits);
      if (!strides) return fail(strides.error());
      return converted(Layout::make(*std::move(strides)));
    }
    case Notation::linear:
      return to_linear(from);
    case Notation::map:
      break;
  }
  return to_map(from);
}

// The buffer size of an array or a packed tensor, if the offsets of the target do not imply it.
std::optional<Index> memory_beyond(const Layout& from, const Layout& to) {
  if (from.notation() != Notation::xla && from.notation() != Notation::morello) return std::nullopt;
  if (to.notation() == Notation::xla || to.notation() == Notation::morello) return std::nullopt;
  const auto memory = from.buffer_size();
  if (!memory) return std::nullopt;
  if (to.known_digits() == nullptr) return *memory;
  const auto reached = to.buffer_size();
  return reached && *reached == *memory ? std::nullopt : std::optional(*memory);
}

void add(std::vector<Layout>& all, Result<Layout> layout) {
  if (layout && std::ranges::find(all, *layout) == all.end()) all.push_back(*std::move(layout));
}

}  // namespace

Result<Conversion> convert(const Layout& from, Notation to) {
  auto out = in_notation(from, to);
  if (!out) return out;
  if (from.notation() != to) out->dropped = tags(from);
  out->buffer_size = memory_beyond(from, out->layout);
  return out;
}

Result<std::vector<Layout>> spellings(const Layout& from, Notation to) {
  auto first = convert(from, to);
  if (!first) return fail(first.error());
  std::vector<Layout> all = {first->layout};
  if (from.notation() == to) add(all, from);
  if (is_empty(from)) return all;
  const auto digits = to_digits(from);
  if (to == Notation::xla && digits) {
    if (const auto lists = to_tiled_layouts(*digits)) {
      for (const TiledLayout& tiles : *lists) {
        if (auto one = with_tiles(from, tiles)) add(all, one->layout);
      }
    }
  }
  if (to == Notation::morello) {
    const ShapedPackedLayout& packed = *first->layout.packed();
    std::vector<PackedDim> dims(packed.layout.dims().begin(), packed.layout.dims().end());
    const auto extents = expand(packed.layout, packed.shape);
    for (std::size_t k = 0; extents && k < dims.size(); ++k) {
      if (dims[k].kind == PackedDim::Kind::dynamic)
        dims[k] = {dims[k].dim, PackedDim::Kind::packed, (*extents)[k]};
    }
    if (auto fixed = PackedLayout::make(std::move(dims)))
      add(all, Layout::make(ShapedPackedLayout{packed.shape, *std::move(fixed)}));
  }
  if (to == Notation::cute) {
    if (auto layout = detail::swizzled(from)) add(all, *std::move(layout));
  }
  if (to == Notation::map) {
    add(all, Layout::make(simplify(lower(from))));
    add(all, Layout::make(lower(from)));
    if (const TiledMap* tiled = from.tiled_map()) add(all, Layout::make(tiled->to_index_map()));
    if (const auto linear = linear_form(from); linear && std::ranges::equal(linear->shape(), from.shape()))
      add(all, Layout::make(linear->to_index_map()));
  }
  return all;
}

}  // namespace tessera
