// SPDX-License-Identifier: Apache-2.0
// Every function of the calculator does what its summary in `tessera eval --list` says. On random layouts and
// chains (nested, with extents of 1, strides of 0 and below, swizzles, offsets) the answer is compared with
// the summary by enumeration; so are refusals, if the summary says when an answer exists.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <set>

#include "eval/parameter.h"
#include "laws/algebra_laws.h"
#include "tessera/eval/evaluator.h"

namespace tessera {
namespace {

using laws::broken;
using laws::defined_offset;
using laws::Held;
using laws::held;
using laws::Random;
using Table = std::vector<Index>;

// --- Operands and the definition of their values, independent of the library's evaluation ---

Index value_at(const ComposedLayout& c, Index i) {
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
Table table(const ComposedLayout& c, Index n = -1) {
  Table out;
  if (n < 0) n = c.size();
  for (Index i = 0; i < n; ++i) out.push_back(value_at(c, i));
  return out;
}
Table table(const StridedLayout& l) { return table(ComposedLayout(l)); }
Table sorted(Table t) {
  std::sort(t.begin(), t.end());
  return t;
}
bool distinct(const Table& t) { return std::set<Index>(t.begin(), t.end()).size() == t.size(); }
bool is_permutation_of_coordinates(const Table& t) {
  const Table s = sorted(t);
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (s[i] != static_cast<Index>(i)) return false;
  }
  return true;
}
/// The values of several modes side by side, the first one fastest.
Table side_by_side(const std::vector<Table>& modes) {
  Table out = {0};
  for (const Table& mode : modes) {
    Table next;
    for (const Index v : mode) {
      for (const Index before : out) next.push_back(before + v);
    }
    out = next;
  }
  return out;
}
std::vector<Table> modes_of(const StridedLayout& l) {
  std::vector<Table> out;
  for (int i = 0; i < l.rank(); ++i) out.push_back(table(sublayout(l, mode_at(l.profile, i))));
  return out;
}

Swizzle random_swizzle(Random& r, int most = 3) {
  const int bits = static_cast<int>(r.in(0, 2));
  const int shift = static_cast<int>(r.in(bits, most)) * (r.one_in(3) ? -1 : 1);
  return {bits, static_cast<int>(r.in(0, 3)), bits == 0 && shift == 0 ? 1 : shift};
}
StridedLayout plain(Random& r, Index size = 64) { return r.layout(size); }
StridedLayout positive(Random& r, Index size = 64) { return r.layout(size, false); }
/// A layout, or a chain that is defined at all its coordinates.
ComposedLayout chain(Random& r, Index size = 64) {
  const Index kind = r.in(0, 3);
  if (kind < 2) return ComposedLayout(plain(r, size));
  const StridedLayout domain = positive(r, size);
  const Index x = r.one_in(2) ? 0 : r.in(0, 20);
  return kind == 2 ? *make_composed(random_swizzle(r), x, domain) : *make_composed(plain(r), x, domain);
}
Tiler tiler(Random& r, const StridedLayout& l) {
  if (r.one_in(3)) return Tiler(r.one_in(2) ? plain(r, 8) : positive(r, 8));
  if (r.one_in(4)) return Tiler(r.in(1, 8));
  IntTuple sizes;
  IntTupleBuilder build(sizes);
  const Index rank = r.in(1, l.rank());
  build.tuple(static_cast<int>(rank));
  for (Index i = 0; i < rank; ++i) build.leaf(r.pick<Index>({1, 2, 2, 3, 4}));
  return *shape_tiler(sizes);
}

// --- Questions to the calculator ---

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
std::string text_of(const IntTuple& t) { return to_string(t); }
std::string text_of(const Coord& t) { return to_string(t); }
std::string text_of(const Tiler& t) { return to_string(t); }
std::string text_of(const StridedLayout& l) { return to_string(l); }

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
Reply ask_text(const std::string& text) {
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
Held when(bool right, const Reply& reply, const std::string& why = {}) {
  return right ? held() : reply.wrong(why);
}

// --- One check for each function ---

using Check = std::function<Held(Random&)>;

Held check_divide(const std::string& function, Random& r) {
  const ComposedLayout c = chain(r, 48);
  const Tiler t = tiler(r, c.domain());
  const Reply reply = ask(function, c, t);
  if (!reply.ok() || !reply.all.notes.empty()) return held();
  return when(sorted(table(reply.chain())) == sorted(table(c)), reply, "has other offsets");
}
Held check_copies(const std::string& function, Random& r) {
  const StridedLayout a = plain(r, 12);
  const StridedLayout t = positive(r, 12);
  const Reply reply = ask(function, a, t);
  if (!reply.ok()) return held();
  const Table all = table(reply.layout());
  if (static_cast<Index>(all.size()) != a.size() * t.size()) return reply.wrong("size");
  const bool apart = distinct(table(a)) && distinct(table(t));
  return when(!apart || distinct(all), reply, "copies overlap");
}
Held check_partition(const std::string& function, bool tile_kept, Random& r) {
  const ComposedLayout c = chain(r, 48);
  const Index rank = r.in(1, c.domain().rank());
  IntTuple sizes;
  IntTupleBuilder build(sizes);
  build.tuple(static_cast<int>(rank));
  for (Index i = 0; i < rank; ++i) build.leaf(r.pick<Index>({1, 2, 4}));
  const Outcome<StridedLayout> zipped = zipped_divide(c.domain(), *shape_tiler(sizes));
  if (!zipped) return held();
  const StridedLayout tile = *mode(*zipped, 0);
  const StridedLayout rest = *mode(*zipped, 1);
  const Index at = r.in(0, (tile_kept ? rest : tile).size() - 1);
  const Reply reply = ask(function, c, sizes, at);
  if (!reply.ok()) return held();
  Table expected;
  for (Index k = 0; k < (tile_kept ? tile : rest).size(); ++k) {
    ComposedLayout part = c;
    part.part[c.parts - 1].layout = *zipped;
    expected.push_back(value_at(part, tile_kept ? k + at * tile.size() : at + k * tile.size()));
  }
  Table got;
  if (const auto* slice = reply.value().as<Slice>()) {
    for (const Index v : table(slice->layout)) got.push_back(v + slice->offset.leaf[0]);
  } else {
    got = table(reply.chain());
  }
  return when(got == expected, reply);
}
Held check_slice(const std::string& function, Random& r) {
  const ComposedLayout c = chain(r);
  const StridedLayout& l = c.domain();
  if (l.profile.is_leaf()) return held();
  Coord at;
  IntTupleBuilder build(at.tuple);
  build.tuple(l.rank());
  std::vector<Table> kept;
  Index weight = 1;
  Index fixed = 0;
  for (int i = 0; i < l.rank(); ++i) {
    const Index n = l.size_at(mode_at(l.profile, i));
    Table coordinates;
    if (r.one_in(2)) {
      at.holes |= std::uint64_t{1} << i;
      build.leaf(0);
      for (Index k = 0; k < n; ++k) coordinates.push_back(k * weight);
      kept.push_back(coordinates);
    } else {
      const Index k = r.in(0, n - 1);
      build.leaf(k);
      fixed += k * weight;
    }
    weight *= n;
  }
  const Reply reply = ask(function, at, c);
  if (!reply.ok()) return reply.wrong();
  Table expected;
  for (const Index k : side_by_side(kept)) expected.push_back(value_at(c, k + fixed));
  Table got;
  if (const auto* slice = reply.value().as<Slice>()) {
    for (const Index v : table(slice->layout)) got.push_back(v + slice->offset.leaf[0]);
  } else {
    got = table(reply.chain());
  }
  return when(got == expected, reply);
}
Held check_cute(const Reply& reply, const Reply& exact) {
  if (!reply.ok() || reply.noted("wrong")) return held();
  return when(exact.ok() && table(reply.chain()) == table(exact.chain()), reply,
              "differs and does not say so");
}

const std::map<std::string, Check>& checks() {
  static const std::map<std::string, Check> all = {
      // Facts
      {"rank",
       [](Random& r) {
         const auto c = chain(r);
         const Reply a = ask("rank", c);
         return when(a.ok() && a.integer() == c.domain().rank(), a);
       }},
      {"depth",
       [](Random& r) {
         const auto c = chain(r);
         const Reply a = ask("depth", c);
         return when(a.ok() && a.integer() == depth(c.domain()), a);
       }},
      {"size",
       [](Random& r) {
         const auto c = chain(r);
         const Reply a = ask("size", c);
         const IntTuple s = c.domain().shape();
         return when(a.ok() && a.integer() == std::accumulate(s.leaf, s.leaf + s.leaves(), Index{1},
                                                              std::multiplies<>()),
                     a);
       }},
      {"shape",
       [](Random& r) {
         const auto c = chain(r);
         const Reply a = ask("shape", c);
         return when(a.ok() && to_string(a.value()) == to_string(c.domain().shape()), a);
       }},
      {"stride",
       [](Random& r) {
         const auto l = plain(r);
         const Reply a = ask("stride", l);
         return when(a.ok() && to_string(l) == to_string(l.shape()) + ":" + to_string(a.value()), a);
       }},
      {"cosize",
       [](Random& r) {
         const auto c = chain(r);
         const Reply a = ask("cosize", c);
         const Table t = table(c.domain());
         return when(a.ok() && a.integer() == 1 + *std::max_element(t.begin(), t.end()) -
                                                  *std::min_element(t.begin(), t.end()),
                     a);
       }},
      {"coshape",
       [](Random& r) {
         const auto l = plain(r);
         const Reply a = ask("coshape", l);
         return when(a.ok() && a.integer() == ask("cosize", l).integer(), a);
       }},
      {"image_min",
       [](Random& r) {
         const auto l = plain(r);
         const Reply a = ask("image_min", l);
         const Table t = table(l);
         return when(a.ok() && a.integer() == *std::min_element(t.begin(), t.end()), a);
       }},
      {"image_max",
       [](Random& r) {
         const auto c = chain(r);
         const Reply a = ask("image_max", c);
         const Table t = table(c);
         return when(a.ok() && a.integer() == *std::max_element(t.begin(), t.end()), a);
       }},
      {"get",
       [](Random& r) {
         const auto c = chain(r);
         const Index i = r.in(0, c.domain().rank() - 1);
         const Reply a = ask("get", c, i);
         ComposedLayout part = c;
         part.part[c.parts - 1].layout =
             sublayout(c.domain(), mode_at(c.domain().profile, static_cast<int>(i)));
         return when(a.ok() && table(a.chain()) == table(part), a);
       }},
      {"values",
       [](Random& r) {
         const auto c = chain(r);
         const Reply a = ask("values", c);
         return when(a.ok() && *a.value().as<Table>() == table(c), a);
       }},
      // Coordinates
      {"evaluate",
       [](Random& r) {
         const auto c = chain(r);
         const Index i = r.in(0, c.size() - 1);
         const Reply a = ask("evaluate", c, i);
         const Reply b = ask_text(text_of(c) + "(" + to_string(*idx2crd(i, c.domain().shape())) + ")");
         return when(a.ok() && b.ok() && a.integer() == value_at(c, i) && b.integer() == value_at(c, i), a);
       }},
      {"crd2idx",
       [](Random& r) {
         const IntTuple s = r.shape(64);
         const Index n = *size(s);
         const Index i = r.in(0, n - 1);
         const Reply a =
             ask_text("crd2idx(idx2crd(" + text_of(i) + ", " + text_of(s) + "), " + text_of(s) + ")");
         return when(a.ok() && a.integer() == i && a.all.notes.empty(), a);
       }},
      {"idx2crd",
       [](Random& r) {
         const IntTuple s = r.shape(64);
         const Index i = r.in(0, *size(s) - 1);
         const Reply a = ask("idx2crd", i, s);
         if (!a.ok()) return a.wrong();
         const IntTuple c = a.value().as<TrackedCoord>()->coord.tuple;
         Index back = 0;
         for (int k = s.leaves(); k-- > 0;) {
           if (c.leaf[k] < 0 || c.leaf[k] >= s.leaf[k]) return a.wrong();
           back = back * s.leaf[k] + c.leaf[k];
         }
         return when(congruent(c, s) && back == i, a);
       }},
      {"crd2crd",
       [](Random& r) {
         const IntTuple s = r.shape(24);
         const IntTuple t = r.shape(64);
         const Index n = std::min(*size(s), *size(t));
         const Index i = r.in(0, n - 1);
         const Reply a = ask_text("crd2idx(crd2crd(idx2crd(" + text_of(i) + ", " + text_of(s) + "), " +
                                  text_of(s) + ", " + text_of(t) + "), " + text_of(t) + ")");
         return when(a.ok() && a.integer() == i, a);
       }},
      {"colex_less",
       [](Random& r) {
         const IntTuple s = r.shape(64);
         const Index n = *size(s);
         const Index i = r.in(0, n - 1);
         const Index j = r.in(0, n - 1);
         const Reply a = ask("colex_less", *idx2crd(i, s), *idx2crd(j, s));
         return when(a.ok() && a.yes() == (i < j), a);
       }},
      {"lex_less",
       [](Random& r) {
         const IntTuple s = r.shape(64);
         const Index n = *size(s);
         const IntTuple x = *idx2crd(r.in(0, n - 1), s);
         const IntTuple y = *idx2crd(r.in(0, n - 1), s);
         const Reply a = ask("lex_less", x, y);
         return when(a.ok() && a.yes() == std::lexicographical_compare(x.leaf, x.leaf + x.leaves(), y.leaf,
                                                                       y.leaf + y.leaves()),
                     a);
       }},
      {"elem_less",
       [](Random& r) {
         const IntTuple s = r.shape(64);
         const Index n = *size(s);
         const IntTuple x = *idx2crd(r.in(0, n - 1), s);
         const IntTuple y = *idx2crd(r.in(0, n - 1), s);
         bool less = true;
         for (int k = 0; k < x.leaves(); ++k) less = less && x.leaf[k] < y.leaf[k];
         const Reply a = ask("elem_less", x, y);
         return when(a.ok() && a.yes() == less, a);
       }},
      {"congruent",
       [](Random& r) {
         const IntTuple a = r.shape(64);
         const IntTuple b = r.one_in(2) ? a : r.shape(64);
         const Reply q = ask("congruent", a, b);
         return when(q.ok() && q.yes() == (a.profile == b.profile), q);
       }},
      {"weakly_congruent",
       [](Random& r) {
         const StridedLayout l = plain(r);
         const StridedLayout c = coalesce(l);
         const Reply a = ask("weakly_congruent",
                             l.rank() == c.rank() && c.rank() > 1 ? c.shape() : IntTuple(7), l.shape());
         return when(a.ok() && a.yes(), a);
       }},
      {"compatible",
       [](Random& r) {
         const IntTuple s = r.shape(64);
         const Index n = *size(s) + (r.one_in(2) ? 0 : 1);
         const Reply a = ask("compatible", n, s);
         return when(a.ok() && a.yes() == (n == *size(s)), a);
       }},
      {"evenly_divides",
       [](Random& r) {
         const IntTuple s = r.shape(48);
         const StridedLayout l = *make_layout(s);
         const Tiler t = tiler(r, l);
         const Reply a = ask("evenly_divides", s, t);
         const Outcome<StridedLayout> d = zipped_divide(l, t);
         if (!a.ok()) return a.wrong();
         if (!a.yes()) return held();
         return when(d.ok() && is_permutation_of_coordinates(table(*d)), a);
       }},
      // Arithmetic of shapes and integers
      {"shape_div",
       [](Random& r) {
         const IntTuple s = r.shape(64);
         const Index n = r.in(1, 12);
         const Reply a = ask("shape_div", s, n);
         if (!a.ok()) return held();
         Index out = 1;
         const IntTuple t = a.value().as<TrackedCoord>()->coord.tuple;
         for (int i = 0; i < t.leaves(); ++i) out *= t.leaf[i];
         return when(*size(s) % n != 0 || out == *size(s) / n, a);
       }},
      {"shape_mod",
       [](Random& r) {
         const IntTuple s = r.shape(64);
         const Index n = r.in(1, 12);
         const Reply a = ask("shape_mod", s, n);
         if (!a.ok() || n > *size(s)) return held();
         return when(*size(a.value().as<TrackedCoord>()->coord.tuple) == n, a);
       }},
      {"ceil_div",
       [](Random& r) {
         const IntTuple s = r.shape(64);
         const Index n = r.in(1, 12);
         const Reply a = ask("ceil_div", s, n);
         IntTuple wanted = s;
         Index left = n;
         for (int i = 0; i < s.leaves(); ++i) {
           wanted.leaf[i] = (s.leaf[i] + left - 1) / left;
           left = (left + s.leaf[i] - 1) / s.leaf[i];
         }
         return when(a.ok() && a.value().as<TrackedCoord>()->coord.tuple == wanted, a);
       }},
      {"domain_distribute",
       [](Random& r) {
         const IntTuple s = r.shape(64);
         const Index n = r.in(1, 24);
         const Reply a = ask("domain_distribute", s, n);
         if (!a.ok()) return a.wrong();
         const Table t = table(a.layout());
         const Index got = static_cast<Index>(t.size());
         return when(n % got == 0 && distinct(t) && *std::max_element(t.begin(), t.end()) < *size(s) &&
                         (got == n) == !a.noted("only"),
                     a);
       }},
      {"min",
       [](Random& r) {
         const Index x = r.in(-9, 9), y = r.in(-9, 9), z = r.in(-9, 9);
         const Reply a = ask("min", x, y, z);
         return when(a.ok() && a.integer() == std::min({x, y, z}), a);
       }},
      {"max",
       [](Random& r) {
         const Index x = r.in(-9, 9), y = r.in(-9, 9), z = r.in(-9, 9);
         const Reply a = ask("max", x, y, z);
         return when(a.ok() && a.integer() == std::max({x, y, z}), a);
       }},
      {"gcd",
       [](Random& r) {
         const Index x = r.in(-30, 30), y = r.in(-30, 30);
         const Reply a = ask("gcd", x, y);
         return when(a.ok() && a.integer() == std::gcd(x, y), a);
       }},
      {"lcm",
       [](Random& r) {
         const Index x = r.in(-30, 30), y = r.in(-30, 30);
         const Reply a = ask("lcm", x, y);
         return when(a.ok() && a.integer() == std::lcm(x, y), a);
       }},
      // Construction
      {"make_layout",
       [](Random& r) {
         const IntTuple s = r.shape(64);
         const Reply a = ask("make_layout", s);
         const Reply b = ask("make_layout", s, std::string("right"));
         if (!a.ok() || !b.ok()) return a.wrong();
         const Table t = table(a.layout());
         return when(is_permutation_of_coordinates(t) && std::is_sorted(t.begin(), t.end()) &&
                         is_permutation_of_coordinates(table(b.layout())),
                     a);
       }},
      {"make_ordered_layout",
       [](Random& r) {
         const IntTuple s = r.shape(64);
         IntTuple o = s;
         for (int i = 0; i < o.leaves(); ++i) o.leaf[i] = r.in(0, 3);
         const Reply a = ask("make_ordered_layout", s, o);
         return when(a.ok() && is_permutation_of_coordinates(table(a.layout())), a);
       }},
      {"make_layout_like",
       [](Random& r) {
         const auto l = plain(r);
         const Reply a = ask("make_layout_like", l);
         return when(a.ok() && a.layout().shape() == l.shape() &&
                         is_permutation_of_coordinates(table(filter(a.layout()))),
                     a);
       }},
      {"make_identity_layout",
       [](Random& r) {
         const IntTuple s = r.shape(64);
         const Index i = r.in(0, *size(s) - 1);
         const Reply a = ask_text("make_identity_layout(" + text_of(s) + ")(" + text_of(i) + ")");
         const IntTuple c = *idx2crd(i, s);
         if (!a.ok()) return a.wrong();
         // Trailing zeros of a value are dropped.
         const Reply b = ask_text("crd2idx(" + text_of(c) + ", " + text_of(s) + ")");
         return when(b.ok() && b.integer() == i, a);
       }},
      {"concat",
       [](Random& r) {
         const auto x = plain(r, 12), y = plain(r, 12);
         const Reply a = ask("concat", x, y);
         return when(
             a.ok() && table(a.layout()) == side_by_side({table(x), table(y)}) && a.layout().rank() == 2, a);
       }},
      {"make_composed_layout",
       [](Random& r) {
         const StridedLayout l = positive(r);
         const Swizzle s = random_swizzle(r);
         const Index x = r.in(0, 9);
         const Reply a = ask("make_composed_layout", to_string(s), x, l);
         return when(a.ok() && table(a.chain()) == table(*make_composed(s, x, l)), a);
       }},
      // Modes
      {"select",
       [](Random& r) {
         const auto l = plain(r);
         const auto m = modes_of(l);
         const Index i = r.in(0, l.rank() - 1), j = r.in(0, l.rank() - 1);
         const Reply a = ask("select", l, i, j);
         return when(a.ok() && table(a.layout()) == side_by_side({m[static_cast<std::size_t>(i)],
                                                                  m[static_cast<std::size_t>(j)]}),
                     a);
       }},
      {"take",
       [](Random& r) {
         const auto l = plain(r);
         const auto m = modes_of(l);
         const Index b = r.in(0, l.rank() - 1), e = r.in(b + 1, l.rank());
         const Reply a = ask("take", l, b, e);
         return when(a.ok() && table(a.layout()) == side_by_side({m.begin() + b, m.begin() + e}), a);
       }},
      {"append",
       [](Random& r) {
         const auto c = chain(r, 16);
         const auto y = positive(r, 8);
         const Reply a = ask("append", c, y);
         ComposedLayout w = c;
         w.part[c.parts - 1].layout = *append(c.domain(), y);
         return when(a.ok() && table(a.chain()) == table(w) &&
                         (c.parts > 1 || table(w) == side_by_side({table(c), table(y)})),
                     a);
       }},
      {"prepend",
       [](Random& r) {
         const auto x = plain(r, 16), y = plain(r, 8);
         const Reply a = ask("prepend", x, y);
         return when(a.ok() && table(a.layout()) == side_by_side({table(y), table(x)}), a);
       }},
      {"append_to_rank",
       [](Random& r) {
         const auto c = chain(r);
         const Index n = r.in(1, 6);
         const Reply a = ask("append_to_rank", c, n);
         if (n < c.domain().rank()) return when(!a.ok(), a);
         return when(a.ok() && table(a.chain()) == table(c) && a.chain().domain().rank() == n, a);
       }},
      {"replace",
       [](Random& r) {
         const auto l = plain(r, 16), y = plain(r, 8);
         if (l.profile.is_leaf()) return held();
         auto m = modes_of(l);
         const Index i = r.in(0, l.rank() - 1);
         m[static_cast<std::size_t>(i)] = table(y);
         const Reply a = ask("replace", l, i, y);
         return when(a.ok() && table(a.layout()) == side_by_side(m), a);
       }},
      {"group",
       [](Random& r) {
         const auto c = chain(r);
         const Index b = r.in(0, c.domain().rank() - 1), e = r.in(b + 1, c.domain().rank());
         const Reply a = ask("group", c, b, e);
         return when(a.ok() ? table(a.chain()) == table(c) : c.domain().profile.is_leaf(), a);
       }},
      {"flatten",
       [](Random& r) {
         const auto c = chain(r);
         const Reply a = ask("flatten", c);
         return when(a.ok() && table(a.chain()) == table(c) && depth(a.chain().domain()) <= 1, a);
       }},
      {"unflatten",
       [](Random& r) {
         const auto l = plain(r);
         const StridedLayout f = flatten(l);
         const Reply a = ask("unflatten", f, l.shape());
         return when(a.ok() && a.layout() == l, a);
       }},
      {"zip",
       [](Random& r) {
         const auto x = plain(r, 12), y = plain(r, 12);
         const Reply a = ask("zip", x, y);
         if (x.rank() != y.rank()) return when(!a.ok(), a);
         if (!a.ok()) return held();
         std::vector<Table> m;
         for (int i = 0; i < x.rank(); ++i)
           m.push_back(side_by_side(
               {modes_of(x)[static_cast<std::size_t>(i)], modes_of(y)[static_cast<std::size_t>(i)]}));
         return when(table(a.layout()) == side_by_side(m), a);
       }},
      // Simplification
      {"coalesce",
       [](Random& r) {
         const auto c = chain(r);
         const Reply a = ask("coalesce", c);
         const Reply b = ask("coalesce", c, c.domain().shape());
         return when(a.ok() && b.ok() && table(a.chain()) == table(c) && table(b.chain()) == table(c), a);
       }},
      {"filter",
       [](Random& r) {
         const auto c = chain(r);
         const Reply a = ask("filter", c);
         if (!a.ok()) return a.wrong();
         const Table t = table(c), u = table(a.chain());
         bool repeats = false;
         const ComposedLayout filtered = a.chain();
         const StridedLayout& d = filtered.domain();
         for (int i = 0; i < d.leaves(); ++i) repeats = repeats || (d.stride[i] == 0 && d.extent[i] > 1);
         return when(std::set(t.begin(), t.end()) == std::set(u.begin(), u.end()) && !repeats, a);
       }},
      {"filter_zeros",
       [](Random& r) {
         const auto c = chain(r);
         const Reply a = ask("filter_zeros", c);
         if (!a.ok()) return a.wrong();
         const Table t = table(c), u = table(a.chain());
         return when(std::set(t.begin(), t.end()) == std::set(u.begin(), u.end()), a);
       }},
      {"simplify",
       [](Random& r) {
         const auto c = chain(r);
         const Reply a = ask("simplify", c);
         if (!a.ok()) return when(a.code() == Code::not_representable && c.parts > 1, a);
         Table t;
         if (const auto* s = a.value().as<Slice>()) {
           for (const Index v : table(s->layout)) t.push_back(v + s->offset.leaf[0]);
         } else {
           t = table(a.layout());
         }
         return when(t == table(c), a);
       }},
      // Composition
      {"composition",
       [](Random& r) {
         const auto a = chain(r), b = chain(r, 24);
         const Table inner = table(b);
         // Numbers outside a swizzle's domain have no values.
         const bool negative = *std::min_element(inner.begin(), inner.end()) < 0;
         if (negative && a.parts > 1) return held();
         const Reply reply = ask("composition", a, b);
         if (!reply.ok()) return held();
         Table wanted;
         for (const Index v : inner) wanted.push_back(value_at(a, v));
         return when(table(reply.chain(), b.size()) == wanted &&
                         (!reply.chain().has_domain() || reply.chain().size() == b.size()),
                     reply);
       }},
      {"composition_check",
       [](Random& r) {
         const auto a = plain(r), b = plain(r, 24);
         const Reply reply = ask("composition_check", a, b);
         return when(
             reply.ok() && to_string(reply.value())
                               .starts_with("exact: " +
                                            (composition(a, b) ? to_string(*composition(a, b)) : "refused")),
             reply);
       }},
      {"complement",
       [](Random& r) {
         const auto l = plain(r);
         const Index n = r.in(1, 200);
         const Reply a = ask("complement", l, n);
         if (!a.ok()) return held();
         const Held law = laws::check_complement(l, n);
         return law ? when(a.layout() == *complement(l, IntTuple(n)), a) : law;
       }},
      {"complement_open",
       [](Random& r) {
         const auto l = positive(r);
         const Reply a = ask("complement_open", l);
         if (!a.ok()) return held();
         const Table own = table(filter(l));
         Index reach = 0;
         for (const Index at : table(a.layout())) {
           if (at != 0 && std::find(own.begin(), own.end(), at) != own.end())
             return a.wrong("meets the layout");
           reach = at;
         }
         const StridedLayout c = a.layout();
         const Index next = c.stride[c.leaves() - 1];
         return when(next > *std::max_element(own.begin(), own.end()) && next > reach, a);
       }},
      // Inverses
      {"right_inverse",
       [](Random& r) {
         const auto c = chain(r);
         const Reply a = ask("right_inverse", c);
         if (!a.ok()) return when(c.parts > 1 && a.code() == Code::not_invertible && value_at(c, 0) != 0, a);
         const ComposedLayout i = a.chain();
         const Index n = i.has_domain() ? i.size() : c.size();
         for (Index k = 0; k < n; ++k) {
           const Index at = value_at(i, k);
           if (at < 0 || at >= c.size() || value_at(c, at) != k) return a.wrong("at " + text_of(k));
         }
         return held();
       }},
      {"left_inverse",
       [](Random& r) {
         const auto c = chain(r);
         const Table t = table(c);
         const Reply a = ask("left_inverse", c);
         if (!a.ok()) {
           // If a refusal names two coordinates, they share an offset.
           return when(a.all.error->witness.empty() || !distinct(t), a);
         }
         for (Index k = 0; k < c.size(); ++k) {
           if (value_at(a.chain(), t[static_cast<std::size_t>(k)]) != k) return a.wrong("at " + text_of(k));
         }
         return held();
       }},
      {"generalized_inverse",
       [](Random& r) {
         const auto l = positive(r);
         const Reply a = ask("generalized_inverse", l);
         if (!a.ok()) return held();
         for (const Index v : table(l)) {
           if (defined_offset(l, value_at(a.chain(), v)) != v) return a.wrong("at offset " + text_of(v));
         }
         return held();
       }},
      {"inverse",
       [](Random& r) {
         const auto c =
             r.one_in(2) ? chain(r, 24) : *make_composed(random_swizzle(r), 0, r.power_of_two_layout(6));
         const Table t = table(c);
         const Reply a = ask("inverse", c);
         if (!a.ok())
           return when(a.code() == Code::not_representable ? is_permutation_of_coordinates(t)
                                                           : !is_permutation_of_coordinates(t),
                       a);
         if (!is_permutation_of_coordinates(t)) return a.wrong("of no permutation");
         for (Index k = 0; k < c.size(); ++k) {
           if (value_at(a.chain(), t[static_cast<std::size_t>(k)]) != k) return a.wrong("at " + text_of(k));
         }
         return held();
       }},
      {"nullspace",
       [](Random& r) {
         const auto l = plain(r);
         const Reply a = ask("nullspace", l);
         if (!a.ok()) return a.wrong();
         for (const Index at : table(a.layout())) {
           if (defined_offset(l, at) != 0) return a.wrong();
         }
         return when(a.layout().size() * filter(l).size() == l.size(), a);
       }},
      {"max_common_layout",
       [](Random& r) {
         const auto a = chain(r), b = r.one_in(3) ? a : chain(r);
         const Reply reply = ask("max_common_layout", a, b);
         if (!reply.ok()) return held();
         const StridedLayout v = reply.layout();
         bool cancel = a.parts == b.parts;
         for (int i = 0; i + 1 < a.parts && cancel; ++i) cancel = a.part[i] == b.part[i];
         for (const ComposedLayout& whole : {a, b}) {
           const ComposedLayout c = cancel ? ComposedLayout(whole.domain()) : whole;
           for (Index k = 0; k < v.size(); ++k) {
             const Index at = defined_offset(v, k);
             if (at >= whole.size() || value_at(c, at) != value_at(c, 0) + k)
               return reply.wrong("at " + text_of(k));
           }
           if (c.parts == 1) continue;
           // At every multiple of the size, the run stays contiguous.
           ComposedLayout front = c;
           front.parts = c.parts - 1;
           front.part[front.parts - 1].offset = c.part[c.parts - 2].offset;
           for (const Index o : table(c.domain())) {
             if (o % v.size() != 0) continue;
             for (Index k = 0; k < v.size(); ++k) {
               if (value_at(front, o + k) != value_at(front, o) + k)
                 return reply.wrong("at the multiple " + text_of(o));
             }
           }
         }
         return held();
       }},
      {"max_common_vector",
       [](Random& r) {
         const auto a = chain(r), b = chain(r);
         const Reply v = ask("max_common_vector", a, b);
         const Reply l = ask("max_common_layout", a, b);
         return when(v.ok() == l.ok() && (!v.ok() || v.integer() == l.layout().size()), v);
       }},
      {"max_alignment",
       [](Random& r) {
         const auto l = plain(r);
         const Reply a = ask("max_alignment", l);
         if (!a.ok()) return a.wrong();
         const Index n = a.integer();
         const Table t = table(l);
         const std::set<Index> s(t.begin(), t.end());
         for (const Index v : t) {
           for (Index k = 0; k < n; ++k) {
             if (!s.contains(floor_div(v, n) * n + k)) return a.wrong();
           }
         }
         return held();
       }},
      // Divides and products
      {"logical_divide", [](Random& r) { return check_divide("logical_divide", r); }},
      {"zipped_divide", [](Random& r) { return check_divide("zipped_divide", r); }},
      {"tiled_divide", [](Random& r) { return check_divide("tiled_divide", r); }},
      {"flat_divide", [](Random& r) { return check_divide("flat_divide", r); }},
      {"logical_product", [](Random& r) { return check_copies("logical_product", r); }},
      {"zipped_product", [](Random& r) { return check_copies("zipped_product", r); }},
      {"tiled_product", [](Random& r) { return check_copies("tiled_product", r); }},
      {"flat_product", [](Random& r) { return check_copies("flat_product", r); }},
      {"blocked_product", [](Random& r) { return check_copies("blocked_product", r); }},
      {"raked_product", [](Random& r) { return check_copies("raked_product", r); }},
      {"tile_to_shape",
       [](Random& r) {
         const IntTuple s = r.shape(12, 1);
         const auto block = *make_layout(s, r.one_in(2) ? Order::left : Order::right);
         IntTuple target;
         IntTupleBuilder build(target);
         if (s.is_integer()) {
           build.leaf(s.leaf[0] * r.in(1, 4));
         } else {
           build.tuple(s.rank());
           for (int i = 0; i < s.rank(); ++i) build.leaf(s.leaf[i] * r.in(1, 3));
         }
         const Reply a = ask("tile_to_shape", block, target);
         return when(
             a.ok() && a.layout().size() == *size(target) && is_permutation_of_coordinates(table(a.layout())),
             a);
       }},
      // Recasts
      {"upcast",
       [](Random& r) {
         const auto c = chain(r);
         const Index n = r.pick<Index>({1, 2, 4, 8});
         const Reply a = ask("upcast", c, n);
         if (!a.ok() || !a.all.notes.empty()) return held();
         std::set<Index> wanted, got;
         for (const Index v : table(c)) wanted.insert(floor_div(v, n));
         for (const Index v : table(a.chain())) got.insert(v);
         return when(got == wanted, a);
       }},
      {"downcast",
       [](Random& r) {
         const auto c = r.one_in(2) ? ComposedLayout(positive(r))
                                    : *make_composed(random_swizzle(r), r.in(0, 9), positive(r));
         const Index n = r.pick<Index>({1, 2, 4});
         const Reply a = ask("downcast", c, n);
         if (!a.ok()) return held();
         // With two modes of stride 1, the small elements of both overlap.
         int units = 0;
         for (int i = 0; i < c.domain().leaves(); ++i)
           units += c.domain().stride[i] == 1 && c.domain().extent[i] >= 1 ? 1 : 0;
         if (units != 1) return held();
         std::set<Index> wanted, got;
         for (const Index v : table(c)) {
           for (Index k = 0; k < n; ++k) wanted.insert(v * n + k);
         }
         for (const Index v : table(a.chain())) got.insert(v);
         return when(got == wanted, a);
       }},
      {"recast",
       [](Random& r) {
         const auto c = chain(r);
         const Reply a = ask("recast", c, Index{16}, Index{16});
         const auto w = r.power_of_two_layout(6);
         const Reply b = ask("recast", w, Index{8}, Index{16});
         if (!a.ok() || table(a.chain()) != table(c)) return a.wrong();
         std::set<Index> wanted, got;
         for (const Index v : table(w)) wanted.insert(v / 2);
         if (!b.ok()) return held();
         for (const Index v : table(b.layout())) got.insert(v);
         return when(got == wanted, b);
       }},
      // Swizzles
      {"make_swizzle",
       [](Random& r) {
         const Swizzle s = random_swizzle(r);
         if (s.is_identity()) return held();
         const Reply a = ask("make_swizzle", s.read_mask(), s.write_mask());
         return when(a.ok() && *a.value().as<Swizzle>() == s, a);
       }},
      {"swizzle_compose",
       [](Random& r) {
         const Swizzle s = random_swizzle(r), t = random_swizzle(r);
         const Reply a = ask("swizzle_compose", to_string(s), to_string(t));
         if (!a.ok()) return held();
         for (Index x = 0; x < 2048; ++x) {
           if (value_at(a.chain(), x) != value_at(ComposedLayout(s), value_at(ComposedLayout(t), x)))
             return a.wrong();
         }
         return held();
       }},
      {"swizzle_portion",
       [](Random& r) {
         const auto c = chain(r);
         const Reply a = ask("swizzle_portion", c);
         const bool front = c.part[0].kind == ComposedPart::Kind::swizzle;
         return when(a.ok() && (front ? *a.value().as<Swizzle>() == c.part[0].swizzle
                                      : a.value().as<Swizzle>()->is_identity()),
                     a);
       }},
      {"nonswizzle_portion",
       [](Random& r) {
         const auto c = chain(r);
         const Reply a = ask("nonswizzle_portion", c);
         return when(a.ok() && a.layout() == c.domain(), a);
       }},
      {"to_linear",
       [](Random& r) {
         const auto c =
             r.one_in(2) ? chain(r) : *make_composed(random_swizzle(r), 0, r.power_of_two_layout(6));
         const Reply a = ask("to_linear", c);
         if (!a.ok()) return held();
         const auto* b = a.value().as<LinearBases>();
         for (Index i = 0; i < c.size(); ++i) {
           Index x = 0;
           for (int k = 0; k < b->total(); ++k) x ^= ((i >> k) & 1) * b->basis[k];
           if (x != value_at(c, i)) return a.wrong();
         }
         return held();
       }},
      {"from_linear",
       [](Random& r) {
         const auto c = r.one_in(2) ? ComposedLayout(r.power_of_two_layout(6))
                                    : *make_composed(random_swizzle(r), 0, r.power_of_two_layout(6));
         const Reply a = ask_text("from_linear(to_linear(" + text_of(c) + "))");
         if (!a.ok()) return held();
         return when(table(a.chain()) == table(c), a);
       }},
      {"recognise",
       [](Random& r) {
         const auto c = chain(r);
         const Reply a = ask_text("recognise(values(" + text_of(c) + "))");
         if (!a.ok()) return when(c.parts > 1, a);
         Table t;
         if (const auto* s = a.value().as<Slice>()) {
           for (const Index v : table(s->layout)) t.push_back(v + s->offset.leaf[0]);
         } else {
           t = table(a.layout());
         }
         return when(t == table(c), a);
       }},
      // Slices and partitions
      {"slice", [](Random& r) { return check_slice("slice", r); }},
      {"slice_and_offset", [](Random& r) { return check_slice("slice_and_offset", r); }},
      {"dice",
       [](Random& r) {
         const auto l = plain(r);
         if (l.profile.is_leaf()) return held();
         Coord at;
         IntTupleBuilder build(at.tuple);
         build.tuple(l.rank());
         std::vector<Table> kept;
         const auto m = modes_of(l);
         for (int i = 0; i < l.rank(); ++i) {
           if (r.one_in(2)) {
             at.holes |= std::uint64_t{1} << i;
           } else {
             kept.push_back(m[static_cast<std::size_t>(i)]);
           }
           build.leaf(0);
         }
         const Reply a = ask("dice", at, l);
         return when(a.ok() && (kept.empty() || table(a.layout()) == side_by_side(kept)), a);
       }},
      {"layout_of",
       [](Random& r) {
         const auto c = chain(r);
         const Reply a = ask("layout_of", c);
         return when(a.ok() && table(a.chain()) == table(c), a);
       }},
      {"offset_of",
       [](Random& r) {
         const auto c = chain(r);
         const Reply a = ask("offset_of", c);
         return when(a.ok() && a.integer() == 0, a);
       }},
      {"local_tile", [](Random& r) { return check_partition("local_tile", true, r); }},
      {"inner_partition", [](Random& r) { return check_partition("inner_partition", true, r); }},
      {"outer_partition", [](Random& r) { return check_partition("outer_partition", false, r); }},
      {"local_partition",
       [](Random& r) {
         const IntTuple s = r.shape(48, 1);
         const StridedLayout l = *make_layout(s);
         const StridedLayout t = positive(r, 6);
         std::vector<Index> together;
         if (!distinct(table(t)) || t.rank() > l.rank()) return held();
         for (const Index i : table(t)) {
           const Reply a = ask("local_partition", l, t, i);
           if (!a.ok() || a.noted("no thread")) return held();
           Table part;
           if (const auto* x = a.value().as<Slice>()) {
             for (const Index v : table(x->layout)) part.push_back(v + x->offset.leaf[0]);
           } else {
             part = table(a.layout());
           }
           together.insert(together.end(), part.begin(), part.end());
         }
         std::vector<Index> sizes;
         bool even = true;
         for (int i = 0; i < t.rank(); ++i)
           even = even && l.size_at(mode_at(l.profile, i)) % t.size_at(mode_at(t.profile, i)) == 0;
         return !even || is_permutation_of_coordinates(together)
                    ? held()
                    : broken("threads", to_string(t), "of", to_string(l));
       }},
      {"make_layout_tv",
       [](Random& r) {
         const auto t = positive(r, 8), v = positive(r, 6);
         const Reply a = ask("make_layout_tv", t, v);
         if (!a.ok() || a.noted("gaps")) return held();
         const auto* tv = a.value().as<ThreadValue>();
         const bool compact =
             is_permutation_of_coordinates(table(t)) && is_permutation_of_coordinates(table(v));
         if (!compact) return held();
         return when(is_permutation_of_coordinates(table(tv->layout)) && *size(tv->tile) == tv->layout.size(),
                     a);
       }},
      {"tv_of_addresses",
       [](Random& r) {
         const auto l = positive(r, 32), tv = positive(r, 8);
         const Reply a = ask("tv_of_addresses", l, tv);
         if (!a.ok()) return held();
         for (Index k = 0; k < tv.size(); ++k) {
           if (defined_offset(l, value_at(a.chain(), k)) != defined_offset(tv, k)) return a.wrong();
         }
         return held();
       }},
      // Questions
      {"equal",
       [](Random& r) {
         const auto a = chain(r);
         const auto b = r.one_in(2) ? ComposedLayout(coalesce(a.domain())) : chain(r);
         const Reply q = ask("equal", a, b);
         return when(q.ok() && q.yes() == (table(a) == table(b)), q);
       }},
      {"equal_on",
       [](Random& r) {
         const auto l = plain(r);
         StridedLayout m = flatten(l);
         const Reply q = ask("equal_on", l, unflatten(m, l.profile).value, l.shape());
         return when(q.ok() && q.yes(), q);
       }},
      {"is_injective",
       [](Random& r) {
         const auto c = chain(r);
         const Reply q = ask("is_injective", c);
         return when(q.ok() && q.yes() == distinct(table(c)), q);
       }},
      {"is_bijective",
       [](Random& r) {
         const auto c = chain(r);
         const Reply q = ask("is_bijective", c);
         return when(q.ok() && q.yes() == is_permutation_of_coordinates(table(c)), q);
       }},
      {"is_contiguous",
       [](Random& r) {
         const auto c = r.one_in(2) ? ComposedLayout(positive(r)) : chain(r);
         const Reply q = ask("is_contiguous", c);
         if (!q.ok()) return held();
         const Table t = table(c);
         const std::set<Index> s(t.begin(), t.end());
         const bool together = *s.begin() == 0 && *s.rbegin() + 1 == static_cast<Index>(s.size());
         return when(q.yes() == together, q);
       }},
      // The emulation of CuTe C++
      {"cute.coalesce",
       [](Random& r) {
         const auto l = plain(r);
         return check_cute(ask("cute.coalesce", l), ask("coalesce", l));
       }},
      {"cute.composition",
       [](Random& r) {
         const auto a = positive(r), b = positive(r, 16);
         return check_cute(ask("cute.composition", a, b), ask("composition", a, b));
       }},
      {"cute.make_layout",
       [](Random& r) {
         const IntTuple s = r.shape(64);
         return check_cute(ask("cute.make_layout", s), ask("make_layout", s));
       }},
      {"cute.right_inverse",
       [](Random& r) {
         const auto l = positive(r);
         return check_cute(ask("cute.right_inverse", l), ask("right_inverse", l));
       }},
      {"cute.complement",
       [](Random& r) {
         const auto l = positive(r);
         return check_cute(ask("cute.complement", l, Index{64}), ask("complement", l, Index{64}));
       }},
      {"cute.logical_divide",
       [](Random& r) {
         const auto a = positive(r), b = positive(r, 8);
         return check_cute(ask("cute.logical_divide", a, b), ask("logical_divide", a, b));
       }},
      {"cute.make_layout_like",
       [](Random& r) {
         const auto l = positive(r);
         return check_cute(ask("cute.make_layout_like", l), ask("make_layout_like", l));
       }},
      {"cute.make_ordered_layout",
       [](Random& r) {
         const IntTuple s = r.shape(64);
         IntTuple o = s;
         for (int i = 0; i < o.leaves(); ++i) o.leaf[i] = i;
         return check_cute(ask("cute.make_ordered_layout", s, o), ask("make_ordered_layout", s, o));
       }},
  };
  return all;
}

// These functions return their arguments, or print, so there is nothing to enumerate.
const std::set<std::string_view> kWithoutCheck = {"group_modes", "make_shape", "make_stride", "make_coord",
                                                  "make_tuple",  "make_tile",  "print_layout"};

class Definitions : public testing::TestWithParam<FunctionInfo> {};

TEST_P(Definitions, HoldOnRandomLayouts) {
  const std::string name(GetParam().name);
  if (kWithoutCheck.contains(name)) GTEST_SKIP();
  const auto check = checks().find(name);
  ASSERT_NE(check, checks().end()) << "a function without a check";
  const Index cases = std::max<Index>(1, laws::law_cases() / 20);
  for (Index i = 0; i < cases; ++i) {
    Random random(laws::law_seed() * 1000003 + static_cast<std::uint64_t>(i));
    ASSERT_TRUE(check->second(random)) << "seed " << laws::law_seed() << ", case " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Functions, Definitions, testing::ValuesIn(eval_functions()), [](const auto& one) {
  std::string name(one.param.name);
  std::ranges::replace(name, '.', '_');
  return name;
});

}  // namespace
}  // namespace tessera
