// SPDX-License-Identifier: Apache-2.0
// Prints the size of every simplified map of a corpus, one per line: `divisions operators text`. run.py
// compares the output with that of a simplifier in which one rule is switched off.
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>

#include "laws/random_chains.h"
#include "map/random_map_test.h"
#include "tessera/map/map_algebra.h"
#include "tessera/text/index_map.h"

namespace {

using namespace tessera;

void print(const IndexMap& map) {
  ExprSize total;
  total.operators = map.constraints().size();
  const auto add = [&](Expr e) {
    const ExprSize own = size(e);
    total.divisions += own.divisions;
    total.operators += own.operators;
  };
  for (const Expr e : map.results()) add(e);
  for (const Constraint& c : map.constraints()) add(c.expr);
  std::cout << total.divisions << ' ' << total.operators << ' ' << to_string(map) << '\n';
}

}  // namespace

// sizes maps < TEXTS | sizes chains SEED COUNT | sizes trees SEED COUNT | sizes pairs SEED COUNT
int main(int argc, char** argv) {
  const std::string corpus = argc > 1 ? argv[1] : "maps";
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 0;
  const int count = argc > 3 ? std::atoi(argv[3]) : 0;
  if (corpus == "maps") {
    for (std::string line; std::getline(std::cin, line);) {
      if (const auto map = parse_index_map(line)) print(simplify(*map));
    }
  }
  std::mt19937_64 random(seed);
  std::mt19937 small(static_cast<std::mt19937::result_type>(seed));
  for (int i = 0; i < count; ++i) {
    if (corpus == "trees") {
      const auto dims = 1 + small() % 2;
      print(
          simplify(testing_maps::random_map(small, dims, small() % 2, 1, 2 + static_cast<int>(small() % 4))));
      continue;
    }
    const auto steps =
        testing_chains::random_chain(random, static_cast<int>(testing_chains::pick(random, 1, 6)));
    const IndexMap at_once = simplify(testing_chains::compose_all(steps));
    print(at_once);
    if (corpus != "pairs") continue;  // for pairs, also the same map, simplified after each step
    IndexMap stepwise = simplify(steps[0]);
    for (std::size_t k = 1; k < steps.size(); ++k) stepwise = simplify(*compose(stepwise, steps[k]));
    print(stepwise);
  }
}
