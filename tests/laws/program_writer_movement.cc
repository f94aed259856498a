// SPDX-License-Identifier: Apache-2.0
// Operations that keep or move elements.
#include "laws/program_writer.h"

namespace tessera::model {

void Writer::unary() {
  const std::size_t v = pick();
  define(values_[v], fmt::format("{}({})", chance(50) ? "negate" : "copy", name(v)));
}

void Writer::binary() {
  const std::size_t a = pick();
  const std::size_t b = with_dims(values_[a].dims);
  define(build(values_[a].dims,
               [&](const Coordinates& c, Sources& s) {
                 add(s, at(values_[a], c));
                 add(s, at(values_[b], c));
               }),
         fmt::format("add({}, {})", name(a), name(b)));
}

void Writer::transpose() {
  const std::size_t v = pick();
  std::vector<Index> order(values_[v].dims.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<Index>(i);
  std::ranges::shuffle(order, random_);
  std::vector<Index> dims;
  for (const Index i : order) dims.push_back(values_[v].dims[static_cast<std::size_t>(i)]);
  define(build(dims,
               [&](const Coordinates& c, Sources& s) {
                 Coordinates in(c.size());
                 for (std::size_t i = 0; i < c.size(); ++i) in[static_cast<std::size_t>(order[i])] = c[i];
                 s = at(values_[v], in);
               }),
         fmt::format("transpose({}), dimensions={{{}}}", name(v), fmt::join(order, ",")));
}

void Writer::reverse() {
  const std::size_t v = pick();
  std::vector<Index> flipped;
  for (std::size_t i = 0; i < values_[v].dims.size(); ++i) {
    if (chance(60)) flipped.push_back(static_cast<Index>(i));
  }
  define(build(values_[v].dims,
               [&](const Coordinates& c, Sources& s) {
                 Coordinates in = c;
                 for (const Index i : flipped) {
                   const auto d = static_cast<std::size_t>(i);
                   in[d] = values_[v].dims[d] - 1 - in[d];
                 }
                 s = at(values_[v], in);
               }),
         fmt::format("reverse({}), dimensions={{{}}}", name(v), fmt::join(flipped, ",")));
}

void Writer::slice() {
  const std::size_t v = pick();
  std::vector<Index> start;
  std::vector<Index> stride;
  std::vector<Index> dims;
  std::string ranges;
  for (const Index d : values_[v].dims) {
    start.push_back(between(0, d - 1));
    stride.push_back(between(1, 2));
    const Index limit = between(start.back() + 1, d);
    dims.push_back((limit - start.back() + stride.back() - 1) / stride.back());
    ranges += fmt::format("{}[{}:{}:{}]", ranges.empty() ? "" : ", ", start.back(), limit, stride.back());
  }
  define(build(dims,
               [&](const Coordinates& c, Sources& s) {
                 Coordinates in = c;
                 for (std::size_t i = 0; i < c.size(); ++i) in[i] = start[i] + c[i] * stride[i];
                 s = at(values_[v], in);
               }),
         fmt::format("slice({}), slice={{{}}}", name(v), ranges));
}

void Writer::broadcast() {
  const std::size_t v = pick();
  const std::vector<Index> in_dims = values_[v].dims;
  std::vector<Index> dims = in_dims;
  std::vector<Index> places;
  const auto fresh = static_cast<std::size_t>(below(static_cast<int>(dims.size()) + 1));
  const Index extent = between(1, 3);
  if (element_count(dims) * extent > kMaxElements || dims.size() >= 4) return unary();
  dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(fresh), extent);
  for (std::size_t i = 0; i < in_dims.size(); ++i)
    places.push_back(static_cast<Index>(i < fresh ? i : i + 1));
  define(build(dims,
               [&](const Coordinates& c, Sources& s) {
                 Coordinates in = c;
                 in.erase(in.begin() + static_cast<std::ptrdiff_t>(fresh));
                 s = at(values_[v], in);
               }),
         fmt::format("broadcast({}), dimensions={{{}}}", name(v), fmt::join(places, ",")));
}

void Writer::random_reshape() {
  const std::size_t v = pick();
  Index rest = element_count(values_[v].dims);
  std::vector<Index> dims;
  while (rest > 1) {
    std::vector<Index> divisors;
    for (Index d = 2; d <= rest; ++d) {
      if (rest % d == 0) divisors.push_back(d);
    }
    dims.push_back(divisors[static_cast<std::size_t>(below(static_cast<int>(divisors.size())))]);
    rest /= dims.back();
  }
  if (chance(30)) dims.insert(dims.begin() + below(static_cast<int>(dims.size()) + 1), 1);
  reshape(v, dims);
}

void Writer::concatenate() {
  const std::size_t a = pick();
  if (values_[a].dims.empty() || element_count(values_[a].dims) * 2 > kMaxElements) return unary();
  const std::size_t b = with_dims(values_[a].dims);
  const auto axis = static_cast<std::size_t>(below(static_cast<int>(values_[a].dims.size())));
  std::vector<Index> dims = values_[a].dims;
  const Index first = dims[axis];
  dims[axis] *= 2;
  define(build(dims,
               [&](const Coordinates& c, Sources& s) {
                 Coordinates in = c;
                 const bool second = in[axis] >= first;
                 if (second) in[axis] -= first;
                 s = at(values_[second ? b : a], in);
               }),
         fmt::format("concatenate({}, {}), dimensions={{{}}}", name(a), name(b), axis));
}

void Writer::pad() {
  const std::size_t v = pick();
  const std::string zero = hidden("f32[]", "constant(0)");  // has no dependences, so the maps stay exact
  std::vector<Index> low;
  std::vector<Index> step;
  std::vector<Index> dims;
  std::string text;
  for (const Index d : values_[v].dims) {
    low.push_back(between(-1, 2));
    const Index interior = between(0, 1);
    Index high = between(-1, 1);
    step.push_back(interior + 1);
    Index extent = d + (d - 1) * interior + low.back() + high;
    if (extent < 1) {
      high += 1 - extent;
      extent = 1;
    }
    dims.push_back(extent);
    text += fmt::format("{}{}_{}_{}", text.empty() ? "" : "x", low.back(), high, interior);
  }
  if (dims.empty() || element_count(dims) > kMaxElements) return unary();
  define(build(dims,
               [&](const Coordinates& c, Sources& s) {
                 Coordinates in = c;
                 for (std::size_t i = 0; i < c.size(); ++i) {
                   const Index shifted = c[i] - low[i];
                   if (shifted < 0 || shifted % step[i] != 0 || shifted / step[i] >= values_[v].dims[i])
                     return;
                   in[i] = shifted / step[i];
                 }
                 s = at(values_[v], in);
               }),
         fmt::format("pad({}, {}), padding={}", name(v), zero, text));
}

}  // namespace tessera::model
