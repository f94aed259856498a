// SPDX-License-Identifier: Apache-2.0
/// \file
/// rng and rng-bit-generator: result elements do not correspond to operand elements.
#include "hlo/ops/rule.h"

namespace tessera::detail {
namespace {

constexpr const char* kParameters =
    "the generator decides which of the distribution's parameters a value depends on";
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
