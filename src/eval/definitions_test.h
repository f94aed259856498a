// SPDX-License-Identifier: Apache-2.0
// Helpers to check the calculator's functions: random operands, the definition of their values, and calls of
// the calculator.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "eval/parameter.h"
#include "laws/algebra_laws.h"
#include "tessera/eval/evaluator.h"

namespace tessera::definitions {

using laws::broken;
using laws::defined_offset;
using laws::Held;
using laws::held;
using laws::Random;
using OffsetTable = std::vector<Index>;

/// The checks of functions, by name.
using Check = std::function<Held(Random&)>;
using Checks = std::map<std::string, Check>;

// The checks of each family of functions.
Checks checks_of_facts();
Checks checks_of_modes();
Checks checks_of_inverses();
Checks checks_of_tiling();
Checks checks_of_partitions();
Checks checks_of_questions();

// --- Operands and the definition of their values, independent of the library's evaluation ---

inline Index value_at(const ComposedLayout& c, Index i) {
  for (int p = c.parts; p-- > 0;) {
    const ComposedPart& part = c.part[p];
    i += part.offset;
    if (part.kind == ComposedPart::Kind::layout) {
      i = defined_offset(part.layout, i);
      continue;
    }
    for (int b = 0; b < part.swizzle.bits; ++b) {
      const int read = part.swizzle.base + b + std::max(part.swizzle.shift, 0);
      const int write = part.swizzle.base + b - std::min(part.swizzle.shift, 0);
      i ^= ((i >> read) & 1) << write;
    }
  }
  return i;
}
inline OffsetTable table(const ComposedLayout& c, Index n = -1) {
  OffsetTable out;
  if (n < 0) n = c.size();
  for (Index i = 0; i < n; ++i) out.push_back(value_at(c, i));
  return out;
}
inline OffsetTable table(const StridedLayout& l) { return table(ComposedLayout(l)); }
inline OffsetTable sorted(OffsetTable t) {
  std::sort(t.begin(), t.end());
  return t;
}
inline bool distinct(const OffsetTable& t) { return std::set<Index>(t.begin(), t.end()).size() == t.size(); }
inline bool is_permutation_of_coordinates(const OffsetTable& t) {
  const OffsetTable s = sorted(t);
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (s[i] != static_cast<Index>(i)) return false;
  }
  return true;
}
/// The values of a layout, given the values of each of its modes, the first mode fastest.
inline OffsetTable side_by_side(const std::vector<OffsetTable>& modes) {
  OffsetTable out = {0};
  for (const OffsetTable& mode : modes) {
    OffsetTable next;
    for (const Index v : mode) {
      for (const Index before : out) next.push_back(before + v);
    }
    out = next;
  }
  return out;
}
inline std::vector<OffsetTable> modes_of(const StridedLayout& l) {
  std::vector<OffsetTable> out;
  for (int i = 0; i < l.rank(); ++i)
    out.push_back(table(tessera::detail::sublayout(l, mode_at(l.profile, i))));
  return out;
}

inline Swizzle random_swizzle(Random& r, int most = 3) {
  const int bits = static_cast<int>(r.in(0, 2));
  const int shift = static_cast<int>(r.in(bits, most)) * (r.one_in(3) ? -1 : 1);
  return {bits, static_cast<int>(r.in(0, 3)), bits == 0 && shift == 0 ? 1 : shift};
}
inline StridedLayout plain(Random& r, Index size = 64) { return r.layout(size); }
inline StridedLayout positive(Random& r, Index size = 64) { return r.layout(size, false); }
/// A layout, or a chain that is defined at all its coordinates.
inline ComposedLayout chain(Random& r, Index size = 64) {
  const Index kind = r.in(0, 3);
  if (kind < 2) return ComposedLayout(plain(r, size));
  const StridedLayout domain = positive(r, size);
  const Index x = r.one_in(2) ? 0 : r.in(0, 20);
  return kind == 2 ? *tessera::detail::make_composed(random_swizzle(r), x, domain)
                   : *tessera::detail::make_composed(plain(r), x, domain);
}
inline Tiler tiler(Random& r, const StridedLayout& l) {
  if (r.one_in(3)) return Tiler(r.one_in(2) ? plain(r, 8) : positive(r, 8));
  if (r.one_in(4)) return Tiler(r.in(1, 8));
  IntTuple sizes;
  IntTupleBuilder build(sizes);
  const Index rank = r.in(1, l.rank());
  build.tuple(static_cast<int>(rank));
  for (Index i = 0; i < rank; ++i) build.leaf(r.pick<Index>({1, 2, 2, 3, 4}));
  return *tessera::detail::shape_tiler(sizes);
}

// --- Calls of the calculator ---

template <class T>
std::string text_of(const T& v) {
  if constexpr (std::integral<T>) {
    return std::to_string(v);
  } else if constexpr (std::convertible_to<T, std::string>) {
    return v;
  } else {
    return "(" + to_string(v) + ")";
  }
}
inline std::string text_of(const IntTuple& t) { return to_string(t); }
inline std::string text_of(const Coord& t) { return to_string(t); }
inline std::string text_of(const Tiler& t) { return to_string(t); }
inline std::string text_of(const StridedLayout& l) { return to_string(l); }

struct Reply {
  std::string text;
  Evaluation all;
  bool ok() const { return !all.error; }
  Code code() const { return all.error->code; }
  const Value& value() const { return all.answers.back().value; }
  Index integer() const { return *value().integer(); }
  bool yes() const { return value().as<Truth>()->yes; }
  StridedLayout layout() const { return value().as<TrackedLayout>()->layout; }
  ComposedLayout chain() const { return eval::Parameter<eval::Chain>::read(value())->layout; }
  bool noted(std::string_view part) const {
    return std::any_of(all.notes.begin(), all.notes.end(),
                       [&](const std::string& n) { return n.find(part) != std::string::npos; });
  }
  Held wrong(const std::string& why = {}) const {
    return broken(text, "=", ok() ? to_string(value()) : to_string(*all.error), why);
  }
};
inline Reply ask_text(const std::string& text) {
  Evaluator evaluator;
  return {text, evaluator.evaluate(text)};
}
template <class... A>
Reply ask(const std::string& function, const A&... arguments) {
  std::string text = function + "(";
  ((text += text_of(arguments) + ", "), ...);
  text.resize(text.size() - 2);
  return ask_text(text + ")");
}
inline Held when(bool right, const Reply& reply, const std::string& why = {}) {
  return right ? held() : reply.wrong(why);
}

}  // namespace tessera::definitions
