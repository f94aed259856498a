// SPDX-License-Identifier: Apache-2.0
#include "tessera/notation/injectivity.h"

#include <algorithm>

#include "tessera/notation/raise.h"
#include "tessera/notation/to_digits.h"

namespace tessera {
namespace {

using Pair = std::optional<std::pair<std::vector<Index>, std::vector<Index>>>;

bool only_swizzles_in_front(const ComposedLayout& chain) {
  for (int i = 0; i + 1 < chain.parts; ++i) {
    if (chain.part[i].kind != ComposedPart::Kind::swizzle) return false;
  }
  return true;
}

// An index other than 0 whose bases cancel, so that it lies where index 0 does.
Pair collision(const LinearLayout& linear) {
  struct Row {
    Index value;
    std::vector<Index> index;
  };
  std::vector<Row> echelon;
  for (std::size_t d = 0; d < linear.bases().size(); ++d) {
    for (std::size_t k = 0; k < linear.bases()[d].size(); ++k) {
      Row row{linear.bases()[d][k], std::vector<Index>(linear.bases().size(), 0)};
      row.index[d] = Index{1} << k;
      for (const Row& pivot : echelon) {
        if ((row.value ^ pivot.value) >= row.value) continue;
        row.value ^= pivot.value;
        for (std::size_t i = 0; i < row.index.size(); ++i) row.index[i] ^= pivot.index[i];
      }
      if (row.value == 0) return std::pair(std::vector<Index>(row.index.size(), 0), row.index);
      echelon.push_back(std::move(row));
    }
  }
  return std::nullopt;
}

}  // namespace

Result<Pair> collision(const Layout& layout) {
  if (layout.size() < 2 || layout.tiled_map() != nullptr) return Pair();
  if (const Digits* digits = layout.known_digits()) return collision(*digits);
  if (const ComposedLayout* chain = layout.composed(); chain != nullptr && only_swizzles_in_front(*chain))
    return collision(to_digits(chain->domain(), layout.shape()));
  if (const auto linear = linear_form(layout); linear && std::ranges::equal(linear->shape(), layout.shape()))
    return collision(*linear);
  const auto digits = to_digits(layout);
  if (digits) return collision(*digits);
  if (digits.error().code == Code::undecided) return fail(digits.error());
  return fail(Code::undecided, "no digits tell whether two indices share an offset");
}

}  // namespace tessera
