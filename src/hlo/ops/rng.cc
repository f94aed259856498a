// SPDX-License-Identifier: Apache-2.0
/// \file
/// rng and rng-bit-generator: no element of the result belongs to an element of the operands.
#include "hlo/ops/rule.h"

namespace tessera::detail {
namespace {

constexpr const char* kParameters =
    "how a random value is made of the distribution's parameters, and of which, is up to the generator";
constexpr const char* kState = "every random value may depend on the whole state";

IndexingSet rng_to_input(const OpQuery& q) {
  return just(as_superset(whole_indexing(q.out(), q.in()), kParameters));
}
IndexingSet rng_to_output(const OpQuery& q) {
  return just(as_superset(whole_indexing(q.in(), q.out()), kParameters));
}
IndexingSet bits_to_input(const OpQuery& q) {
  return just(as_superset(whole_indexing(q.out(), q.in()), kState));
}
IndexingSet bits_to_output(const OpQuery& q) {
  return just(as_superset(whole_indexing(q.in(), q.out()), kState));
}

}  // namespace

constinit const OpRule kRngRule{rng_to_input, rng_to_output};
constinit const OpRule kRngBitGeneratorRule{bits_to_input, bits_to_output};

}  // namespace tessera::detail
