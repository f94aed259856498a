// SPDX-License-Identifier: Apache-2.0
#include "hlo/analysis/padding.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "base/saturating.h"
#include "hlo/analysis/array_bytes.h"
#include "hlo/analysis/array_origin.h"
#include "hlo/analysis/bitcast.h"
#include "hlo/analysis/in_place.h"
#include "hlo/analysis/written_leaves.h"
#include "hlo/check/started.h"
#include "hlo/ops/rule.h"
#include "hlo/ops/values.h"
#include "tessera/hlo/traffic.h"
#include "tessera/notation/layout.h"

namespace tessera {
namespace {

using Tiles = std::vector<std::vector<Index>>;

// The tiles of the rule for an array of this type, the usual one first.
std::vector<Tiles> tiles_of(TilingRule rule, const TensorType& type) {
  const std::size_t rank = type.rank();
  const Index bits = detail::element_bits(type);
  if (rule == TilingRule::written) return {type.layout == nullptr ? Tiles{} : type.layout->tiles};
  if (rule == TilingRule::square) return {rank == 1 ? Tiles{{32}} : Tiles{{32, 32}}};
  const Index packed = bits < 32 ? 32 / std::max<Index>(bits, 1) : 1;
  std::vector<Tiles> out;
  const auto add = [&](std::vector<Index> tile) {
    Tiles tiles{std::move(tile)};
    if (packed > 1 && rank == 1) tiles.push_back({128});
    if (packed > 1) tiles.push_back({packed, 1});
    out.push_back(std::move(tiles));
  };
  if (rank == 1) {
    for (const Index size : {1024, 512, 256, 128}) {
      if (size >= 128 * packed) add({size});
    }
    return out;
  }
  add({8, 128});
  if (packed > 1 && packed != 8) add({8 * packed, 128});
  for (const Index rows : {4, 2, 1}) {
    if (rows >= packed) add({rows, 128});
  }
  return out;
}

Result<PaddedLayout> with_layout(const TensorType& type, std::vector<Index> order, Tiles tiles) {
  TiledLayout layout{.minor_to_major = std::move(order), .tiles = std::move(tiles)};
  if (type.layout != nullptr) {
    layout.element_bits = type.layout->element_bits;
    layout.memory_space = type.layout->memory_space;
  }
  auto tiled = TensorType::make(type.dtype, type.dims, std::move(layout));
  if (!tiled) return fail(tiled.error());
  const auto made = Layout::make(*tiled);
  if (!made) return fail(made.error());
  const auto size = made->buffer_size();
  if (!size) return fail(size.error());
  const auto bits = checked_mul(*size, detail::element_bits(type));
  if (!bits) return fail(Code::overflow, "the size of the array in bits does not fit in 64 bits");
  return PaddedLayout{to_string(*tiled), ceil_div(*bits, 8), *std::move(tiled)};
}

// One order of the dimensions for each choice of the two minor dimensions; the order as written comes first.
std::vector<std::vector<Index>> orders_of(const TensorType& type) {
  const std::vector<Index> own = type.minor_to_major();
  std::vector<std::vector<Index>> out{own};
  for (const Index minor : own) {
    for (const Index second : own) {
      if (second == minor && own.size() > 1) continue;
      std::vector<Index> order{minor};
      if (second != minor) order.push_back(second);
      for (const Index d : own) {
        if (d != minor && d != second) order.push_back(d);
      }
      if (order != own) out.push_back(std::move(order));
    }
  }
  return out;
}

// The smallest layout after joining neighboring dimensions, in the order as written, into a single dimension
// or into the two minor ones. Empty if none takes fewer than `below` bytes.
std::optional<PaddedLayout> best_joined(const TensorType& type, TilingRule rule, Index below) {
  const std::vector<Index> order = type.minor_to_major();
  std::vector<Index> physical;  // extents, major first
  for (auto d = order.rbegin(); d != order.rend(); ++d)
    physical.push_back(type.dims[static_cast<std::size_t>(*d)]);
  std::optional<PaddedLayout> best;
  const auto product = [&](std::size_t begin, std::size_t end) {
    Index out = 1;
    for (std::size_t i = begin; i < end; ++i) out *= physical[i];
    return out;
  };
  const auto consider = [&](std::vector<Index> dims) {
    TensorType other = type;
    other.dims = std::move(dims);
    for (Tiles& tiles : tiles_of(rule, other)) {
      auto made = with_layout(other, descending_order(other.rank()), std::move(tiles));
      if (made && made->bytes < below && (!best || made->bytes < best->bytes)) best = *std::move(made);
    }
  };
  if (physical.size() < 2) return best;
  consider({product(0, physical.size())});
  for (std::size_t second = 0; second + 1 < physical.size(); ++second) {
    for (std::size_t minor = second + 1; minor < physical.size(); ++minor) {
      if (minor == second + 1 && minor + 1 == physical.size()) continue;
      std::vector<Index> dims(physical.begin(), physical.begin() + static_cast<std::ptrdiff_t>(second));
      dims.push_back(product(second, minor));
      dims.push_back(product(minor, physical.size()));
      consider(std::move(dims));
    }
  }
  return best;
}

// Dimension `blocked` in blocks: `aBcd16b`. Empty if the number of bytes exceeds 64 bits.
std::optional<PaddedLayout> in_blocks(const TensorType& type, std::size_t blocked, Index block) {
  Index elements = 1;
  std::string tag;
  for (std::size_t d = 0; d < type.rank(); ++d) {
    const auto padded = d == blocked ? checked_mul(ceil_div(type.dims[d], block), block) : type.dims[d];
    if (!padded || mul_overflows(elements, *padded, elements)) return std::nullopt;
    tag += static_cast<char>((d == blocked ? 'A' : 'a') + static_cast<int>(d));
  }
  tag += fmt::format("{}{}", block, static_cast<char>('a' + static_cast<int>(blocked)));
  const auto bits = checked_mul(elements, detail::element_bits(type));
  if (!bits) return std::nullopt;
  return PaddedLayout{fmt::format("{}[{}]:{}", to_string(type.dtype), fmt::join(type.dims, ","), tag),
                      ceil_div(*bits, 8)};
}

Result<void> in_blocks(PaddedArray& array) {
  const TensorType& type = array.type;
  const std::size_t channels = type.rank() > 1 ? 1 : 0;
  const auto usual = in_blocks(type, channels, 16);
  if (!usual || type.rank() > 12)
    return fail(Code::overflow,
                "oneDNN supports at most 12 dimensions, and the size in bits must fit in 64 bits");
  array.ruled = array.best = *usual;
  for (const Index block : {16, 8, 4}) {
    for (std::size_t i = 0; i < type.rank(); ++i) {
      const std::size_t d = i == 0 ? channels : i <= channels ? i - 1 : i;
      const auto other = in_blocks(type, d, block);
      if (other && other->bytes < array.best.bytes) array.best = *other;
    }
  }
  return {};
}

// Whether the instruction only gives another name to the array of another instruction, or to parts of it.
bool names_another(const Instruction& op) {
  if (op.opcode == Opcode::copy_start) return false;
  if (op.opcode == Opcode::async_start) return detail::started_steps(op) != nullptr;
  return op.opcode == Opcode::bitcast || op.opcode == Opcode::while_ || op.opcode == Opcode::call ||
         op.opcode == Opcode::conditional || only_forwards(op.opcode);
}

class Collector {
 public:
  explicit Collector(PaddingReport& report) : report_(report) {}

  // `updates`: the results that are written over an operand.
  void add(const Instruction& op, const std::vector<detail::ArrayUpdate>& updates) {
    const auto [first, last] = detail::written_leaves(op);
    for (std::size_t leaf = first; leaf < last; ++leaf) {
      const bool in_place = std::ranges::any_of(updates, [&](const detail::ArrayUpdate& update) {
        return update.result == leaf && update.in_place == Verdict::yes;
      });
      if (in_place) continue;
      const HloType& type = leaf_type(op.type, leaf);
      if (!type.is_array() || type.array().rank() == 0) continue;
      const std::string text = to_string(type.array());
      const auto [found, is_new] = places_.try_emplace(text, report_.arrays.size());
      if (is_new) {
        auto array = padded_array(type.array(), report_.rule);
        if (!array) {
          found->second = kUnknown;
        } else {
          array->first = &op;
          array->count = 0;
          report_.arrays.push_back(*std::move(array));
        }
      }
      if (found->second == kUnknown) {
        ++report_.unknown;
      } else {
        ++report_.arrays[found->second].count;
      }
    }
  }

  // The type with its best layout.
  const TensorType& best(const TensorType& type) const {
    const auto found = places_.find(to_string(type));
    if (found == places_.end() || found->second == kUnknown) return type;
    const PaddedArray& array = report_.arrays[found->second];
    return array.best.type && array.saving() > 0 ? *array.best.type : type;
  }

 private:
  static constexpr std::size_t kUnknown = static_cast<std::size_t>(-1);
  PaddingReport& report_;
  std::map<std::string, std::size_t> places_;
};

}  // namespace

std::string_view to_string(TilingRule rule) {
  constexpr std::array<std::string_view, 4> kNames = {"tpu", "32x32", "onednn", "written"};
  return kNames[static_cast<std::size_t>(rule)];
}

Result<TilingRule> parse_tiling_rule(std::string_view text) {
  for (const TilingRule rule :
       {TilingRule::tpu, TilingRule::square, TilingRule::onednn, TilingRule::written}) {
    if (text == to_string(rule)) return rule;
  }
  return fail(Code::bad_option, fmt::format("'{}' is not a tiling rule", text), {},
              "the rules are tpu, 32x32, onednn and written");
}

TilingRule tiling_rule_of(const HloModule& module) {
  bool tpu = false;
  bool square = false;
  bool other = false;
  const auto look = [&](const HloType& type) {
    if (!type.is_array() || type.array().layout == nullptr || type.array().layout->tiles.empty()) return;
    const std::vector<Index>& tile = type.array().layout->tiles[0];
    const bool of_tpu = !tile.empty() && tile.size() <= 2 && tile.back() % 128 == 0;
    const bool of_square = tile == std::vector<Index>{32, 32} || tile == std::vector<Index>{32};
    (of_tpu ? tpu : of_square ? square : other) = true;
  };
  for (const auto& computation : module.computations) {
    for (const auto& op : computation->instructions) {
      std::vector<const HloType*> types{&op->type};
      while (!types.empty()) {
        const HloType& type = *types.back();
        types.pop_back();
        look(type);
        for (const HloType& element : type.elements()) types.push_back(&element);
      }
    }
  }
  if (other || tpu == square) return TilingRule::written;
  return tpu ? TilingRule::tpu : TilingRule::square;
}

Index PaddedArray::saving() const {
  return checked_mul(std::max<Index>(now - best.bytes, 0), count).value_or(kIndexMax);
}

Result<PaddedArray> padded_array(const TensorType& type, TilingRule rule) {
  PaddedArray out{.type = type, .ruled = {}, .best = {}};
  const auto elements = detail::array_bytes(HloType(type));
  if (!elements) return fail(Code::undefined_value, "the number of elements is unknown or exceeds 64 bits");
  out.elements = *elements;
  const bool as_written = type.layout != nullptr;
  const auto now = with_layout(type, type.minor_to_major(), as_written ? type.layout->tiles : Tiles{});
  if (!now) return fail(now.error());
  out.now = now->bytes;
  if (rule == TilingRule::onednn) {
    if (auto done = in_blocks(out); !done) return fail(done.error());
    return out;
  }
  // A layout as written stays the best unless one of the rule takes fewer bytes.
  if (out.is_tiled()) out.best = *now;
  bool first = true;
  for (std::vector<Index>& order : orders_of(type)) {
    for (Tiles& tiles : tiles_of(rule, type)) {
      auto made = with_layout(type, order, std::move(tiles));
      if (!made) return fail(made.error());
      if (first) out.ruled = *made;
      if (first && !out.is_tiled()) out.best = *made;
      first = false;
      if (made->bytes < out.best.bytes) out.best = *std::move(made);
    }
  }
  if (rule != TilingRule::written) out.joined = best_joined(type, rule, out.best.bytes);
  return out;
}

PaddingReport padding_report(const HloModule& module, std::optional<TilingRule> named,
                             const Computation* start) {
  const TilingRule rule = named ? *named : tiling_rule_of(module);
  PaddingReport out{.rule = rule, .own = !named, .arrays = {}, .lost = {}};
  if (start == nullptr) start = module.entry;
  if (start == nullptr) return out;
  Collector collector(out);
  auto computations = executed_computations(*start);
  // The body of a loop without iterations computes nothing.
  std::erase_if(computations, [](const ComputationRuns& x) { return x.runs.upper == Index{0}; });
  std::vector<const Computation*> executed;
  for (const ComputationRuns& x : computations) executed.push_back(x.computation);
  detail::ArrayOrigins origins(executed);
  detail::InPlace in_place(module, *start, origins);
  for (const auto& [computation, runs] : computations) {
    for (const auto& op : computation->instructions) {
      // The arguments of loops and calls are arrays of their callers.
      const bool argument = op->opcode == Opcode::parameter && computation != start;
      if (!names_another(*op) && !argument) collector.add(*op, in_place.updates(*op));
    }
  }
  if (rule != TilingRule::onednn) {
    std::map<std::string, bool> known;
    for (const auto& [computation, runs] : computations) {
      for (const auto& op : computation->instructions) {
        if (!detail::only_moves(op->opcode) || !op->sound || op->operands.size() != 1) continue;
        if (!op->operand_type(0).is_array() || !op->type.is_array()) continue;
        const TensorType& from = op->operand_type(0).array();
        const TensorType& to = op->type.array();
        const auto order = op->opcode == Opcode::transpose ? detail::value_of<detail::DimsOp>(*op) : nullptr;
        const std::string key =
            fmt::format("{} {} {} {}", op->opcode_text, to_string(from), to_string(to),
                        fmt::join(order != nullptr ? order->dims : std::vector<Index>(), ","));
        const auto [found, is_new] = known.try_emplace(key, false);
        if (is_new) {
          const auto now = bitcast_answer(*op);
          found->second =
              now && now->verdict == Verdict::yes &&
              detail::bitcast_answer_with(*op, collector.best(from), collector.best(to)).verdict ==
                  Verdict::no;
        }
        if (found->second) out.lost.push_back({op.get(), detail::array_bytes(op->type).value_or(0)});
      }
    }
  }
  for (const PaddedArray& array : out.arrays) {
    const auto all = [&](Index bytes) { return checked_mul(bytes, array.count).value_or(kIndexMax); };
    out.elements = detail::saturating_add(out.elements, all(array.elements));
    out.now = detail::saturating_add(out.now, all(array.now));
    out.ruled = detail::saturating_add(out.ruled, all(array.ruled.bytes));
    out.best = detail::saturating_add(out.best, all(array.best.bytes));
  }
  std::ranges::stable_sort(out.arrays, std::ranges::greater{}, &PaddedArray::saving);
  return out;
}

}  // namespace tessera
