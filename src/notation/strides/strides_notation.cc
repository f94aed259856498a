// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <utility>

#include "notation/conversion.h"
#include "notation/from_digits.h"
#include "notation/layout_form.h"
#include "notation/notation_traits.h"
#include "notation/parse_layout.h"
#include "notation/to_digits.h"
#include "notation/unit_strides.h"
#include "text/character_class.h"

namespace tessera {
namespace {

using detail::Claim;
using detail::NotationTraits;
using detail::TextStart;

class StridesForm : public detail::FormOf<Strides> {
 public:
  using FormOf::FormOf;
  std::string text(std::span<const Index>) const override { return to_string(get()); }
  std::string order() const override { return "NumPy: C order of indices, one stride for each dimension"; }
  std::optional<Result<Layout>> transposed(const Layout&, std::span<const Index> axes,
                                           std::span<const Index>) const override {
    return Layout::make(Strides{detail::permuted<Index>(get().shape, axes),
                                detail::permuted<Index>(get().strides, axes), get().base});
  }
};

// Strides are only possible, not certain, because `(6,8):(1,6) + 7` begins like a CuTe layout.
Claim claim_strides(const TextStart& start) {
  if (start.has_arrow || detail::is_digit(start.first())) return Claim::no;
  const bool number = start.word.empty() || start.word[0] == '_' || detail::is_digit(start.word[0]);
  return number ? Claim::possible : Claim::no;
}

Result<Layout> read_strides(std::string_view text) {
  auto strides = parse_strides(text);
  if (!strides) return fail(strides.error());
  return detail::placed(Layout::make(*std::move(strides)), text);
}

Result<Conversion> convert_to_strides(const Layout& from) {
  const auto digits = to_digits(from);
  if (!digits) return fail(digits.error());
  auto strides = to_strides(*digits);
  if (!strides) return fail(strides.error());
  return detail::converted(Layout::make(*std::move(strides)));
}

// The strides that the source has for dimensions with one index.
void add_strides(const Layout& from, const Layout& first, std::vector<Layout>& all) {
  const auto digits = to_digits(first);
  if (!digits) return;
  if (auto strides = to_strides(*digits, detail::unit_strides(from)))
    detail::add_spelling(all, Layout::make(*std::move(strides)));
}

}  // namespace

Result<Layout> to_layout(Strides strides) {
  if (strides.shape.size() != strides.strides.size()) {
    return fail(Code::rank_mismatch, fmt::format("the number of sizes is {}, but the number of strides is {}",
                                                 strides.shape.size(), strides.strides.size()));
  }
  for (std::size_t i = 0; i < strides.shape.size(); ++i) {
    if (strides.shape[i] < 0)
      return fail(Code::bad_extent,
                  fmt::format("the extent {} of dimension {} is negative", strides.shape[i], i));
  }
  const auto size = detail::checked_size(strides.shape);
  if (!size) return fail(size.error());
  auto digits = to_digits(strides);
  if (!digits) return fail(digits.error());
  if (*size > 0) {
    if (const auto checked = detail::check_bounds(digits->image_bounds()); !checked)
      return fail(checked.error());
  }
  std::vector<Index> shape = strides.shape;
  return detail::new_layout(Notation::strides, std::move(shape), *size, *std::move(digits),
                            std::make_unique<StridesForm>(std::move(strides)));
}

const NotationTraits& detail::strides_traits() {
  static const NotationTraits traits = {
      .prefix = "np",
      .example = "strides have sizes and steps in elements: np:(2,3):(3,1)",
      .claim = claim_strides,
      .read = read_strides,
      .convert = convert_to_strides,
      .add_spellings = add_strides,
      .community = "numpy",
  };
  return traits;
}

}  // namespace tessera
