// SPDX-License-Identifier: Apache-2.0
#include "access/symbolic/sized_lanes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "access/instructions.h"
#include "access/limits.h"
#include "access/thread_table.h"
#include "base/try.h"
#include "tessera/notation/strides.h"
#include "tessera/notation/triton_layout.h"
#include "text/character_class.h"

namespace tessera::symbolic {
namespace {

using tessera_tracing::Traced;

constexpr std::string_view kTooManySteps = "the indices of the lanes need more steps than are tried";

std::size_t rank_of(const SymbolicLayout& layout) {
  const int top = layout.shape().nesting[0];
  return top == TermTree::kLeaf ? 1 : static_cast<std::size_t>(top);
}

Failure needs_sizes(const SymbolicLayout& layout, std::string_view what, std::string_view instead) {
  const std::vector<std::string> names = layout.where().names(layout.names());
  return fail(Code::missing_attribute, std::string(what), {},
              fmt::format("{}add --size {}=64", instead, fmt::join(names, "=64 --size ")));
}

/// A box whose first dimension is the fastest.
Result<Layout> box_of(const std::vector<Index>& extents) {
  Strides out{.shape = extents, .strides = {}};
  Index stride = 1;
  for (const Index n : extents) {
    out.strides.push_back(stride);
    if (mul_overflows(stride, n, stride)) return fail(Code::overflow, "the box has more than 64 bits");
  }
  return Layout::make(std::move(out));
}

/// A box of numbers that holds every index that a text names, in which an index has as many numbers as in the
/// layout.
Layout stand_in(std::size_t rank) {
  const int bits = rank == 0 ? 0 : std::min(40, 60 / static_cast<int>(rank));
  return *box_of(std::vector<Index>(rank, Index{1} << bits));
}

/// The extents, if all are numbers.
std::optional<std::vector<Index>> extents_of(const SymbolicLayout& layout) {
  std::vector<Index> out;
  if (!layout.crop().empty()) return std::nullopt;
  for (const TermTree::Mode& mode : layout.shape().modes()) {
    Index extent = 1;
    for (std::size_t leaf = mode.first; leaf < mode.last; ++leaf) {
      const auto n = evaluate(layout.shape().leaves[leaf], {});
      if (!n || *n < 1 || *n > detail::kAccessLimits.sized_pairs ||
          mul_overflows(extent, static_cast<Index>(*n), extent))
        return std::nullopt;
    }
    out.push_back(extent);
  }
  return out;
}

/// The first part of an access without its name: `rows` of `a=rows,vector=4`.
std::string_view threads_of(std::string_view text) {
  const std::size_t equals = text.find('=');
  const std::string_view name = text.substr(0, equals);
  const bool named =
      equals != std::string_view::npos && name != "ldmatrix" && name != "stmatrix" &&
      std::ranges::all_of(name, [](char c) { return tessera::detail::is_word(c) || c == '.'; });
  if (named) text.remove_prefix(equals + 1);
  return text;
}

/// Whether the threads follow from the extents of the layout.
bool needs_extents(std::string_view threads) {
  return std::ranges::any_of(
      std::initializer_list<std::string_view>{"rows", "columns", "ldmatrix", "stmatrix", "axe:", "atom:"},
      [&](std::string_view word) { return threads.starts_with(word); });
}

}  // namespace

Result<SizedLanes> sized_lanes(const std::string& text, const SymbolicLayout& layout,
                               const AccessOptions& options, const Access& defaults) {
  const std::size_t rank = rank_of(layout);
  SizedLanes out{.access = defaults};
  Layout box = stand_in(rank);
  if (text.empty()) {
    const auto extents = extents_of(layout);
    if (!extents)
      return needs_sizes(layout, "the number of threads and values depends on the sizes",
                         "give the threads: --threads 32:1; or ");
    TESSERA_TRY(made, box_of(*extents));
    box = std::move(made);
    out.access.tv = whole_layout(box).tv;
  } else {
    const std::string_view own = threads_of(text);
    // Their vectors are as wide as the strides allow.
    if (is_triton_text(own)) return needs_sizes(layout, "threads of Triton need the sizes of the layout", "");
    if (needs_extents(own)) {
      const auto extents = extents_of(layout);
      if (!extents)
        return needs_sizes(layout, "these threads follow from the sizes of the layout",
                           "write them as a layout: 32:1 for 32 threads along the first dimension; or ");
      if (text.find(".trans") != std::string::npos)
        return needs_sizes(layout, "the rows of .trans follow from the strides of the layout", "");
      TESSERA_TRY(made, box_of(*extents));
      box = std::move(made);
    }
    if (text.find("at=all") != std::string::npos || text.find("vector=auto") != std::string::npos)
      return needs_sizes(layout, "at=all and vector=auto need the sizes of the layout", "");
    Result<Access> access = parse_access(text, box, options, defaults);
    if (!access) return fail(std::move(access.error()));
    out.access = *std::move(access);
  }
  const bool by_index = out.access.window || std::holds_alternative<IndexMap>(out.access.tv);
  out.linear = !by_index;
  if (out.linear) box = stand_in(1);
  if (out.access.window && out.access.window->everywhere)
    return needs_sizes(layout, "at=all needs the sizes of the layout", "");
  const auto table = tessera::detail::thread_table(out.access, box.shape(), options.target.lanes(),
                                                   tessera::detail::LargeAccess::refuse,
                                                   tessera::detail::kAccessLimits.sized_pairs);
  if (!table) return fail(table.error());
  if (options.element_bits % 8 != 0)
    return needs_sizes(layout, "elements of less than a byte need numbers for the sizes", "");
  // The checks of widths, which no offset changes.
  tessera::detail::ThreadTable none{.threads = 0, .values = table->values, .index = {}};
  if (const auto fits = tessera::detail::access_instructions(out.access, none, {}, options); !fits)
    return fail(fits.error());
  out.width = static_cast<int>(out.access.vector * options.element_bits / 8);
  const auto at = [&](Index entry) {
    if (out.linear) return std::vector<Index>{entry};
    std::vector<Index> index;
    for (const Index n : box.shape()) {
      index.push_back(entry % n);
      entry /= n;
    }
    return index;
  };
  const Index lanes = options.target.lanes();
  for (Index first = 0; first < table->threads; first += lanes) {
    for (Index value = 0; value < table->values; value += out.access.vector) {
      SizedLanes::Instruction one;
      for (Index lane = 0; lane < std::min(lanes, table->threads - first); ++lane) {
        one.lanes.emplace_back();
        if (table->at(first + lane, value) < 0) continue;
        one.active |= std::uint64_t{1} << lane;
        for (Index v = 0; v < out.access.vector; ++v) {
          const Index entry = table->at(first + lane, value + v);
          if (entry < 0)
            return fail(
                Code::not_applicable,
                fmt::format("the values of a vector of {} are not consecutive at {}", out.access.vector,
                            tessera::detail::thread_value_text(first + lane, value + v)));
          one.lanes.back().push_back(at(entry));
        }
      }
      if (one.active != 0) out.instructions.push_back(std::move(one));
    }
  }
  return out;
}

LaneOffsets lane_offsets(const SizedLanes& lanes, const TracedDigits& digits) {
  int steps = 0;
  LaneOffsets out;
  // Subtracts a divisor that depends on sizes as often as it fits, so that the numbers stay sums of sizes.
  const auto divide = [&](Traced a, Traced b) -> TracedQuotient {
    if (b.node == 0) return divided(a, b);
    TracedQuotient q{0, a};
    while (q.rest >= b && ++steps < detail::kAccessLimits.sized_steps) {
      q.rest -= b;
      q.whole += 1;
    }
    return q;
  };
  const std::size_t rank = digits.extent.size();
  // The numbers of an index, each inside its dimension; nothing if it is outside.
  const auto index_of = [&](const std::vector<Index>& entry) -> std::optional<std::vector<Traced>> {
    std::vector<Traced> at;
    if (!lanes.linear) {
      for (const Index n : entry) at.emplace_back(n);
    } else {
      Traced whole = entry[0];
      for (std::size_t d = 0; d + 1 < rank; ++d) {
        const TracedQuotient q = divide(whole, digits.extent[d]);
        at.push_back(q.rest);
        whole = q.whole;
      }
      at.push_back(whole);
    }
    // One number for all dimensions is below their product, so each part of it is in its dimension.
    for (std::size_t d = 0; d < rank && !lanes.linear; ++d) {
      if (at[d] < 0 || at[d] >= digits.extent[d]) return std::nullopt;
    }
    return at;
  };
  if (lanes.linear) {
    Index last = 0;
    for (const SizedLanes::Instruction& one : lanes.instructions) {
      for (const auto& vector : one.lanes) {
        for (const std::vector<Index>& entry : vector) last = std::max(last, entry[0]);
      }
    }
    Traced elements = 1;
    for (const Traced n : digits.extent) elements *= n;
    if (elements <= last) {
      out.error = Code::index_out_of_range;
      return out;
    }
  }
  std::vector<std::vector<Traced>> all;
  for (const SizedLanes::Instruction& one : lanes.instructions) {
    for (const auto& vector : one.lanes) {
      for (const std::vector<Index>& entry : vector) {
        std::optional<std::vector<Traced>> at = index_of(entry);
        if (steps >= detail::kAccessLimits.sized_steps) {
          out.undecided = kTooManySteps;
          return out;
        }
        if (!at) {
          out.error = Code::index_out_of_range;
          return out;
        }
        all.push_back(*std::move(at));
      }
    }
  }
  std::size_t next = 0;
  for (const SizedLanes::Instruction& one : lanes.instructions) {
    for (const auto& vector : one.lanes) {
      Traced first = 0;
      for (std::size_t v = 0; v < vector.size(); ++v) {
        const Traced offset = offset_of(digits, all[next++], divide);
        if (steps >= detail::kAccessLimits.sized_steps) {
          out.undecided = kTooManySteps;
          return out;
        }
        if (v == 0) {
          first = offset;
          out.offsets.push_back(offset);
        } else if (offset != first + static_cast<Index>(v)) {
          out.error = Code::not_applicable;
          return out;
        }
      }
    }
  }
  return out;
}

}  // namespace tessera::symbolic
