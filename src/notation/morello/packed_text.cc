// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <array>

#include "tessera/notation/packed_layout.h"
#include "text/character_class.h"
#include "text/scanner.h"

namespace tessera {
namespace {

using Kind = PackedDim::Kind;

constexpr Index kEndOfSizes = Index{1} << 32;
constexpr std::array<Index, 4> kNhwc = {0, 2, 3, 1};

bool is_nhwc(const PackedLayout& layout) {
  if (layout.dims().size() != kNhwc.size()) return false;
  for (std::size_t i = 0; i < kNhwc.size(); ++i) {
    if (layout.dims()[i] != PackedDim{kNhwc[i], Kind::dynamic, 0}) return false;
  }
  return true;
}

class MorelloReader : public detail::Scanner {
 public:
  using Scanner::Scanner;

  Result<PackedLayout> layout() {
    const std::size_t begin = next();
    const bool wrapped = accept("(");
    auto dims = body();
    if (!dims) return fail(dims.error());
    std::size_t contig = dims->size();
    if (wrapped) {
      if (!accept(",")) return expected("',' and the contiguous entries, as in ([0, 1], c1)");
      if (!accept("c")) return expected("'c' and the number of contiguous entries");
      if (!detail::is_digit(here())) return expected("a number directly after 'c'");
      const auto number = integer();
      if (!number) return fail(number.error());
      contig = static_cast<std::size_t>(*number);
      if (!accept(")")) return expected("')'");
    }
    auto made = PackedLayout::make(std::move(*dims), contig);
    whole_ = span(begin, pos_);
    if (!made) made.error().span = place_of(made.error().span);
    return made;
  }

  /// The span of the entry that an error names, or of all entries.
  Span place_of(Span number) const {
    return number.begin < number.end && number.begin < entries_.size() ? entries_[number.begin] : whole_;
  }

  // Reads `6x8`, `6,8` or `(6,8)`, and the colon.
  Result<std::vector<Index>> shape() {
    const bool bracket = accept("(");
    std::vector<Index> extents;
    do {
      const auto extent = integer();
      if (!extent) return fail(extent.error());
      extents.push_back(*extent);
    } while (accept("x") || accept(","));
    if (bracket && !accept(")")) return expected("',' and another extent, or ')'");
    if (!accept(":")) return expected("'x' and another extent, or ':' and the layout");
    return extents;
  }

 private:
  Result<PackedDim> entry() {
    const std::size_t begin = next();
    const auto dim = integer();
    if (!dim) return fail(dim.error());
    if (*dim > kMaxPackedDim) {
      return fail(Code::dim_out_of_range, fmt::format("dimension {} is greater than {}", *dim, kMaxPackedDim),
                  span(begin, pos_));
    }
    const std::size_t after = pos_;
    const Kind kind = accept("p") ? Kind::packed : accept("oe") ? Kind::odd_even : Kind::dynamic;
    if (kind == Kind::dynamic) {
      entries_.push_back(span(begin, after));
      return PackedDim{*dim, kind, 0};
    }
    if (!accept("(")) return expected("'(' and the size of the pack");
    const auto size = integer(kEndOfSizes - 1);
    if (!size) return fail(size.error());
    if (!accept(")")) return expected("')'");
    entries_.push_back(span(begin, pos_));
    return PackedDim{*dim, kind, *size};
  }

  Result<std::vector<PackedDim>> body() {
    std::vector<PackedDim> dims;
    if (accept("NHWC")) {
      for (const Index d : kNhwc) dims.push_back({d, Kind::dynamic, 0});
      return dims;
    }
    if (!accept("[")) return expected("'[' and the physical dimensions, slowest first, or NHWC");
    if (accept("]")) return dims;
    do {
      const auto next_entry = entry();
      if (!next_entry) return fail(next_entry.error());
      dims.push_back(*next_entry);
    } while (accept(","));
    if (!accept("]")) return expected("',' or ']'");
    return dims;
  }

  std::vector<Span> entries_;
  Span whole_;
};

}  // namespace

Result<PackedLayout> parse_packed_layout(std::string_view text) {
  MorelloReader reader(text);
  auto layout = reader.layout();
  if (!layout) return layout;
  if (const auto end = reader.end("the end of the layout"); !end) return fail(end.error());
  return layout;
}

Result<ShapedPackedLayout> parse_shaped_packed_layout(std::string_view text) {
  MorelloReader reader(text);
  auto shape = reader.shape();
  if (!shape) return fail(shape.error());
  auto layout = reader.layout();
  if (!layout) return fail(layout.error());
  if (const auto end = reader.end("the end of the layout"); !end) return fail(end.error());
  if (auto extents = expand(*layout, *shape); !extents) {
    extents.error().span = reader.place_of(extents.error().span);
    return fail(extents.error());
  }
  return ShapedPackedLayout{std::move(*shape), std::move(*layout)};
}

std::string to_string(const PackedLayout& layout) {
  std::string body = "NHWC";
  if (!is_nhwc(layout)) {
    body = "[";
    for (const PackedDim& d : layout.dims()) {
      if (body.size() > 1) body += ", ";
      body += d.kind == Kind::dynamic  ? fmt::format("{}", d.dim)
              : d.kind == Kind::packed ? fmt::format("{} p({})", d.dim, d.size)
                                       : fmt::format("{} oe({})", d.dim, d.size);
    }
    body += "]";
  }
  return layout.fully_contiguous() ? body : fmt::format("({}, c{})", body, layout.contig());
}

std::string to_string(const ShapedPackedLayout& layout) {
  return fmt::format("{}:{}", fmt::join(layout.shape, "x"), to_string(layout.layout));
}

}  // namespace tessera
