// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <numeric>

#include "base/plural.h"
#include "draw/coordinate_text.h"
#include "draw/limits.h"
#include "draw/offset_runs.h"
#include "notation/from_digits.h"
#include "notation/to_digits.h"
#include "tessera/draw/layout_picture.h"
#include "tessera/map/map_algebra.h"
#include "tessera/notation/layout.h"
#include "tessera/text/index_map.h"

namespace tessera {
namespace {

std::string pair_text(std::span<const Index> a, std::span<const Index> b, Index offset) {
  return fmt::format("({}) and ({}) both at {}", coordinate_text(a), coordinate_text(b), offset);
}

void add_injectivity(const Layout& layout, LayoutFacts& facts) {
  const auto both = collision(layout);
  if (!both) {
    facts.unknown.emplace_back("injective", both.error().message);
    return;
  }
  facts.injective = !both->has_value();
  if (!both->has_value()) return;
  const auto& [a, b] = **both;
  facts.witness = pair_text(a, b, layout.offset(a));
}

// The rank of the bases over F2. The layout has 2^rank distinct offsets, each equally often.
int rank_of(const LinearLayout& linear) {
  std::vector<Index> reduced;
  for (const std::vector<Index>& bases : linear.bases()) {
    for (Index basis : bases) {
      for (const Index one : reduced) basis = std::min(basis, basis ^ one);
      if (basis != 0) reduced.push_back(basis);
    }
  }
  return static_cast<int>(reduced.size());
}

void add_by_walking(const Layout& layout, LayoutFacts& facts) {
  const detail::OffsetWalk walk = detail::walk(layout);
  facts.offsets = {walk.low, walk.high};
  facts.injective = !walk.collision.has_value();
  if (walk.collision) {
    facts.witness =
        pair_text(walk.collision->first, walk.collision->second, layout.offset(walk.collision->first));
  }
  facts.image = walk.image;
  facts.runs = walk.runs;
}

// Searches backward from the end, because the last element is within a tile or two of it. Gives up after
// DrawLimits::padding_cells positions.
std::optional<Index> largest_offset(const TiledMap& tiled) {
  const Index end = tiled.tiled_elements();
  for (Index offset = end; offset-- > std::max<Index>(0, end - detail::kDrawLimits.padding_cells);) {
    if (const auto cell = tiled.at(offset); cell && !cell->is_padding()) return offset;
  }
  return std::nullopt;
}

void add_large(const Layout& layout, LayoutFacts& facts) {
  const std::string reason = fmt::format("more than {} elements, and the digits do not determine it",
                                         detail::kDrawLimits.facts_elements);
  add_injectivity(layout, facts);
  if (facts.digits) {
    const Interval bounds = facts.digits->image_bounds();
    facts.offsets = {bounds.lower, bounds.upper};
    facts.runs = detail::runs_of(*facts.digits);
  } else if (const TiledMap* tiled = layout.tiled_map()) {
    if (const auto last = largest_offset(*tiled)) facts.offsets = {0, *last};
  } else if (const LinearLayout* linear = layout.linear()) {
    facts.image = Index{1} << rank_of(*linear);
  }
  if (!facts.offsets) facts.unknown.emplace_back("offsets", reason);
  if (facts.injective == true) facts.image = facts.size;
  if (!facts.image) {
    if (const Count count = count_image(facts.map); count.exact()) {
      facts.image = count.lower;
    } else {
      facts.unknown.emplace_back("image", to_string(count));
    }
  }
  if (!facts.runs)
    facts.unknown.emplace_back("runs",
                               fmt::format("more than {} elements", detail::kDrawLimits.facts_elements));
}

std::string counted(Index count, std::string_view noun) {
  return detail::plural(static_cast<std::size_t>(count), noun);
}

std::string share(Index part, Index whole) {
  return fmt::format("{:.4g} %", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

std::string run_text(const OffsetRuns& runs) {
  if (runs.count == 1) return fmt::format("one, of {}", counted(runs.longest, "consecutive offset"));
  if (runs.shortest == runs.longest) {
    return fmt::format("{}, each of {}", runs.count, counted(runs.longest, "consecutive offset"));
  }
  return fmt::format("{}, of {} to {} consecutive offsets", runs.count, runs.shortest, runs.longest);
}

std::string strides_text(const LayoutFacts& facts) {
  if (!facts.digits) return {};
  const Result<Strides> strides = to_strides(*facts.digits);
  if (!strides) return {};
  return fmt::format("({}){}", fmt::join(strides->strides, ","),
                     strides->base == 0 ? "" : fmt::format(" from {}", strides->base));
}

}  // namespace

LayoutFacts facts_of(const Layout& layout, Index bits) {
  LayoutFacts facts{.text = to_prefixed_string(layout),
                    .order = order_text(layout),
                    .notation = layout.notation(),
                    .shape = {layout.shape().begin(), layout.shape().end()},
                    .size = layout.size(),
                    .map = simplify(lower(layout))};
  if (Result<Digits> digits = to_digits(layout)) {
    facts.digits = *std::move(digits);
  } else {
    facts.no_digits =
        digits.error().reason.empty() ? std::string(to_string(digits.error().code)) : digits.error().reason;
  }
  if (facts.size == 0) {
    facts.image = facts.cosize = 0;
    facts.injective = true;
    facts.runs = OffsetRuns{};
  } else if (facts.size <= detail::kDrawLimits.facts_elements) {
    add_by_walking(layout, facts);
  } else {
    add_large(layout, facts);
  }
  if (facts.offsets) {
    const Index low = std::min<Index>(facts.offsets->first, 0);
    if (const auto span = checked_sub(facts.offsets->second, low)) facts.cosize = checked_add(*span, 1);
  }
  if (const Result<Index> buffer = layout.buffer_size()) {
    facts.buffer = *buffer;
  } else {
    facts.unknown.emplace_back("memory", buffer.error().message);
  }
  facts.bits = layout.element_bits();
  if (!facts.bits && bits > 0) facts.bits = bits;
  if (facts.buffer && facts.bits) {
    if (const auto all = checked_mul(*facts.buffer, *facts.bits)) facts.bytes = ceil_div(*all, 8);
  }
  if (facts.buffer && facts.image) facts.padding = *facts.buffer - *facts.image;
  return facts;
}

std::vector<std::pair<std::string, std::string>> fact_rows(const LayoutFacts& facts) {
  std::vector<std::pair<std::string, std::string>> rows;
  const auto add = [&](const char* name, std::string value) { rows.emplace_back(name, std::move(value)); };
  add("order", facts.order);
  add("shape", fmt::format("({}), {}", fmt::join(facts.shape, ","), counted(facts.size, "element")));
  if (facts.buffer) {
    std::string memory = counted(*facts.buffer, "element");
    if (facts.bytes)
      memory += fmt::format(" of {}, {}", counted(*facts.bits, "bit"), counted(*facts.bytes, "byte"));
    add("memory", memory);
  }
  if (facts.padding && *facts.buffer > 0) {
    add("padding", *facts.padding == 0 ? "none"
                                       : fmt::format("{}, {}", counted(*facts.padding, "element"),
                                                     share(*facts.padding, *facts.buffer)));
  }
  if (facts.offsets) {
    add("offsets", fmt::format("{} to {}, cosize {}", facts.offsets->first, facts.offsets->second,
                               facts.cosize ? fmt::format("{}", *facts.cosize) : "beyond 64 bits"));
  }
  if (facts.injective) {
    add("injective", *facts.injective        ? "yes"
                     : facts.witness.empty() ? "no"
                                             : fmt::format("no: {}", facts.witness));
  }
  if (facts.image && facts.injective == false) add("image", counted(*facts.image, "distinct offset"));
  if (facts.runs && facts.runs->count > 0) {
    add("runs", run_text(*facts.runs));
    add("alignment", fmt::format("runs begin and end at multiples of {}", facts.runs->alignment));
  }
  if (const std::string strides = strides_text(facts); !strides.empty()) {
    add("strides", strides);
  } else if (facts.digits) {
    add("digits", to_string(*facts.digits));
  } else {
    add("digits", fmt::format("none: {}", facts.no_digits));
  }
  add("map", to_string(facts.map, facts.shape));
  for (const auto& [name, reason] : facts.unknown) add(name.c_str(), fmt::format("unknown: {}", reason));
  return rows;
}

std::string fact_line(const LayoutFacts& facts) {
  std::string line = fmt::format("shape ({}), size {}", fmt::join(facts.shape, ","), facts.size);
  const auto add = [&](const char* name, const std::optional<Index>& value) {
    line += value ? fmt::format(", {} {}", name, *value) : fmt::format(", {} unknown", name);
  };
  add("buffer", facts.buffer);
  add("padding", facts.padding);
  line += facts.injective ? (*facts.injective ? ", injective" : ", not injective") : ", injective unknown";
  return line;
}

}  // namespace tessera
