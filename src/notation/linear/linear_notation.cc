// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <utility>

#include "notation/conversion.h"
#include "notation/from_digits.h"
#include "notation/layout_form.h"
#include "notation/not_representable.h"
#include "notation/notation_traits.h"
#include "notation/parse_layout.h"
#include "notation/structure.h"
#include "notation/to_digits.h"

namespace tessera {
namespace {

using detail::Claim;
using detail::is_empty;
using detail::NotationTraits;
using detail::TextStart;

class LinearForm : public detail::FormOf<LinearLayout> {
 public:
  using FormOf::FormOf;
  std::string text(std::span<const Index>) const override { return to_string(get()); }
  std::string order() const override { return "linear over F2: bases of bits 0, 1, ..., combined by XOR"; }
  Index offset(std::span<const Index> index) const override { return get().offset(index); }
  IndexMap to_index_map(std::span<const Index>) const override { return get().to_index_map(); }
  detail::DimGroups interacting_dims(const Layout&) const override { return detail::interacting_dims(get()); }
  std::optional<LinearLayout> linear_form(std::span<const Index>) const override { return get(); }
  std::optional<Result<Layout>> transposed(const Layout&, std::span<const Index> axes,
                                           std::span<const Index>) const override {
    auto made = LinearLayout::make(detail::permuted<std::vector<Index>>(get().bases(), axes));
    if (!made) return Result<Layout>(fail(made.error()));
    return Layout::make(*std::move(made));
  }
};

// Claims texts such as `d0:1,16`.
Claim claim_linear(const TextStart& start) {
  const bool is_dim = start.next == ':' && start.word.starts_with('d');
  return !start.has_arrow && is_dim ? Claim::certain : Claim::no;
}

Result<Layout> read_linear(std::string_view text) {
  auto linear = parse_linear_layout(text);
  if (!linear) return fail(linear.error());
  return detail::placed(Layout::make(*std::move(linear)), text);
}

Result<Conversion> convert_to_linear(const Layout& from) {
  if (is_empty(from))
    return detail::not_representable(
        "empty", "the box is empty, but the extents of a linear layout are powers of two");
  if (from.notation() == Notation::linear) return Conversion{from};
  if (const Digits* known = from.known_digits()) {
    auto linear = to_linear_layout(*known);
    if (!linear) return fail(linear.error());
    return detail::converted(Layout::make(*std::move(linear)));
  }
  if (auto linear = linear_form(from); linear && std::ranges::equal(linear->shape(), from.shape()))
    return detail::converted(Layout::make(*std::move(linear)));
  auto linear = to_linear_layout(
      from.shape(), [&](std::span<const Index> x) { return from.offset(x); }, interacting_dims(from));
  if (!linear) return fail(linear.error());
  return detail::converted(Layout::make(*std::move(linear)));
}

}  // namespace

Result<Layout> to_layout(LinearLayout linear) {
  if (const auto some = detail::check_rank(linear.bases().size(), "a linear layout"); !some)
    return fail(some.error());
  if (const auto checked = detail::check_bounds({0, detail::largest_xor(linear)}); !checked)
    return fail(checked.error());
  std::vector<Index> shape = linear.shape();
  const Index size = *detail::checked_size(shape);
  auto digits = detail::structural_digits(linear);
  return detail::new_layout(Notation::linear, std::move(shape), size, std::move(digits),
                            std::make_unique<LinearForm>(std::move(linear)));
}

const NotationTraits& detail::linear_traits() {
  static const NotationTraits traits = {
      .prefix = "ll",
      .example = "a linear layout has bases for the bits of each dimension: d0:1,2 d1:4,8",
      .claim = claim_linear,
      .read = read_linear,
      .convert = convert_to_linear,
      .add_spellings = nullptr,
  };
  return traits;
}

}  // namespace tessera
