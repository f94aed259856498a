// SPDX-License-Identifier: Apache-2.0
#include "laws/layout_laws.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/index_walk.h"
#include "notation/to_digits.h"
#include "tessera/algebra/detail/composed_layout.h"
#include "tessera/notation/axe.h"
#include "tessera/notation/conversion.h"
#include "tessera/notation/layout.h"
#include "tessera/notation/named_layout.h"
#include "tessera/notation/triton_layout.h"

namespace tessera::laws {
namespace {

using Indices = std::vector<Index>;

// Calls visit(index) for every index in row-major order until it returns a nonempty text.
template <class Visit>
std::string for_each_index(std::span<const Index> box, Visit&& visit) {
  if (std::ranges::find(box, 0) != box.end()) return "";
  Indices index(box.size(), 0);
  do {
    if (std::string broken = visit(index); !broken.empty()) return broken;
  } while (tessera::detail::next_index(index, box));
  return "";
}

std::string text_of(std::span<const Index> index) { return fmt::format("({})", fmt::join(index, ", ")); }

std::string differs(const Layout& a, const Layout& b) {
  if (!std::ranges::equal(a.shape(), b.shape())) return "another shape";
  return for_each_index(a.shape(), [&](const Indices& x) {
    const Index one = defined_offset(a, x);
    const Index other = defined_offset(b, x);
    return one == other ? "" : fmt::format("at {}: {} and {}", text_of(x), one, other);
  });
}

// The coordinate that has one 1-D coordinate for each mode.
IntTuple coordinate(std::span<const Index> index) {
  IntTuple tuple;
  IntTupleBuilder build(tuple);
  if (index.size() != 1) build.tuple(static_cast<int>(index.size()));
  for (const Index x : index) build.leaf(x);
  return tuple;
}

bool is_affine(const Layout& layout) {
  Indices zero(layout.rank(), 0);
  const Index base = layout.offset(zero);
  Indices step;
  for (std::size_t d = 0; d < zero.size(); ++d) {
    Indices unit = zero;
    unit[d] = 1;
    step.push_back(layout.shape()[d] > 1 ? layout.offset(unit) - base : 0);
  }
  return for_each_index(layout.shape(),
                        [&](const Indices& x) -> std::string {
                          Index sum = base;
                          for (std::size_t d = 0; d < x.size(); ++d) sum += step[d] * x[d];
                          return sum == layout.offset(x) ? "" : "no";
                        })
      .empty();
}

bool is_xor_of_bits(const Layout& layout) {
  for (const Index extent : layout.shape()) {
    if ((extent & (extent - 1)) != 0) return false;
  }
  Indices zero(layout.rank(), 0);
  if (layout.offset(zero) != 0) return false;
  return for_each_index(layout.shape(),
                        [&](const Indices& x) -> std::string {
                          Index sum = 0;
                          for (std::size_t d = 0; d < x.size(); ++d) {
                            for (Index bit = 1; bit <= x[d]; bit *= 2) {
                              if ((x[d] & bit) == 0) continue;
                              Indices alone = zero;
                              alone[d] = bit;
                              const Index basis = layout.offset(alone);
                              if (basis < 0) return "no";
                              sum ^= basis;
                            }
                          }
                          return sum == layout.offset(x) ? "" : "no";
                        })
      .empty();
}

// True if some digits together reach the stride of a larger digit.
bool overlap(const Layout& layout, const Digits& digits) {
  return std::ranges::any_of(digits.digits(), [&](const Digit& larger) {
    Index most = 0;
    for_each_index(layout.shape(), [&](const Indices& x) {
      Index sum = 0;
      for (const Digit& d : digits.digits()) {
        if (d.stride < larger.stride) sum += d.value(x[static_cast<std::size_t>(d.dim)]) * d.stride;
      }
      most = std::max(most, sum);
      return std::string();
    });
    return most >= larger.stride;
  });
}

// Checks the reason of a refused conversion against the values.
std::string untrue(const Layout& layout, Notation to, const Diagnostic& refusal) {
  const std::string& reason = refusal.reason;
  std::set<Index> image;
  for_each_index(layout.shape(), [&](const Indices& x) {
    image.insert(layout.offset(x));
    return std::string();
  });
  const bool injective = static_cast<Index>(image.size()) == layout.size();
  const Index base = layout.size() == 0 ? 0 : layout.offset(Indices(layout.rank(), 0));
  const auto digits = to_digits(layout);
  bool holds = refusal.code == Code::not_representable;
  if (reason == "entangled" || reason == "irregular")
    holds = holds && !digits && digits.error().reason == reason;
  if (reason == "empty") holds = holds && layout.size() == 0;
  if (reason == "offset") holds = holds && base != 0;
  if (reason == "broadcast") holds = holds && !injective;
  if (reason == "multi_digit") holds = holds && !is_affine(layout);
  if (reason == "padding" && to == Notation::morello) {
    bool cropped = false;
    for (std::size_t d = 0; digits && d < layout.rank(); ++d)
      cropped = cropped || digits->digit_extent(d) != layout.shape()[d];
    holds = holds && (cropped || *image.rbegin() + 1 != layout.size());
  }
  if (reason == "gap") holds = holds && digits && overlap(layout, *digits);
  if (to == Notation::linear && layout.size() > 0) holds = holds && !is_xor_of_bits(layout);
  if (to == Notation::strides && layout.size() > 0) holds = holds && !is_affine(layout);
  return holds ? "" : fmt::format("untrue: {}", to_string(refusal));
}

}  // namespace

Index blocked_offset(const BlockedLayout& layout, std::vector<Index> index) {
  std::vector<Index> outer = layout.padded.empty() ? layout.shape : layout.padded;
  Index offset = 0;
  Index stride = 1;
  for (std::size_t k = layout.blocks.size(); k-- > 0;) {
    const auto [dim, size] = layout.blocks[k];
    const auto d = static_cast<std::size_t>(dim);
    offset += index[d] % size * stride;
    index[d] /= size;
    outer[d] = (outer[d] + size - 1) / size;
    stride *= size;
  }
  for (std::size_t k = layout.order.size(); k-- > 0;) {
    const auto d = static_cast<std::size_t>(layout.order[k]);
    offset += index[d] * (layout.strides.empty() ? stride : layout.strides[d]);
    stride *= outer[d];
  }
  return offset;
}

Index defined_offset(const Layout& layout, std::span<const Index> index) {
  switch (layout.notation()) {
    case Notation::xla:
      return layout.tiled_map()->offset(index).value();
    case Notation::cute:
      return layout.shape_stride() != nullptr ? *detail::offset(*layout.shape_stride(), coordinate(index))
                                              : *detail::offset(*layout.composed(), coordinate(index));
    case Notation::morello:
      return offset(layout.packed()->layout, layout.packed()->shape, index).value();
    case Notation::strides: {
      Index sum = layout.strides()->base;
      for (std::size_t d = 0; d < index.size(); ++d) sum += layout.strides()->strides[d] * index[d];
      return sum;
    }
    case Notation::linear:
      return layout.linear()->offset(index);
    case Notation::onednn:
      return blocked_offset(*layout.as<BlockedLayout>(), {index.begin(), index.end()});
    case Notation::axe: {
      // The iterators split the row-major number, the last one fastest.
      const AxeLayout& axe = *layout.as<AxeLayout>();
      Index flat = 0;
      for (std::size_t d = 0; d < index.size(); ++d) flat = flat * axe.shape[d] + index[d];
      Index sum = axe.offsets.empty() ? 0 : axe.offsets.front().value;
      for (std::size_t k = axe.sharded.size(); k-- > 0; flat /= axe.sharded[k].extent)
        sum += flat % axe.sharded[k].extent * axe.sharded[k].stride;
      return axe.swizzle ? (*axe.swizzle)(sum) : sum;
    }
    case Notation::triton: {
      const TritonBases bases = triton_bases(*layout.as<TritonLayout>()).value();
      if (bases.allocated() > 0) return triton_offset(bases, index)->offset;
      // (thread, register) to the element: a thread is lane + lanes * (warp + warps * block).
      std::vector<Index> place = {index[1]};
      Index thread = index[0];
      for (const char* input : {"lane", "warp", "block"}) {
        const Index values = Index{1} << bases.of(input).size();
        place.push_back(thread % values);
        thread /= values;
      }
      const std::vector<Index> element = triton_element(bases, place).value();
      Index flat = 0;
      for (std::size_t d = element.size(); d-- > 0;) flat = flat * bases.shape[d] + element[d];
      return flat;
    }
    case Notation::named:
      return layout.as<NamedLayout>()->bit_offset(index, 0) / *layout.element_bits();
    case Notation::map:
      break;
  }
  return layout.index_map()->evaluate(index)->front();
}

std::string check_one_function(const Layout& layout) {
  const IndexMap map = lower(layout);
  const auto memory = layout.buffer_size();
  Index largest = -1;
  std::string broken = for_each_index(layout.shape(), [&](const Indices& x) -> std::string {
    const Index defined = defined_offset(layout, x);
    largest = std::max(largest, defined);
    if (layout.offset(x) != defined)
      return fmt::format("offset{} is {}, not {}", text_of(x), layout.offset(x), defined);
    if (map.evaluate(x) != Indices{defined}) return fmt::format("lower at {} is not {}", text_of(x), defined);
    if (memory && (defined < 0 || defined >= *memory))
      return fmt::format("the buffer of {} does not hold {}", *memory, defined);
    return "";
  });
  if (!broken.empty()) return broken;
  const bool tight = !layout.allocated_elements();
  if (memory && tight && *memory != largest + 1)
    return fmt::format("the buffer is {}, not {}", *memory, largest + 1);
  for (const std::string& text : {to_string(layout), to_prefixed_string(layout)}) {
    const auto again = parse_layout(text);
    // The parser canonicalizes the operand of a minus, so the tree may differ although the function is the
    // same.
    const bool map_text = layout.notation() == Notation::map;
    if (!again || !(map_text ? differs(layout, *again).empty() : *again == layout))
      return "does not read back: " + text;
  }
  return "";
}

std::string check_digits(const Layout& layout) {
  const auto digits = to_digits(layout);
  std::vector<std::size_t> all;
  for (std::size_t d = 0; d < layout.rank(); ++d) all.push_back(d);
  const std::vector<std::vector<std::size_t>> groups = {all};
  const auto by_values = digits_by_tables(
      {layout.shape().begin(), layout.shape().end()},
      [&](std::span<const Index> x) { return defined_offset(layout, x); }, groups);
  if (digits.has_value() != by_values.has_value()) return "digits found by one way only";
  if (!digits)
    return digits.error().reason == by_values.error().reason ? "" : "reason " + digits.error().reason;
  return *digits == *by_values
             ? ""
             : fmt::format("{} and by values {}", to_string(*digits), to_string(*by_values));
}

std::string check_conversions(const Layout& layout) {
  for (const Notation to : all_notations()) {
    const auto result = convert(layout, to);
    std::string broken;
    if (!result) {
      broken = untrue(layout, to, result.error());
    } else if (result->layout.notation() != to) {
      broken = "another notation";
    } else {
      broken = differs(layout, result->layout);
    }
    if (!broken.empty()) return fmt::format("to {}: {}", to_string(to), broken);
    const auto all = spellings(layout, to);
    if (all.has_value() != result.has_value()) return "spellings and convert disagree";
    for (std::size_t i = 0; all && i < all->size(); ++i) {
      if (broken = differs(layout, (*all)[i]); !broken.empty())
        return fmt::format("spelling {}: {}", to_string((*all)[i]), broken);
    }
  }
  return "";
}

std::string check_preimages(const Layout& layout) {
  std::map<Index, std::vector<Indices>> at;
  for_each_index(layout.shape(), [&](const Indices& x) {
    at[defined_offset(layout, x)].push_back(x);
    return std::string();
  });
  for (const auto& [offset, indices] : at) {
    const auto found = indices_at(layout, offset, {.indices = 1000});
    if (!found) return to_string(found.error());
    if (found->indices != indices) return fmt::format("other indices at {}", offset);
  }
  for (Index offset = 0; !at.empty() && offset < std::min<Index>(at.rbegin()->first, 1000); ++offset) {
    if (at.contains(offset)) continue;
    const auto found = indices_at(layout, offset);
    if (layout.buffer_size() && (!found || !found->indices.empty()))
      return fmt::format("no padding at {}", offset);
  }
  return "";
}

namespace {

std::string check_equality(const Layout& a, const Layout& b, bool ignore_unit_dims) {
  const LayoutEquality answer = same_map(a, b, {.ignore_unit_dims = ignore_unit_dims});
  if (!std::ranges::equal(a.shape(), b.shape()))
    return answer.word == "different_shape" ? "" : "shapes differ, but: " + answer.reason;
  std::optional<LayoutDifference> first;
  for_each_index(a.shape(), [&](const Indices& x) -> std::string {
    const Index one = defined_offset(a, x);
    const Index other = defined_offset(b, x);
    if (one == other) return "";
    first = LayoutDifference{{}, one, other};
    for (std::size_t d = 0; d < x.size(); ++d) {
      if (!ignore_unit_dims || a.shape()[d] != 1) first->index.push_back(x[d]);
    }
    return "found";
  });
  if (answer.verdict != (first ? Verdict::no : Verdict::yes))
    return fmt::format("the verdict is {}", static_cast<int>(answer.verdict));
  if (answer.difference != first)
    return fmt::format("not the smallest: {}", text_of(answer.difference->index));
  return answer.smallest ? "" : "the smallest, but not said to be";
}

}  // namespace

std::string check_equality(const Layout& a, const Layout& b) {
  if (const std::string broken = check_equality(a, b, false); !broken.empty()) return broken;
  if (!std::ranges::equal(a.shape(), b.shape())) return "";
  const std::string broken = check_equality(a, b, true);
  return broken.empty() ? "" : "without dimensions of extent 1: " + broken;
}

std::string check_collision(const Layout& layout) {
  std::map<Index, Indices> first_at;
  bool injective = true;
  for_each_index(layout.shape(), [&](const Indices& x) {
    injective = first_at.try_emplace(defined_offset(layout, x), x).second && injective;
    return std::string();
  });
  const auto found = collision(layout);
  if (!found) return to_digits(layout) ? "left open: " + found.error().message : "";
  if (found->has_value() == injective) return injective ? "a collision of none" : "a collision is missed";
  if (injective) return "";
  const auto& [a, b] = **found;
  if (!(a < b)) return "the pair is not in order";
  return defined_offset(layout, a) == defined_offset(layout, b) ? "" : "the pair does not meet";
}

}  // namespace tessera::laws
