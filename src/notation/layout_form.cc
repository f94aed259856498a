// SPDX-License-Identifier: Apache-2.0
#include "notation/layout_form.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "base/index_walk.h"
#include "base/plural.h"
#include "notation/conversion.h"
#include "notation/limits.h"
#include "notation/structure.h"
#include "notation/to_digits.h"

namespace tessera::detail {

Result<void> check_bounds(Interval bounds) {
  if (bounds.lower > -kNotationLimits.offset && bounds.upper < kNotationLimits.offset) return {};
  return fail(Code::overflow,
              fmt::format("offsets reach {}, but must be between -2^62 and 2^62 so that their differences "
                          "fit in 64 bits",
                          bounds.upper >= kNotationLimits.offset ? "2^62 or more" : "-2^62 or less"));
}

Result<Index> checked_size(std::span<const Index> extents) {
  if (const auto count = element_count(extents)) return *count;
  return fail(Code::overflow, "the number of indices exceeds 64 bits");
}

Result<void> check_rank(std::size_t rank, std::string_view notation) {
  if (rank > 0) return {};
  return fail(Code::rank_mismatch,
              fmt::format("a scalar has no dimensions, but {} needs at least one", notation), {},
              "XLA types, strides, and maps express scalars: f32[], np:():(), () -> (0)");
}

Result<void> check_index(std::span<const Index> index, std::span<const Index> shape) {
  if (index.size() != shape.size()) {
    return fail(Code::index_out_of_range,
                fmt::format("the index has {}, but needs {}", plural(index.size(), "number"), shape.size()));
  }
  for (std::size_t i = 0; i < index.size(); ++i) {
    if (index[i] < 0 || index[i] >= shape[i]) {
      return fail(Code::index_out_of_range,
                  fmt::format("index {} of dimension {} is outside [0, {}]", index[i], i, shape[i] - 1));
    }
  }
  return {};
}

Index LayoutForm::offset(std::span<const Index>) const {
  TESSERA_CHECK(false, "a layout without digits computes its own offsets");
  return 0;
}

IndexMap LayoutForm::to_index_map(std::span<const Index>) const {
  TESSERA_CHECK(false, "a layout without digits computes its own offsets");
  return {};
}

DimGroups LayoutForm::interacting_dims(const Layout& self) const {
  if (const auto linear = linear_form(self.shape())) return detail::interacting_dims(*linear);
  if (self.rank() < 2) return {};
  return {all_dims(self.rank())};
}

Result<Digits> LayoutForm::to_digits(const Layout& self) const {
  if (const auto linear = linear_form(self.shape())) {
    if (std::ranges::equal(linear->shape(), self.shape())) return tessera::to_digits(*linear);
  }
  const auto groups = interacting_dims(self);
  return digits_by_tables(shape_of(self), [&](std::span<const Index> x) { return self.offset(x); }, groups);
}

}  // namespace tessera::detail
