// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/try.h"
#include "notation/axe/axe_chain.h"
#include "notation/axe/axes.h"
#include "notation/from_digits.h"
#include "notation/not_representable.h"
#include "tessera/notation/axe.h"

namespace tessera {
namespace {

constexpr std::string_view kAddress = "taddr";
constexpr Index kLaneStep = 65536;

// The iterators and offsets of one axis, with a factor.
struct AxisPart {
  std::string_view axis;
  Index factor = 1;
};

bool moves_on(const AxeLayout& layout, std::string_view axis) {
  const auto changes = [&](const AxeIterator& i) { return i.axis == axis && i.extent > 1 && i.stride != 0; };
  const auto shifts = [&](const AxeOffset& o) { return o.axis == axis && o.value != 0; };
  return std::ranges::any_of(layout.sharded, changes) || std::ranges::any_of(layout.replicas, changes) ||
         std::ranges::any_of(layout.offsets, shifts);
}

Result<std::vector<AxisPart>> axis_parts(const AxeLayout& layout, std::optional<std::string_view> axis) {
  const std::vector<std::string> names = detail::axis_names(layout);
  const auto named = [&](std::string_view name) { return std::ranges::find(names, name) != names.end(); };
  if (axis) {
    if (*axis == kAddress && (named("TLane") || named("TCol")))
      return std::vector<AxisPart>{{"TLane", kLaneStep}, {"TCol", 1}};
    if (named(*axis)) return std::vector<AxisPart>{{*axis, 1}};
    return fail(Code::unknown_name, fmt::format("the layout has no axis {}", *axis), {},
                fmt::format("its axes are {}", fmt::join(names, ", ")));
  }
  std::vector<std::string> used;
  for (const std::string& name : names) {
    if (detail::axe_role(name) == AxisRole::place || moves_on(layout, name)) used.push_back(name);
  }
  if (used.empty()) return std::vector<AxisPart>{{"m", 1}};
  // Memory axes are known, so their names outlive the layout.
  if (used.size() == 1 && detail::axe_role(used[0]) == AxisRole::memory)
    return std::vector<AxisPart>{{detail::known_axis(used[0])->name, 1}};
  Diagnostic error{
      .code = Code::not_representable,
      .message = fmt::format("the places are on {}, and a layout is the offset in one memory (axes)",
                             fmt::join(used, ", "))};
  error.reason = "axes";
  error.help = fmt::format("choose one axis: --axis {}", used.back());
  return fail(std::move(error));
}

}  // namespace

Result<Layout> layout_of(const AxeLayout& layout, std::optional<std::string_view> axis) {
  TESSERA_TRY(parts, axis_parts(layout, axis));
  const auto part_of = [&](std::string_view name) {
    const auto found = std::ranges::find(parts, name, &AxisPart::axis);
    return found == parts.end() ? Index{0} : found->factor;
  };
  for (const AxeIterator& replica : layout.replicas) {
    if (replica.extent > 1 && replica.stride != 0 && part_of(replica.axis) != 0) {
      return detail::not_representable(
          "replicated", fmt::format("every element is at {} places on {}", replica.extent, replica.axis));
    }
  }
  std::vector<AxeIterator> chain;
  for (AxeIterator iterator : layout.sharded) {
    if (mul_overflows(iterator.stride, part_of(iterator.axis), iterator.stride))
      return fail(Code::overflow, "offsets pass 64 bits");
    chain.push_back({iterator.extent, iterator.stride, "m"});
  }
  Index base = 0;
  for (const AxeOffset& offset : layout.offsets) {
    Index value = 0;
    if (mul_overflows(offset.value, part_of(offset.axis), value) || add_overflows(base, value, base))
      return fail(Code::overflow, "offsets pass 64 bits");
  }
  const auto dims = detail::split_at_dims(detail::joined(chain), layout.shape);
  if (!dims) {
    return detail::not_representable(
        "entangled",
        "an iterator crosses the border of a dimension that does not divide it, so the offset is no "
        "sum over the dimensions");
  }
  std::vector<Digit> digits;
  for (std::size_t d = 0; d < dims->size(); ++d) {
    Index div = 1;
    for (std::size_t k = (*dims)[d].size(); k-- > 0; div *= (*dims)[d][k].extent)
      digits.push_back({static_cast<Index>(d), div, (*dims)[d][k].extent, (*dims)[d][k].stride});
  }
  const bool swizzled = layout.swizzle && !layout.swizzle->is_identity();
  Digits form = Digits::normalized(layout.shape, swizzled ? 0 : base, std::move(digits));
  if (!swizzled) return Layout::make(std::move(form));
  TESSERA_TRY(inner, to_strided_layout(form));
  ComposedLayout out;
  out.parts = 2;
  out.part[0].kind = ComposedPart::Kind::swizzle;
  out.part[0].swizzle = *layout.swizzle;
  out.part[0].offset = base;
  out.part[1].layout = inner;
  return Layout::make(out);
}

Result<AxeLayout> axe_of(const Layout& layout) {
  AxeLayout out;
  out.shape.assign(layout.shape().begin(), layout.shape().end());
  std::optional<Layout> inner;
  Index base = 0;
  // A swizzle of a layout keeps its form.
  if (const ComposedLayout* const chain = layout.composed();
      chain != nullptr && chain->parts == 2 && chain->part[0].kind == ComposedPart::Kind::swizzle) {
    TESSERA_TRY(last, Layout::make(chain->domain(), layout.is_cropped() ? out.shape : std::vector<Index>{}));
    inner = std::move(last);
    out.swizzle = chain->part[0].swizzle;
    base = chain->part[0].offset;
  }
  TESSERA_TRY(digits, to_digits(inner ? *inner : layout));
  if (layout.size() == 0)
    return detail::not_representable("empty", "the box is empty, but Axe's extents are at least 1");
  for (std::size_t d = 0; d < out.shape.size(); ++d) {
    if (digits.digit_extent(d) != out.shape[d] && !digits.digits(d).empty()) {
      return detail::not_representable(
          "padding", fmt::format("the digits of dimension {} have {} values, but it has {}", d,
                                 digits.digit_extent(d), out.shape[d]));
    }
    const auto own = digits.digits(d);
    for (std::size_t k = own.size(); k-- > 0;) out.sharded.push_back({own[k].ext, own[k].stride, "m"});
    if (own.empty()) out.sharded.push_back({out.shape[d], 0, "m"});
  }
  if (out.sharded.empty()) out.sharded.push_back({1, 1, "m"});
  if (add_overflows(base, digits.base(), base)) return fail(Code::overflow, "the offset passes 64 bits");
  if (base != 0) out.offsets.push_back({base, "m"});
  return make_axe(std::move(out));
}

Result<AxeLayout> axe_of_thread_value(const StridedLayout& layout, std::vector<Index> tile,
                                      std::string thread) {
  if (layout.rank() != 2 || layout.profile.is_leaf()) {
    return fail(
        Code::rank_mismatch,
        fmt::format("a thread-value layout has 2 modes, threads and values, but this has {}", layout.rank()));
  }
  if (layout.has_basis()) return fail(Code::unsupported_codomain, "the strides must be plain numbers");
  for (const Index extent : tile)
    if (extent < 1)
      return fail(Code::bad_extent,
                  fmt::format("the tile has extent {}, but extents must be at least 1", extent));
  AxeLayout out;
  out.shape = std::move(tile);
  struct Leaf {
    Index extent;
    Index at;  // in the 1-D index
    Index step;
    std::string axis;
  };
  std::vector<Leaf> leaves;
  const Cursor values = after(layout.profile, first_mode(layout.profile));
  Index step = 1;
  for (int i = 0; i < layout.leaves(); ++i) {
    if (i == values.leaf) step = 1;
    const std::string axis = i < values.leaf ? thread : "m";
    const Index extent = layout.extent[i];
    if (extent > 1 && layout.stride[i] == 0) {
      out.replicas.push_back({extent, step, axis});
    } else if (layout.stride[i] < 0) {
      return detail::not_representable("negative_stride",
                                       fmt::format("the stride {} is negative", layout.stride[i]));
    } else if (extent > 1) {
      leaves.push_back({extent, layout.stride[i], step, axis});
    }
    step *= extent;
  }
  std::ranges::sort(leaves, {}, &Leaf::at);
  // The digits of each dimension, the fastest first.
  std::vector<std::vector<AxeIterator>> dims(out.shape.size());
  std::size_t dim = 0;
  Index rest = out.shape.empty() ? 1 : out.shape[0];
  Index covered = 1;
  for (Leaf& leaf : leaves) {
    if (leaf.at < covered)
      return detail::not_representable(
          "broadcast", "two places hold the same element",
          fmt::format("element {} of the tile, first dimension fastest", leaf.at));
    if (leaf.at > covered)
      return detail::not_representable(
          "padding", "no place holds some element",
          fmt::format("element {} of the tile, first dimension fastest", covered));
    while (leaf.extent > 1) {
      while (rest == 1 && dim + 1 < out.shape.size()) rest = out.shape[++dim];
      const Index part = std::min(leaf.extent, rest);
      if (rest == 1)
        return fail(Code::index_out_of_range, "the layout reaches beyond the tile; give a larger --tile");
      if (leaf.extent % part != 0 || rest % part != 0)
        return detail::not_representable("entangled",
                                         "a mode crosses the border of a dimension that does not divide it");
      dims[dim].push_back({part, leaf.step, leaf.axis});
      leaf.extent /= part;
      leaf.step *= part;
      rest /= part;
      covered *= part;
    }
  }
  while (rest == 1 && dim + 1 < out.shape.size()) rest = out.shape[++dim];
  if (rest != 1)
    return detail::not_representable("padding", "no place holds some element",
                                     fmt::format("element {} of the tile, first dimension fastest", covered));
  for (const auto& own : dims) out.sharded.insert(out.sharded.end(), own.rbegin(), own.rend());
  if (out.sharded.empty()) out.sharded.push_back({1, 1, thread});
  out.offsets = {{0, thread}};
  return make_axe(std::move(out));
}

}  // namespace tessera
