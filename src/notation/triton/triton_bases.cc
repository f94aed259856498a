// SPDX-License-Identifier: Apache-2.0
// The map of a layout, and questions about its points.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "algebra/bit_space.h"
#include "algebra/xor_rows.h"
#include "base/plural.h"
#include "base/try.h"
#include "notation/limits.h"
#include "notation/triton/basis_lists.h"
#include "notation/triton/memory_bases.h"
#include "notation/triton/register_bases.h"
#include "notation/triton/triton_text.h"

namespace tessera {
namespace {

using detail::BitSpace;
using detail::XorRows;

constexpr std::string_view kPlaces[] = {"register", "lane", "warp", "block"};
constexpr std::string_view kMemory[] = {"offset", "partition", "block"};

Result<void> check_point(std::span<const Index> shape, std::span<const Index> index) {
  if (index.size() != shape.size())
    return fail(Code::rank_mismatch,
                fmt::format("the index has {}, but the tensor has rank {}",
                            tessera::detail::plural(std::ssize(index), "number"), shape.size()));
  for (std::size_t d = 0; d < index.size(); ++d) {
    if (index[d] < 0 || index[d] >= shape[d])
      return fail(Code::index_out_of_range,
                  fmt::format("index {} of dimension {} is outside 0 to {}", index[d], d, shape[d] - 1));
  }
  return {};
}

// The solutions of "the bases of these inputs give the element": one, and the XORs that keep the element.
struct Solutions {
  BitSpace kernel;
  Index first = 0;  // the smallest; bits of the inputs one after another
  bool any = false;
};

Index smallest(const BitSpace& kernel, Index value) {
  return static_cast<Index>(kernel.residue(static_cast<std::uint64_t>(value)));
}

// The n-th smallest value of the coset.
Index nth(const BitSpace& kernel, Index first, Index n) {
  for (int k = 0; k < kernel.dim(); ++k)
    first ^= (n >> k & 1) != 0 ? static_cast<Index>(kernel.basis()[static_cast<std::size_t>(k)]) : 0;
  return first;
}

Solutions solve(const TritonBases& bases, std::span<const std::string_view> inputs,
                std::span<const Index> index) {
  XorRows rows;
  Solutions out;
  for (const std::string_view input : inputs) {
    for (const std::vector<Index>& basis : bases.of(input)) {
      const XorRows::Row row = rows.add(triton::flat_of(basis, bases.shape));
      if (row.value == 0) out.kernel.add(static_cast<std::uint64_t>(row.added));
    }
  }
  const XorRows::Row found = rows.reduced({triton::flat_of(index, bases.shape), 0});
  out.any = found.value == 0;
  out.first = smallest(out.kernel, found.added);
  return out;
}

Index take_bits(Index& value, std::size_t bits) {
  const Index low = value & ((Index{1} << bits) - 1);
  value >>= bits;
  return low;
}

}  // namespace

const TritonBasisList& TritonBases::of(std::string_view input) const {
  static const TritonBasisList kNone;
  const auto found = std::ranges::find(inputs, input, &TritonInput::name);
  return found == inputs.end() ? kNone : found->bases;
}

Index TritonBases::padded(Index offset) const {
  Index padding = 0;
  for (const auto& [interval, elements] : pads) padding += offset / interval * elements;
  return offset + padding;
}

Index TritonBases::allocated() const {
  if (inputs.empty() || inputs.front().name == "register") return 0;
  if (inputs.front().name == "row") return Index{1} << (of("row").size() + of("col").size());
  return padded((Index{1} << of("offset").size()) - 1) + 1;
}

Result<TritonBases> triton_bases(const TritonAttribute& attribute, std::span<const Index> shape,
                                 std::string_view element) {
  const TritonSpace space = space_of(attribute.kind);
  if (space == TritonSpace::none)
    return fail(Code::no_static_map,
                fmt::format("{} has no map before the compiler chooses a layout", to_string(attribute)), {},
                "compile the kernel and take the layout from its TTGIR");
  if (static_cast<Index>(shape.size()) != attribute.rank)
    return fail(Code::rank_mismatch, fmt::format("the shape has rank {}, but the layout has rank {}",
                                                 shape.size(), attribute.rank));
  int bits = 0;
  for (const Index extent : shape) {
    if (extent < 1) return fail(Code::bad_extent, fmt::format("the extent {} is below 1", extent));
  }
  for (const Index extent : shape) {
    if (!triton::is_power_of_two(extent)) return triton::not_a_power(extent);
    bits += triton::log2_of(extent);
  }
  if (bits > detail::kNotationLimits.triton.element_bits)
    return fail(Code::limit, "the tensor has more than 2^40 elements");
  auto map = space == TritonSpace::registers ? triton::register_bases(attribute, shape)
             : space == TritonSpace::shared  ? triton::shared_bases(attribute, shape)
                                             : triton::tensor_memory_bases(attribute, shape, element);
  if (!map) return map;
  int all = 0;
  for (const TritonInput& input : map->inputs) all += static_cast<int>(input.bases.size());
  if (all > detail::kNotationLimits.linear.bits)
    return fail(Code::limit, fmt::format("the layout has {} bases, but at most {} are possible", all,
                                         detail::kNotationLimits.linear.bits));
  return map;
}

Result<TritonBases> triton_bases(const TritonLayout& layout) {
  if (!layout.shape)
    return fail(Code::missing_layout, "the layout has no shape", {},
                "write it first: 128x64:#ttg.blocked<{...}>");
  std::vector<Index> whole = layout.allocated.value_or(*layout.shape);
  const auto rank = static_cast<std::size_t>(layout.attribute.rank);
  if (layout.form == TritonForm::memdesc && whole.size() > rank)
    whole.erase(whole.begin(), whole.end() - static_cast<std::ptrdiff_t>(rank));
  return triton_bases(layout.attribute, whole, layout.element);
}

std::string different_places(const TritonBases& a, const TritonBases& b) {
  if (a.shape != b.shape)
    return fmt::format("the shapes are ({}) and ({})", fmt::join(a.shape, ","), fmt::join(b.shape, ","));
  for (const std::string_view input : {"lane", "warp", "block"}) {
    const Index mine = Index{1} << a.of(input).size(), other = Index{1} << b.of(input).size();
    if (mine != other) return fmt::format("the numbers of {}s are {} and {}", input, mine, other);
  }
  return {};
}

Result<TritonHolders> triton_holders(const TritonBases& bases, std::span<const Index> index,
                                     std::size_t most) {
  if (bases.inputs.empty() || bases.inputs.front().name != "register")
    return fail(Code::not_applicable, "a layout of memory has no holders", {}, "ask for the offset");
  TESSERA_NEED(check_point(bases.shape, index));
  const Solutions found = solve(bases, kPlaces, index);
  TritonHolders out;
  if (!found.any) return out;
  out.count = Index{1} << found.kernel.dim();
  for (Index n = 0; n < out.count && n < static_cast<Index>(most); ++n) {
    Index place = nth(found.kernel, found.first, n);
    TritonPlace& at = out.places.emplace_back();
    at.reg = take_bits(place, bases.of("register").size());
    at.lane = take_bits(place, bases.of("lane").size());
    at.warp = take_bits(place, bases.of("warp").size());
    at.block = place;
  }
  return out;
}

Result<TritonOffset> triton_offset(const TritonBases& bases, std::span<const Index> index) {
  if (bases.inputs.empty() || bases.inputs.front().name == "register")
    return fail(Code::not_applicable, "a layout of registers has no offsets", {}, "ask for the holders");
  TESSERA_NEED(check_point(bases.shape, index));
  const bool rows = bases.inputs.front().name == "row";
  constexpr std::string_view kTensorMemory[] = {"col", "row", "block"};
  const std::span<const std::string_view> inputs = rows ? std::span(kTensorMemory) : std::span(kMemory);
  const Solutions found = solve(bases, inputs, index);
  if (!found.any) return fail(Code::index_out_of_range, "no offset holds the element");
  Index place = found.first;
  TritonOffset out;
  const std::size_t low = bases.of(inputs[0]).size();
  const std::size_t middle = bases.of(inputs[1]).size();
  const Index first = take_bits(place, low);
  const Index second = take_bits(place, middle);
  out.offset = rows ? (second << low) + first : bases.padded(first);
  out.partition = rows ? 0 : second;
  BitSpace blocks;
  for (const std::uint64_t vector : found.kernel.basis()) blocks.add(vector >> (low + middle));
  place = smallest(blocks, place);
  for (Index n = 0; n < std::min(Index{1} << blocks.dim(), detail::kNotationLimits.triton.blocks); ++n)
    out.blocks.push_back(nth(blocks, place, n));
  return out;
}

Result<TritonOffset> triton_offset(const TritonLayout& layout, std::span<const Index> index) {
  TESSERA_TRY(bases, triton_bases(layout));
  TESSERA_NEED(check_point(*layout.shape, index));
  if (index.size() <= bases.shape.size()) return triton_offset(bases, index);
  TESSERA_TRY(out, triton_offset(bases, index.subspan(index.size() - bases.shape.size())));
  // A buffer has 2^n elements, so padding before it and inside it add up.
  const std::size_t bits = bases.of("offset").size() + bases.of("row").size() + bases.of("col").size();
  if (index.front() >= (Index{1} << detail::kNotationLimits.triton.element_bits) >> bits)
    return fail(Code::limit, "the buffers before this one have more than 2^40 elements");
  out.offset += bases.padded(index.front() << bits);
  return out;
}

Result<std::vector<Index>> triton_element(const TritonBases& bases, std::span<const Index> values) {
  if (values.size() != bases.inputs.size())
    return fail(Code::value_count, fmt::format("the layout has {} inputs, but {} values are given",
                                               bases.inputs.size(), values.size()));
  std::vector<Index> element(bases.shape.size(), 0);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const TritonBasisList& own = bases.inputs[i].bases;
    if (values[i] < 0 || values[i] >= Index{1} << own.size())
      return fail(Code::index_out_of_range, fmt::format("{} {} is outside 0 to {}", bases.inputs[i].name,
                                                        values[i], (Index{1} << own.size()) - 1));
    for (std::size_t k = 0; k < own.size(); ++k) {
      if ((values[i] >> k & 1) == 0) continue;
      for (std::size_t d = 0; d < element.size(); ++d) element[d] ^= own[k][d];
    }
  }
  return element;
}

}  // namespace tessera
