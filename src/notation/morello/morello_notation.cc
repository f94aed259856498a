// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <utility>

#include "base/plural.h"
#include "notation/conversion.h"
#include "notation/from_digits.h"
#include "notation/layout_form.h"
#include "notation/limits.h"
#include "notation/not_representable.h"
#include "notation/notation_traits.h"
#include "notation/parse_layout.h"
#include "notation/to_digits.h"
#include "text/character_class.h"

namespace tessera {
namespace {

using detail::Claim;
using detail::is_empty;
using detail::NotationTraits;
using detail::TextStart;

class MorelloForm : public detail::FormOf<ShapedPackedLayout> {
 public:
  using FormOf::FormOf;
  std::string text(std::span<const Index>) const override { return to_string(get()); }
  std::string order() const override { return "Morello: physical dimensions, slowest first"; }
  std::optional<Index> allocated_elements() const override { return *detail::checked_size(get().shape); }
  std::vector<std::string> properties() const override {
    if (get().layout.fully_contiguous()) return {};
    return {fmt::format("contiguity c{}", get().layout.contig())};
  }
  std::optional<Result<Layout>> transposed(const Layout&, std::span<const Index> axes,
                                           std::span<const Index> places) const override {
    const PackedLayout& layout = get().layout;
    std::vector<PackedDim> dims(layout.dims().begin(), layout.dims().end());
    for (PackedDim& one : dims) one.dim = places[static_cast<std::size_t>(one.dim)];
    return Layout::make(ShapedPackedLayout{detail::permuted<Index>(get().shape, axes),
                                           PackedLayout::make_unchecked(std::move(dims), layout.contig())});
  }
};

bool is_bare_packed(std::string_view rest) {
  return rest.starts_with('[') || rest.starts_with("NHWC") || rest.starts_with("([");
}

// Claims `6x8`, and also `6:`, `6,8:` or `(6,8):` before a list of physical dimensions.
Claim claim_morello(const TextStart& start) {
  if (start.has_arrow) return Claim::no;
  if (is_bare_packed(start.rest())) return Claim::certain;
  const std::string_view text = start.text;
  std::size_t at = text.find_first_not_of("0123456789x,() \t\r\n\v\f", start.begin);
  if (at != start.begin && at != std::string_view::npos && text[at] == ':') {
    at = detail::skip_blanks(text, at + 1);
    if (at < text.size() && text[at] == '(') at = detail::skip_blanks(text, at + 1);
    if (at < text.size() && (text[at] == '[' || text.substr(at).starts_with("NHWC"))) return Claim::certain;
  }
  std::size_t end = start.begin;
  while (end < text.size() && detail::is_digit(text[end])) ++end;
  const std::size_t after = detail::skip_blanks(text, end);
  return end > start.begin && after < text.size() && text[after] == 'x' ? Claim::possible : Claim::no;
}

Result<Layout> read_morello(std::string_view text) {
  const TextStart start(text);
  if (start.begin < text.size() && is_bare_packed(start.rest())) {
    return detail::missing_shape(text, "a packed layout",
                                 fmt::format("write the shape before it: 6x8:{}", start.rest()));
  }
  auto packed = parse_shaped_packed_layout(text);
  if (!packed) return fail(packed.error());
  return detail::placed(Layout::make(*std::move(packed)), text);
}

Result<Conversion> convert_to_morello(const Layout& from) {
  if (is_empty(from))
    return detail::not_representable("empty",
                                     "the box is empty, but a packed layout cannot have an extent of 0");
  const auto digits = to_digits(from);
  if (!digits) return fail(digits.error());
  auto packed = to_packed_layout(*digits);
  if (!packed) return fail(packed.error());
  auto out = detail::converted(
      Layout::make(ShapedPackedLayout{{from.shape().begin(), from.shape().end()}, *std::move(packed)}));
  const auto memory = from.buffer_size();
  if (out && memory && *memory > from.size()) {
    out->notes.push_back(
        fmt::format("buffer_smaller: the target has {}, but the source has {}; the tail is not represented",
                    detail::plural(from.size(), "element"), *memory));
  }
  return out;
}

// Appends the spellings with packs of fixed size instead of dynamic entries.
void add_morello_spellings(const Layout& from, const Layout& first, std::vector<Layout>& all) {
  if (is_empty(from)) return;
  const ShapedPackedLayout& packed = *first.packed();
  std::vector<PackedDim> dims(packed.layout.dims().begin(), packed.layout.dims().end());
  const auto extents = expand(packed.layout, packed.shape);
  for (std::size_t k = 0; extents && k < dims.size(); ++k) {
    if (dims[k].kind == PackedDim::Kind::dynamic)
      dims[k] = {dims[k].dim, PackedDim::Kind::packed, (*extents)[k]};
  }
  if (auto fixed = PackedLayout::make(std::move(dims)))
    detail::add_spelling(all, Layout::make(ShapedPackedLayout{packed.shape, *std::move(fixed)}));
}

}  // namespace

Result<Layout> to_layout(ShapedPackedLayout packed) {
  if (const auto some = detail::check_rank(packed.shape.size(), "Morello's notation"); !some)
    return fail(some.error());
  auto digits = to_digits(packed.layout, packed.shape);
  if (!digits) return fail(digits.error());
  std::vector<Index> shape = packed.shape;
  const Index size = *detail::checked_size(shape);
  if (size >= detail::kNotationLimits.offset)
    return fail(Code::overflow, "there are 2^62 elements or more, but offsets must be below 2^62");
  return detail::new_layout(Notation::morello, std::move(shape), size, *std::move(digits),
                            std::make_unique<MorelloForm>(std::move(packed)));
}

const NotationTraits& detail::morello_traits() {
  static const NotationTraits traits = {
      .prefix = "mor",
      .example = "a packed layout has extents and physical dimensions, slowest first: 6x8:[0, 1, 0 p(2)]",
      .claim = claim_morello,
      .read = read_morello,
      .convert = convert_to_morello,
      .add_spellings = add_morello_spellings,
  };
  return traits;
}

}  // namespace tessera
