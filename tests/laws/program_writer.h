// SPDX-License-Identifier: Apache-2.0
/// \file
/// Writes the text of a random computation and tracks its dependences.
#pragma once

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "laws/program_model.h"

namespace tessera::model {

inline constexpr Index kMaxElements = 48;

using Coordinates = std::vector<Index>;

inline std::string type_text(const std::vector<Index>& dims) {
  return fmt::format("f32[{}]", fmt::join(dims, ","));
}

/// Fills an array: `read` gives the dependences of an output coordinate.
inline Array build(std::vector<Index> dims, const std::function<void(const Coordinates&, Sources&)>& read) {
  Array out{.dims = std::move(dims), .elements = {}};
  for (Index e = 0; e < element_count(out.dims); ++e)
    read(coordinates(e, out.dims), out.elements.emplace_back());
  return out;
}

inline void add(Sources& to, const Sources& from) { to.insert(from.begin(), from.end()); }

inline const Sources& at(const Array& array, const Coordinates& place) {
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

  Program write();

 private:
  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }
  Index between(Index low, Index high) { return std::uniform_int_distribution<Index>(low, high)(random_); }
  bool chance(int percent) { return below(100) < percent; }

  std::vector<Index> random_dims();

  /// Picks a value, usually one of the latest, so that programs become deep.
  std::size_t pick();
  std::string name(std::size_t value) const { return names_[value]; }

  std::size_t define(Array array, const std::string& operation);

  /// Writes an instruction that later instructions never use as an operand.
  std::string hidden(const std::string& type, const std::string& operation);

  /// A value with these dimensions: reshaped from a value with the same number of elements, or broadcast from
  /// a scalar.
  std::size_t with_dims(const std::vector<Index>& dims);
  std::size_t reshape(std::size_t v, const std::vector<Index>& dims);
  void write_one();
  void unary();
  void binary();
  void transpose();
  void reverse();
  void slice();
  void broadcast();
  void random_reshape();
  void concatenate();
  void pad();
  void reduce();
  void dot();

  /// Constant start indices. Some are out of range and will be clamped.
  std::vector<std::string> start_indices(const std::vector<Index>& dims, const std::vector<Index>& sizes,
                                         std::vector<Index>& starts);
  void dynamic_slice();

  /// Slices at starts that are index parameters, in some cases after reshapes and copies.
  void runtime_slice();
  void dynamic_update_slice();
  void sort();
  void select();

  /// The outputs of a callee for the given arguments.
  static std::vector<Array> apply(const Program& callee, const std::vector<const Array*>& arguments);
  static std::string output_type(const Program& callee);

  /// Adds the outputs of a call as values.
  void take_outputs(const Program& callee, std::vector<Array> outputs, const std::string& operation);
  void call();

  /// A conditional with two branches of one parameter each. If there is no second callee, both branches call
  /// the same one.
  void conditional();

  /// Packs values into a tuple, sometimes a nested one, passes it through a barrier, and unpacks it.
  void through_tuple();
  void finish();
  void unary_root(std::size_t v) { define(values_[v], fmt::format("copy({})", name(v))); }

  std::mt19937_64& random_;
  ProgramOptions options_;
  std::vector<Program>& callees_;
  Program program_;
  std::vector<Array> values_;
  std::vector<Array> indices_;  // dependences of the index parameters: themselves
  std::vector<std::string> index_names_;
  std::vector<std::string> names_;
  std::vector<std::pair<std::string, std::string>> lines_;
  int next_ = 0;
};

}  // namespace tessera::model
