// SPDX-License-Identifier: Apache-2.0
// Operations whose positions depend on data.
#include "laws/program_writer.h"

namespace tessera::model {

std::vector<std::string> Writer::start_indices(const std::vector<Index>& dims,
                                               const std::vector<Index>& sizes, std::vector<Index>& starts) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const Index wanted = between(-1, dims[i]);
    names.push_back(hidden("s32[]", fmt::format("constant({})", wanted)));
    starts.push_back(std::clamp<Index>(wanted, 0, dims[i] - sizes[i]));
  }
  return names;
}

void Writer::dynamic_slice() {
  const std::size_t v = pick();
  const std::vector<Index> in_dims = values_[v].dims;
  if (in_dims.empty()) return unary();
  std::vector<Index> sizes;
  for (const Index d : in_dims) sizes.push_back(between(1, d));
  std::vector<Index> starts;
  const auto indices = start_indices(in_dims, sizes, starts);
  define(build(sizes,
               [&](const Coordinates& c, Sources& s) {
                 Coordinates in = c;
                 for (std::size_t i = 0; i < c.size(); ++i) in[i] += starts[i];
                 s = at(values_[v], in);
               }),
         fmt::format("dynamic-slice({}, {}), dynamic_slice_sizes={{{}}}", name(v), fmt::join(indices, ", "),
                     fmt::join(sizes, ",")));
}

void Writer::runtime_slice() {
  const std::size_t v = pick();
  const std::vector<Index> in_dims = values_[v].dims;
  if (in_dims.empty()) return unary();
  std::vector<Index> sizes;
  std::vector<Index> starts;
  std::vector<std::string> names;
  std::vector<std::size_t> used;
  for (const Index d : in_dims) {
    sizes.push_back(between(1, d));
    const auto k = static_cast<std::size_t>(below(2));
    used.push_back(k);
    names.push_back(index_names_[k]);
    if (chance(30)) {
      names.back() = hidden("s32[1]", fmt::format("reshape({})", names.back()));
      names.back() = hidden("s32[1]", fmt::format("copy({})", names.back()));
      names.back() = hidden("s32[]", fmt::format("reshape({})", names.back()));
    }
    starts.push_back(std::clamp<Index>(options_.indices.values[k], 0, d - sizes.back()));
  }
  define(build(sizes,
               [&](const Coordinates& c, Sources& s) {
                 Coordinates in = c;
                 for (std::size_t i = 0; i < c.size(); ++i) in[i] += starts[i];
                 s = at(values_[v], in);
                 for (const std::size_t k : used) add(s, indices_[k].elements[0]);
               }),
         fmt::format("dynamic-slice({}, {}), dynamic_slice_sizes={{{}}}", name(v), fmt::join(names, ", "),
                     fmt::join(sizes, ",")));
}

void Writer::dynamic_update_slice() {
  const std::size_t v = pick();
  const std::vector<Index> dims = values_[v].dims;
  if (dims.empty()) return unary();
  std::vector<Index> sizes;
  for (const Index d : dims) sizes.push_back(between(1, d));
  const std::size_t update = with_dims(sizes);
  std::vector<Index> starts;
  const auto indices = start_indices(dims, sizes, starts);
  define(build(dims,
               [&](const Coordinates& c, Sources& s) {
                 Coordinates in = c;
                 bool inside = true;
                 for (std::size_t i = 0; i < c.size(); ++i) {
                   in[i] -= starts[i];
                   inside = inside && in[i] >= 0 && in[i] < sizes[i];
                 }
                 s = inside ? at(values_[update], in) : at(values_[v], c);
               }),
         fmt::format("dynamic-update-slice({}, {}, {})", name(v), name(update), fmt::join(indices, ", ")));
}

}  // namespace tessera::model
