// SPDX-License-Identifier: Apache-2.0
// Operations that combine elements, and operations that choose elements by data.
#include "laws/program_writer.h"

namespace tessera::model {

void Writer::reduce() {
  const std::size_t v = pick();
  const std::vector<Index> in_dims = values_[v].dims;
  std::vector<Index> gone;
  std::vector<Index> dims;
  for (std::size_t i = 0; i < in_dims.size(); ++i) {
    if (chance(40)) {
      gone.push_back(static_cast<Index>(i));
    } else {
      dims.push_back(in_dims[i]);
    }
  }
  if (gone.empty()) return unary();
  const std::string zero = hidden("f32[]", "constant(0)");
  Array out = build(dims, [](const Coordinates&, Sources&) {});
  for (Index e = 0; e < element_count(in_dims); ++e) {
    const Coordinates in = coordinates(e, in_dims);
    Coordinates kept;
    for (std::size_t i = 0; i < in.size(); ++i) {
      if (std::ranges::find(gone, static_cast<Index>(i)) == gone.end()) kept.push_back(in[i]);
    }
    add(out.elements[static_cast<std::size_t>(linear(kept, dims))],
        values_[v].elements[static_cast<std::size_t>(e)]);
  }
  define(std::move(out),
         fmt::format("reduce({}, {}), dimensions={{{}}}, to_apply=sum", name(v), zero, fmt::join(gone, ",")));
}

void Writer::dot() {
  const std::size_t a = pick();
  if (values_[a].dims.size() != 2) return unary();
  const Index inner = values_[a].dims[1];
  const Index columns = between(1, 3);
  const std::size_t b = with_dims({inner, columns});
  define(
      build({values_[a].dims[0], columns},
            [&](const Coordinates& c, Sources& s) {
              for (Index k = 0; k < inner; ++k) {
                add(s, at(values_[a], {c[0], k}));
                add(s, at(values_[b], {k, c[1]}));
              }
            }),
      fmt::format("dot({}, {}), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}", name(a), name(b)));
}

void Writer::sort() {
  const std::size_t v = pick();
  const std::vector<Index> dims = values_[v].dims;
  if (dims.empty()) return unary();
  const auto axis = static_cast<std::size_t>(below(static_cast<int>(dims.size())));
  define(build(dims,
               [&](const Coordinates& c, Sources& s) {
                 Coordinates in = c;
                 for (in[axis] = 0; in[axis] < dims[axis]; ++in[axis]) add(s, at(values_[v], in));
               }),
         fmt::format("sort({}), dimensions={{{}}}, to_apply=less", name(v), axis));
}

void Writer::select() {
  const std::size_t a = pick();
  const std::vector<Index> dims = values_[a].dims;
  const std::size_t b = with_dims(dims);
  const std::size_t chooser = with_dims(dims);
  const std::string zero = hidden("f32[]", "constant(0)");
  const std::string zeros = hidden(type_text(dims), fmt::format("broadcast({}), dimensions={{}}", zero));
  const std::string predicate = hidden(fmt::format("pred[{}]", fmt::join(dims, ",")),
                                       fmt::format("compare({}, {}), direction=LT", name(chooser), zeros));
  define(build(dims,
               [&](const Coordinates& c, Sources& s) {
                 for (const std::size_t v : {a, b, chooser}) add(s, at(values_[v], c));
               }),
         fmt::format("select({}, {}, {})", predicate, name(a), name(b)));
}

}  // namespace tessera::model
