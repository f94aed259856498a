// SPDX-License-Identifier: Apache-2.0
#include "laws/hlo_cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace tessera::laws {
std::string HloCases::list(const Dims& dims) { return fmt::format("{}", fmt::join(dims, ",")); }
std::string HloCases::array(const std::string& type, const Dims& dims) {
  return fmt::format("{}[{}]", type, list(dims));
}
std::string HloCases::f32(const Dims& dims) { return array("f32", dims); }
std::string HloCases::braces(const Dims& dims) { return fmt::format("{{{}}}", list(dims)); }

HloCases::Dims HloCases::join(Dims a, const Dims& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::string HloCases::program(const std::vector<std::string>& parameters, const std::string& type,
                              const std::string& opcode, const std::string& attributes,
                              const std::string& functions) {
  std::string text = functions + "ENTRY e {\n";
  std::vector<std::string> names;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    text += fmt::format("  p{} = {} parameter({})\n", i, parameters[i], i);
    names.push_back(fmt::format("p{}", i));
  }
  return text + fmt::format("  ROOT r = {} {}({}){}{}\n}}\n", type, opcode, fmt::join(names, ", "),
                            attributes.empty() ? "" : ", ", attributes);
}

HloCases::Dims HloCases::dims(Index rank, Index low, Index high) {
  Dims d;
  for (Index i = 0; i < rank; ++i) d.push_back(pick(low, high));
  return d;
}

HloCases::Dims HloCases::permutation(Index rank) {
  Dims p(at(rank));
  std::iota(p.begin(), p.end(), 0);
  std::shuffle(p.begin(), p.end(), random_);
  return p;
}

HloCases::Dims HloCases::some(Index rank) {
  Dims s;
  for (Index i = 0; i < rank; ++i) {
    if (coin()) s.push_back(i);
  }
  return s;
}

HloCases::Dims HloCases::reshaped(const Dims& shape) {
  Dims factors;
  for (Index n : shape) {
    for (Index f = 2; n > 1; ++f) {
      for (; n % f == 0; n /= f) factors.push_back(f);
    }
  }
  std::shuffle(factors.begin(), factors.end(), random_);
  Dims out(at(pick(factors.empty() ? 0 : 1, 4)), 1);
  for (const Index f : factors) out[at(pick(0, static_cast<Index>(out.size()) - 1))] *= f;
  return out;
}

}  // namespace tessera::laws
