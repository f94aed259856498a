// SPDX-License-Identifier: Apache-2.0
/// \file
/// Random small programs with their true dependences, found element by element and without index maps.
#pragma once

#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tessera/base/index.h"

namespace tessera::model {

/// An element of an array of a parameter.
struct Source {
  std::size_t parameter = 0;
  Index element = 0;  ///< row-major number
  friend auto operator<=>(const Source&, const Source&) = default;
};
using Sources = std::set<Source>;

/// The extents of an array, and the dependences of each element (row-major).
struct Array {
  std::vector<Index> dims;
  std::vector<Sources> elements;
};

/// The values of the two start indices. In a program with runtime slices they are the last two parameters of
/// every computation, each of type s32[].
struct StartIndices {
  Index values[2] = {0, 0};
};

/// A computation as text, with the extents of its parameters and the dependences of its outputs. If the root
/// is a tuple, there are several outputs.
struct Program {
  std::string name;
  std::string text;
  std::vector<std::vector<Index>> parameters;
  std::vector<Array> outputs;
};

struct ProgramOptions {
  int instructions = 8;
  bool tuples = true;      ///< allow several outputs, and tuples inside
  bool supersets = false;  ///< include opcodes whose maps may be supersets
  bool runtime = false;    ///< slices whose starts are parameters; dependences hold for these values
  StartIndices indices = {};
};

/// A random program and its entry, which passes its parameters to one fusion of the program. In `text`,
/// called computations come first.
struct RandomModule {
  std::string text;
  Program fused;
};
RandomModule random_module(std::mt19937_64& random, const ProgramOptions& options);

Index element_count(const std::vector<Index>& dims);
std::vector<Index> coordinates(Index element, const std::vector<Index>& dims);
Index linear(const std::vector<Index>& coordinates, const std::vector<Index>& dims);

}  // namespace tessera::model
