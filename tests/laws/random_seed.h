// SPDX-License-Identifier: Apache-2.0
/// \file
/// The seed and the number of random cases.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <iostream>

namespace tessera::laws {

/// The number in an environment variable.
inline std::uint64_t environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

/// TESSERA_SEED, or `usual`; printed.
inline std::uint64_t seed(std::uint64_t usual) {
  const std::uint64_t value = environment("TESSERA_SEED", usual);
  std::cout << "seed " << value << "\n";
  return value;
}

/// A number of cases, multiplied by TESSERA_CASES.
inline std::uint64_t cases(std::uint64_t usual) { return usual * environment("TESSERA_CASES", 1); }

}  // namespace tessera::laws
