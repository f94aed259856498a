// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "base/plural.h"
#include "notation/conversion.h"
#include "notation/layout_form.h"
#include "notation/notation_traits.h"
#include "notation/onednn/blocked_from_digits.h"
#include "notation/onednn/blocked_memory.h"
#include "notation/parse_layout.h"
#include "tessera/notation/blocked_layout.h"
#include "text/character_class.h"

namespace tessera {
namespace {

using detail::Claim;
using detail::NotationTraits;
using detail::TextStart;

class BlockedForm : public detail::FormOf<BlockedLayout> {
 public:
  BlockedForm(BlockedLayout layout, Index elements) : FormOf(std::move(layout)), elements_(elements) {}
  std::string text(std::span<const Index>) const override { return to_string(get()); }
  std::string order() const override { return "oneDNN: dimensions slowest first, then blocks"; }
  std::optional<Index> allocated_elements() const override { return elements_; }
  std::optional<DType> dtype() const override { return get().dtype; }
  std::optional<Index> element_bits() const override {
    if (!get().dtype) return std::nullopt;
    return Index{bit_width(*get().dtype)};
  }
  std::optional<Result<Layout>> transposed(const Layout&, std::span<const Index> axes,
                                           std::span<const Index> places) const override {
    BlockedLayout out = get();
    out.shape = detail::permuted<Index>(get().shape, axes);
    if (!out.padded.empty()) out.padded = detail::permuted<Index>(get().padded, axes);
    if (!out.strides.empty()) out.strides = detail::permuted<Index>(get().strides, axes);
    out.order = detail::permuted<Index>(places, get().order);
    for (BlockedLayout::Block& block : out.blocks) block.dim = places[static_cast<std::size_t>(block.dim)];
    return Layout::make(std::move(out));
  }

 private:
  Index elements_;
};

// Claims a shape, a colon and a word that begins with a letter, with strides and padded dimensions after it
// or not; or a format tag alone.
Claim claim_onednn(const TextStart& start) {
  if (start.has_arrow) return Claim::no;
  const std::string_view text = start.rest();
  if (start.inside == start.begin && start.next == '\0' && !parse_dtype(start.word) &&
      is_format_tag(start.word))
    return Claim::certain;
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos || colon == 0) return Claim::no;
  const std::size_t tag = detail::skip_blanks(text, colon + 1);
  if (tag == text.size() || !detail::is_letter(text[tag]) || text.substr(tag).starts_with("NHWC"))
    return Claim::no;
  std::size_t end = tag;
  while (end < text.size() && detail::is_word(text[end])) ++end;
  const std::size_t next = detail::skip_blanks(text, end);
  const bool is_one_word =
      next == text.size() || text[next] == ':' || text.substr(next).starts_with("padded");
  const char before = text[text.find_last_not_of(" \t", colon - 1)];
  const bool is_shape = before == ']' || before == ')' || detail::is_digit(before);
  const bool begins_shape = detail::is_digit(start.first()) || start.first() == '(' || start.next == '[';
  return is_one_word && is_shape && begins_shape ? Claim::certain : Claim::no;
}

Result<Layout> read_onednn(std::string_view text) {
  auto layout = parse_blocked_layout(text);
  if (!layout) return fail(layout.error());
  return detail::placed(Layout::make(*std::move(layout)), text);
}

Result<Conversion> convert_to_onednn(const Layout& from) {
  if (from.notation() == Notation::onednn) return Conversion{from};
  if (const auto some = detail::check_rank(from.rank(), "a format tag"); !some) return fail(some.error());
  auto tag = detail::is_empty(from) ? detail::plain_tag(from.shape()) : [&]() -> Result<BlockedLayout> {
    const auto digits = to_digits(from);
    if (!digits) return fail(digits.error());
    return detail::to_blocked_layout(*digits);
  }();
  if (!tag) return fail(tag.error());
  // oneDNN has no name for an element that is narrower or wider in memory than its type.
  if (const auto dtype = from.dtype(); dtype && from.element_bits() == Index{bit_width(*dtype)})
    tag->dtype = dtype;
  const auto memory = from.buffer_size();
  auto out = detail::converted(Layout::make(*tag));
  if (out && memory && *memory > *out->layout.allocated_elements()) {
    if (auto padded = detail::with_buffer(*tag, *memory)) {
      if (auto larger = detail::converted(Layout::make(*std::move(padded)))) out = std::move(larger);
    }
  }
  if (out && memory) {
    const Index own = *out->layout.allocated_elements();
    if (*memory > own) {
      out->notes.push_back(
          fmt::format("buffer_smaller: the target has {}, but the source has {}; the tail is not represented",
                      detail::plural(own, "element"), *memory));
    } else if (*memory < own) {
      out->notes.push_back(fmt::format("buffer_larger: the blocks allocate {}, but the source has {}",
                                       detail::plural(own, "element"), *memory));
    }
  }
  return out;
}

}  // namespace

Result<Layout> to_layout(BlockedLayout layout) {
  const std::size_t rank = layout.shape.size();
  if (const auto some = detail::check_rank(rank, "a format tag"); !some) return fail(some.error());
  if (rank > kMaxTagDims) {
    return fail(
        Code::rank_mismatch,
        fmt::format("the layout has {} dimensions, but a format tag has at most {}", rank, kMaxTagDims));
  }
  if (layout.dtype && !is_array_type(*layout.dtype))
    return fail(Code::layout_on_nonarray, fmt::format("a {} has no elements", to_string(*layout.dtype)));
  for (const Index extent : layout.shape) {
    if (extent < 0) return fail(Code::bad_extent, fmt::format("the extent {} is negative", extent));
  }
  std::vector<Index> sorted = layout.order;
  std::ranges::sort(sorted);
  for (std::size_t i = 0; i < std::max(rank, sorted.size()); ++i) {
    if (i < rank && i < sorted.size() && sorted[i] == static_cast<Index>(i)) continue;
    return fail(Code::bad_permutation,
                fmt::format("the order must name each of the {} dimensions exactly once", rank));
  }
  for (const BlockedLayout::Block& block : layout.blocks) {
    if (block.dim < 0 || block.dim >= static_cast<Index>(rank) || block.size < 2) {
      return fail(Code::bad_extent, fmt::format("the block of size {} in dimension {} is not valid: the size "
                                                "must be at least 2 and the dimension at most {}",
                                                block.size, block.dim, rank - 1));
    }
  }
  for (const std::vector<Index>* list : {&layout.padded, &layout.strides}) {
    if (!list->empty() && list->size() != rank) {
      return fail(Code::rank_mismatch,
                  fmt::format("the layout has {}, but {} {}", detail::plural(rank, "dimension"), list->size(),
                              list == &layout.padded ? "padded extents" : "strides"));
    }
    for (const Index one : *list) {
      if (one < 0) return fail(Code::bad_extent, fmt::format("{} is negative", one));
    }
  }
  detail::BlockedMemory memory;
  if (auto fault = detail::measure(layout, memory)) return fail(std::move(fault->error));
  // The digits of a dimension are its blocks from the last to the first, then its whole blocks.
  std::vector<Digit> digits;
  std::vector<Index> covered(rank, 1);
  const auto add = [&](Index dim, Index extent, Index stride) {
    Index& div = covered[static_cast<std::size_t>(dim)];
    digits.push_back({dim, div, extent, stride});
    div *= extent;
  };
  if (memory.elements > 0) {
    Index stride = 1;
    for (std::size_t k = layout.blocks.size(); k-- > 0;) {
      add(layout.blocks[k].dim, layout.blocks[k].size, stride);
      stride *= layout.blocks[k].size;
    }
    for (std::size_t d = 0; d < rank; ++d) add(static_cast<Index>(d), memory.outer[d], memory.strides[d]);
  }
  Digits form = Digits::normalized(layout.shape, 0, std::move(digits));
  std::vector<Index> shape = layout.shape;
  const auto size = detail::checked_size(shape);
  if (!size) return fail(size.error());
  return detail::new_layout(Notation::onednn, std::move(shape), *size, std::move(form),
                            std::make_unique<BlockedForm>(std::move(layout), memory.elements));
}

const NotationTraits& detail::onednn_traits() {
  static const NotationTraits traits = {
      .prefix = "dnn",
      .example = "a blocked layout has extents and a format tag: 2x32x7x7:aBcd16b",
      .claim = claim_onednn,
      .read = read_onednn,
      .convert = convert_to_onednn,
      .add_spellings = nullptr,
  };
  return traits;
}

}  // namespace tessera
