// SPDX-License-Identifier: Apache-2.0
#include "laws/program_model.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <utility>

namespace tessera::model {

Index element_count(const std::vector<Index>& dims) {
  Index count = 1;
  for (const Index d : dims) count *= d;
  return count;
}

std::vector<Index> coordinates(Index element, const std::vector<Index>& dims) {
  std::vector<Index> out(dims.size());
  for (std::size_t i = dims.size(); i-- > 0;) {
    out[i] = element % dims[i];
    element /= dims[i];
  }
  return out;
}

Index linear(const std::vector<Index>& at, const std::vector<Index>& dims) {
  Index out = 0;
  for (std::size_t i = 0; i < dims.size(); ++i) out = out * dims[i] + at[i];
  return out;
}

namespace {

constexpr Index kMaxElements = 48;

using Coordinates = std::vector<Index>;

std::string type_text(const std::vector<Index>& dims) { return fmt::format("f32[{}]", fmt::join(dims, ",")); }

/// Fills an array: `read` names, for an output coordinate, what it depends on.
Array build(std::vector<Index> dims, const std::function<void(const Coordinates&, Sources&)>& read) {
  Array out{.dims = std::move(dims), .elements = {}};
  for (Index e = 0; e < element_count(out.dims); ++e)
    read(coordinates(e, out.dims), out.elements.emplace_back());
  return out;
}

void add(Sources& to, const Sources& from) { to.insert(from.begin(), from.end()); }

const Sources& at(const Array& array, const Coordinates& place) {
  return array.elements[static_cast<std::size_t>(linear(place, array.dims))];
}

/// Writes one computation, value by value.
class Writer {
 public:
  Writer(std::mt19937_64& random, std::string name, const ProgramOptions& options,
         std::vector<Program>& callees)
      : random_(random), options_(options), callees_(callees) {
    program_.name = std::move(name);
  }

  Program write() {
    const int parameters = below(3) + 1;
    for (int p = 0; p < parameters; ++p) {
      std::vector<Index> dims = random_dims();
      Array array{.dims = dims, .elements = {}};
      for (Index e = 0; e < element_count(dims); ++e) {
        array.elements.push_back({Source{static_cast<std::size_t>(p), e}});
      }
      program_.parameters.push_back(dims);
      define(std::move(array), fmt::format("parameter({})", p));
    }
    for (std::size_t k = 0; options_.runtime && k < 2; ++k) {
      const std::size_t p = program_.parameters.size();
      program_.parameters.push_back({});
      index_names_.push_back(hidden("s32[]", fmt::format("parameter({})", p)));
      indices_.push_back({.dims = {}, .elements = {{Source{p, 0}}}});
    }
    for (int i = 0; i < options_.instructions; ++i) write_one();
    finish();
    return std::move(program_);
  }

 private:
  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }
  Index between(Index low, Index high) { return std::uniform_int_distribution<Index>(low, high)(random_); }
  bool chance(int percent) { return below(100) < percent; }

  std::vector<Index> random_dims() {
    std::vector<Index> dims(chance(10) ? 0 : static_cast<std::size_t>(below(3)) + 1);
    do {
      for (Index& d : dims) d = chance(15) ? 1 : between(2, 6);
    } while (element_count(dims) > kMaxElements);
    return dims;
  }

  /// Mostly one of the last values, so that programs get long.
  std::size_t pick() {
    const int count = static_cast<int>(values_.size());
    return static_cast<std::size_t>(chance(70) ? std::max(0, count - 1 - below(3)) : below(count));
  }
  std::string name(std::size_t value) const { return names_[value]; }

  std::size_t define(Array array, const std::string& operation) {
    const std::string text_name = fmt::format("v{}", next_++);
    lines_.push_back({text_name, fmt::format("{} = {} {}", text_name, type_text(array.dims), operation)});
    values_.push_back(std::move(array));
    names_.push_back(text_name);
    return values_.size() - 1;
  }

  /// An instruction that later ones do not draw from.
  std::string hidden(const std::string& type, const std::string& operation) {
    const std::string text_name = fmt::format("v{}", next_++);
    lines_.push_back({text_name, fmt::format("{} = {} {}", text_name, type, operation)});
    return text_name;
  }

  /// A value with these dimensions: reshaped from one with as many elements, or broadcast from a scalar.
  std::size_t with_dims(const std::vector<Index>& dims) {
    for (int attempt = 0; attempt < 4; ++attempt) {
      const std::size_t v = pick();
      if (values_[v].dims == dims) return v;
      if (element_count(values_[v].dims) == element_count(dims)) return reshape(v, dims);
    }
    const std::size_t v = pick();
    const Array scalar = build({}, [&](const Coordinates&, Sources& s) { s = values_[v].elements.back(); });
    Coordinates last;
    std::string ranges;
    for (const Index d : values_[v].dims) {
      ranges += fmt::format("{}[{}:{}]", ranges.empty() ? "" : ", ", d - 1, d);
    }
    std::string from = name(v);
    if (!values_[v].dims.empty()) {
      const std::vector<Index> ones(values_[v].dims.size(), 1);
      from = hidden(type_text(ones), fmt::format("slice({}), slice={{{}}}", from, ranges));
      from = hidden("f32[]", fmt::format("reshape({})", from));
    }
    return define(build(dims, [&](const Coordinates&, Sources& s) { s = scalar.elements[0]; }),
                  fmt::format("broadcast({}), dimensions={{}}", from));
  }

  std::size_t reshape(std::size_t v, const std::vector<Index>& dims) {
    const Array& in = values_[v];
    return define(Array{.dims = dims, .elements = in.elements}, fmt::format("reshape({})", name(v)));
  }

  void write_one() {
    switch (below(options_.supersets ? 19 : 17)) {
      case 0:
        return unary();
      case 1:
      case 2:
        return binary();
      case 3:
        return transpose();
      case 4:
        return reverse();
      case 5:
        return slice();
      case 6:
        return broadcast();
      case 7:
        return random_reshape();
      case 8:
        return concatenate();
      case 9:
        return pad();
      case 10:
        return reduce();
      case 11:
        return dot();
      case 12:
        return options_.runtime ? runtime_slice() : dynamic_slice();
      case 13:
        return callees_.empty() ? binary() : call();
      case 14:
        if (options_.runtime) return runtime_slice();
        return callees_.size() < 2 ? unary() : conditional();
      case 15:
        return select();
      case 16:
        return options_.tuples ? through_tuple() : unary();
      case 17:
        return sort();
      default:
        return dynamic_update_slice();
    }
  }

  void unary() {
    const std::size_t v = pick();
    define(values_[v], fmt::format("{}({})", chance(50) ? "negate" : "copy", name(v)));
  }

  void binary() {
    const std::size_t a = pick();
    const std::size_t b = with_dims(values_[a].dims);
    define(build(values_[a].dims,
                 [&](const Coordinates& c, Sources& s) {
                   add(s, at(values_[a], c));
                   add(s, at(values_[b], c));
                 }),
           fmt::format("add({}, {})", name(a), name(b)));
  }

  void transpose() {
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

  void reverse() {
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

  void slice() {
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

  void broadcast() {
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

  void random_reshape() {
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

  void concatenate() {
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

  void pad() {
    const std::size_t v = pick();
    const std::string zero =
        hidden("f32[]", "constant(0)");  // depends on nothing, so it is exact all the same
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

  void reduce() {
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
    define(std::move(out), fmt::format("reduce({}, {}), dimensions={{{}}}, to_apply=sum", name(v), zero,
                                       fmt::join(gone, ",")));
  }

  void dot() {
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

  /// Constant start indices, sometimes out of range: they are clamped.
  std::vector<std::string> start_indices(const std::vector<Index>& dims, const std::vector<Index>& sizes,
                                         std::vector<Index>& starts) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < dims.size(); ++i) {
      const Index wanted = between(-1, dims[i]);
      names.push_back(hidden("s32[]", fmt::format("constant({})", wanted)));
      starts.push_back(std::clamp<Index>(wanted, 0, dims[i] - sizes[i]));
    }
    return names;
  }

  void dynamic_slice() {
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

  /// The start of each dimension is one of the index parameters, sometimes handed through reshapes and
  /// copies.
  void runtime_slice() {
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

  void dynamic_update_slice() {
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

  void sort() {
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

  void select() {
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

  /// The outputs of a callee for these arguments.
  static std::vector<Array> apply(const Program& callee, const std::vector<const Array*>& arguments) {
    std::vector<Array> out;
    for (const Array& output : callee.outputs) {
      Array& array = out.emplace_back(Array{.dims = output.dims, .elements = {}});
      for (const Sources& reads : output.elements) {
        Sources& s = array.elements.emplace_back();
        for (const Source& r : reads)
          add(s, arguments[r.parameter]->elements[static_cast<std::size_t>(r.element)]);
      }
    }
    return out;
  }

  static std::string output_type(const Program& callee) {
    std::vector<std::string> types;
    for (const Array& output : callee.outputs) types.push_back(type_text(output.dims));
    return types.size() == 1 ? types[0] : fmt::format("({})", fmt::join(types, ", "));
  }

  /// The outputs of an instruction that calls, as values.
  void take_outputs(const Program& callee, std::vector<Array> outputs, const std::string& operation) {
    if (outputs.size() == 1) {
      define(std::move(outputs[0]), operation);
      return;
    }
    const std::string tuple = hidden(output_type(callee), operation);
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      define(std::move(outputs[k]), fmt::format("get-tuple-element({}), index={}", tuple, k));
    }
  }

  void call() {
    const Program& callee = callees_[static_cast<std::size_t>(below(static_cast<int>(callees_.size())))];
    std::vector<std::size_t> arguments;
    std::vector<std::string> texts;
    const std::size_t indices = options_.runtime ? 2 : 0;
    for (std::size_t p = 0; p + indices < callee.parameters.size(); ++p) {
      arguments.push_back(with_dims(callee.parameters[p]));
      texts.push_back(name(arguments.back()));
    }
    std::vector<const Array*> arrays;
    for (const std::size_t v : arguments) arrays.push_back(&values_[v]);
    static const Array kConstant{.dims = {}, .elements = {{}}};
    for (std::size_t k = 0; k < indices; ++k) {
      // The callee is told the same value, by the parameter or outright.
      const bool outright = chance(40);
      texts.push_back(outright ? hidden("s32[]", fmt::format("constant({})", options_.indices.values[k]))
                               : index_names_[k]);
      arrays.push_back(outright ? &kConstant : &indices_[k]);
    }
    const std::string operation =
        chance(50) ? fmt::format("fusion({}), kind=kLoop, calls={}", fmt::join(texts, ", "), callee.name)
                   : fmt::format("call({}), to_apply={}", fmt::join(texts, ", "), callee.name);
    take_outputs(callee, apply(callee, arrays), operation);
  }

  /// Two branches of one parameter each: a wrapper for the same callee and its twin with a copy.
  void conditional() {
    const auto fits = [](const Program& p) { return p.parameters.size() == 1; };
    const auto first = std::ranges::find_if(callees_, fits);
    if (first == callees_.end()) return binary();
    const auto second = std::ranges::find_if(callees_, [&](const Program& p) {
      return fits(p) && p.name != first->name && output_type(p) == output_type(*first);
    });
    const Program& a = *first;
    const Program& b = second == callees_.end() ? *first : *second;
    const std::size_t argument_a = with_dims(a.parameters[0]);
    const std::size_t argument_b = with_dims(b.parameters[0]);
    const std::size_t chooser = with_dims({});
    const std::string zero = hidden("f32[]", "constant(0)");
    const std::string predicate =
        hidden("pred[]", fmt::format("compare({}, {}), direction=LT", name(chooser), zero));
    std::vector<Array> outputs = apply(a, {&values_[argument_a]});
    const std::vector<Array> others = apply(b, {&values_[argument_b]});
    for (std::size_t k = 0; k < outputs.size(); ++k) {
      for (std::size_t e = 0; e < outputs[k].elements.size(); ++e) {
        add(outputs[k].elements[e], others[k].elements[e]);
        add(outputs[k].elements[e], values_[chooser].elements[0]);
      }
    }
    take_outputs(a, std::move(outputs),
                 fmt::format("conditional({}, {}, {}), true_computation={}, false_computation={}", predicate,
                             name(argument_a), name(argument_b), a.name, b.name));
  }

  /// Into a tuple, sometimes one inside another, through a barrier, and out again.
  void through_tuple() {
    const std::size_t a = pick();
    const std::size_t b = pick();
    std::string type = fmt::format("({}, {})", type_text(values_[a].dims), type_text(values_[b].dims));
    std::string tuple = hidden(type, fmt::format("tuple({}, {})", name(a), name(b)));
    if (chance(50)) tuple = hidden(type, fmt::format("opt-barrier({})", tuple));
    if (chance(50)) {
      const std::size_t c = pick();
      const std::string outer = fmt::format("({}, {})", type_text(values_[c].dims), type);
      const std::string nested = hidden(outer, fmt::format("tuple({}, {})", name(c), tuple));
      tuple = hidden(type, fmt::format("get-tuple-element({}), index=1", nested));
    }
    const bool second = chance(50);
    define(values_[second ? b : a], fmt::format("get-tuple-element({}), index={}", tuple, second ? 1 : 0));
  }

  void finish() {
    const std::size_t parameters = program_.parameters.size();
    const auto late = [&] {
      const auto from = static_cast<Index>(std::min(values_.size() - 1, parameters));
      return static_cast<std::size_t>(between(from, static_cast<Index>(values_.size()) - 1));
    };
    const bool tuple = options_.tuples && chance(40);
    if (tuple) {
      std::vector<std::string> texts;
      for (int k = 0; k < 2; ++k) {
        const std::size_t v = late();
        texts.push_back(name(v));
        program_.outputs.push_back(values_[v]);
      }
      hidden(output_type(program_), fmt::format("tuple({})", fmt::join(texts, ", ")));
    } else {
      const std::size_t v = values_.size() - 1;
      program_.outputs.push_back(values_[v]);
      if (lines_.back().first != name(v)) unary_root(v);
    }
    program_.text = fmt::format("{} {{\n", program_.name);
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      program_.text += fmt::format("  {}{}\n", i + 1 == lines_.size() ? "ROOT " : "", lines_[i].second);
    }
    program_.text += "}\n";
  }

  void unary_root(std::size_t v) { define(values_[v], fmt::format("copy({})", name(v))); }

  std::mt19937_64& random_;
  ProgramOptions options_;
  std::vector<Program>& callees_;
  Program program_;
  std::vector<Array> values_;
  std::vector<Array> indices_;  // what the index parameters depend on: themselves
  std::vector<std::string> index_names_;
  std::vector<std::string> names_;
  std::vector<std::pair<std::string, std::string>> lines_;
  int next_ = 0;
};

}  // namespace

RandomModule random_module(std::mt19937_64& random, const ProgramOptions& options) {
  RandomModule out;
  out.text =
      "sum {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT r = f32[] add(a, b)\n}\n"
      "less {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT r = pred[] compare(a, b), "
      "direction=LT\n}\n";
  std::vector<Program> callees;
  const int count = std::uniform_int_distribution<int>(0, 3)(random);
  ProgramOptions small = options;
  small.instructions = 4;
  for (int i = 0; i < count; ++i) {
    Program callee = Writer(random, fmt::format("f{}", i), small, callees).write();
    out.text += callee.text;
    callees.push_back(std::move(callee));
  }
  out.fused = Writer(random, "fused", options, callees).write();
  out.text += out.fused.text;
  std::vector<std::string> operands;
  out.text += "ENTRY main {\n";
  const std::size_t arrays = out.fused.parameters.size() - (options.runtime ? 2 : 0);
  for (std::size_t p = 0; p < out.fused.parameters.size(); ++p) {
    operands.push_back(fmt::format("p{}", p));
    const std::string type = p < arrays ? type_text(out.fused.parameters[p]) : "s32[]";
    out.text += fmt::format("  p{} = {} parameter({})\n", p, type, p);
  }
  std::vector<std::string> types;
  for (const Array& output : out.fused.outputs) types.push_back(type_text(output.dims));
  const std::string type = types.size() == 1 ? types[0] : fmt::format("({})", fmt::join(types, ", "));
  out.text +=
      fmt::format("  ROOT r = {} fusion({}), kind=kLoop, calls=fused\n}}\n", type, fmt::join(operands, ", "));
  return out;
}

}  // namespace tessera::model
