// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tessera/eval/evaluator.h"
#include "tessera/notation/cute.h"

namespace tessera {
namespace {

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

Value::Data data_of(const ComposedLayout& chain) {
  if (chain.parts == 1) {
    if (chain.has_domain()) return TrackedLayout{chain.domain(), {}};
    return chain.last().swizzle;
  }
  TrackedComposed tracked;
  tracked.layout = chain;
  tracked.static_offset = 0xff;
  return tracked;
}

std::string bases_text(const LinearBases& table) {
  std::string out = "[";
  for (int leaf = 0, next = 0; leaf < table.leaves; ++leaf) {
    const int bits = table.bits[leaf];
    out += fmt::format("{}[{}]", leaf > 0 ? "," : "",
                       fmt::join(table.basis + next, table.basis + next + bits, ","));
    next += bits;
  }
  return out + "]";
}

}  // namespace

Value::Value(const ComposedLayout& chain) : Value(data_of(chain)) {}

const Index* Value::integer() const {
  const auto* coord = as<TrackedCoord>();
  if (coord == nullptr || !coord->coord.tuple.is_integer() || coord->coord.holes != 0) return nullptr;
  return &coord->coord.tuple.leaf[0];
}

std::string to_string(const Value& value) {
  return std::visit(
      Overloaded{
          [](const Slice& v) { return fmt::format("{} at {}", to_string(v.layout), to_string(v.offset)); },
          [](const ThreadValue& v) {
            return fmt::format("{} over {}", to_string(v.layout), to_string(v.tile));
          },
          [](const LinearBases& v) { return bases_text(v); },
          [](const std::vector<Index>& v) { return fmt::format("[{}]", fmt::join(v, ",")); },
          [](const Truth& v) {
            return (v.yes ? "true" : "false") + (v.reason.empty() ? "" : ", " + v.reason);
          },
          [](const Order& v) { return std::string(v == Order::left ? "left" : "right"); },
          [](const TextBlock& v) { return v.text; },
          [](const auto& v) { return to_string(v); },
      },
      value.data());
}

std::string kind_of(const Value& value) {
  return std::visit(Overloaded{
                        [&](const TrackedCoord& v) -> std::string {
                          if (v.coord.holes != 0) return "coordinate";
                          return value.integer() != nullptr ? "integer" : "tuple";
                        },
                        [](const TrackedLayout&) -> std::string { return "layout"; },
                        [](const TrackedComposed&) -> std::string { return "composed_layout"; },
                        [](const Swizzle&) -> std::string { return "swizzle"; },
                        [](const TrackedTiler&) -> std::string { return "tiler"; },
                        [](const Slice&) -> std::string { return "slice"; },
                        [](const ThreadValue&) -> std::string { return "thread_value"; },
                        [](const LinearBases&) -> std::string { return "bases"; },
                        [](const std::vector<Index>&) -> std::string { return "list"; },
                        [](const Truth&) -> std::string { return "boolean"; },
                        [](Order) -> std::string { return "order"; },
                        [](const TextBlock&) -> std::string { return "text"; },
                        [](const AxeLayout&) -> std::string { return "axe_layout"; },
                    },
                    value.data());
}

}  // namespace tessera
