// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <utility>

#include "base/try.h"
#include "notation/axe/axe_of_triton.h"
#include "notation/conversion.h"
#include "notation/layout_form.h"
#include "notation/notation_traits.h"
#include "notation/parse_layout.h"
#include "tessera/notation/axe.h"
#include "tessera/notation/conversion.h"

namespace tessera {
namespace {

using detail::Claim;
using detail::NotationTraits;
using detail::TextStart;

// An Axe layout with one memory axis. A swizzled one has no digits; its offsets are those of a chain.
class AxeForm : public detail::FormOf<AxeLayout> {
 public:
  AxeForm(AxeLayout layout, Layout offsets) : FormOf(std::move(layout)), offsets_(std::move(offsets)) {}
  std::string text(std::span<const Index>) const override { return to_string(get()); }
  std::string order() const override { return "Axe: row-major index, iterators slowest first"; }
  Index offset(std::span<const Index> index) const override { return offsets_.offset(index); }
  IndexMap to_index_map(std::span<const Index>) const override { return lower(offsets_); }
  detail::DimGroups interacting_dims(const Layout&) const override {
    return tessera::interacting_dims(offsets_);
  }
  std::optional<LinearLayout> linear_form(std::span<const Index>) const override {
    return tessera::linear_form(offsets_);
  }

 private:
  Layout offsets_;
};

Claim claim_axe(const TextStart& start) {
  return !start.has_arrow && is_axe_text(start.text) ? Claim::certain : Claim::no;
}

Result<Layout> read_axe(std::string_view text) {
  auto layout = parse_axe(text);
  if (!layout) return fail(layout.error());
  return detail::placed(Layout::make(*std::move(layout)), text);
}

Result<Conversion> convert_to_axe(const Layout& from) {
  if (from.notation() == Notation::axe) return Conversion{from};
  if (const auto* const triton = from.as<TritonLayout>(); triton != nullptr && detail::has_axes(*triton)) {
    // Its layout is of threads and registers, but Axe is of the tensor.
    TESSERA_TRY(placed, detail::axe_of_triton(*triton));
    auto made = Layout::make(std::move(placed));
    if (!made) made.error().help = "'tessera convert LAYOUT --to axe' prints the placement";
    if (!made) return fail(std::move(made.error()));
    return Conversion{*std::move(made)};
  }
  auto layout = axe_of(from);
  if (!layout && from.notation() != Notation::cute) {
    // Offsets without digits may be a swizzle of a layout that has them.
    const auto swizzled = convert(from, Notation::cute);
    if (swizzled && swizzled->layout.composed() != nullptr) {
      if (auto found = axe_of(swizzled->layout)) layout = std::move(found);
    }
  }
  if (!layout) return fail(layout.error());
  return detail::converted(Layout::make(*std::move(layout)));
}

}  // namespace

Result<Layout> to_layout(AxeLayout layout) {
  auto offsets = layout_of(layout);
  if (!offsets) return fail(offsets.error());
  std::optional<Digits> digits;
  if (const Digits* const known = offsets->known_digits()) digits = *known;
  std::vector<Index> shape = layout.shape;
  const Index size = offsets->size();
  return detail::new_layout(Notation::axe, std::move(shape), size, std::move(digits),
                            std::make_unique<AxeForm>(std::move(layout), *std::move(offsets)));
}

const NotationTraits& detail::axe_traits() {
  static const NotationTraits traits = {
      .prefix = "axe",
      .example = "an Axe layout has extents and strides on axes: axe:S[(8,4):(4@laneid,1)]",
      .claim = claim_axe,
      .read = read_axe,
      .convert = convert_to_axe,
      .add_spellings = nullptr,
  };
  return traits;
}

}  // namespace tessera
