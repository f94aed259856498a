// SPDX-License-Identifier: Apache-2.0
// The numbers of one run of an algorithm on traced integers, as polynomials.
#pragma once

#include <map>
#include <vector>

#include "size/explore.h"
#include "traced/number.h"

namespace tessera::symbolic {

/// Records the run of this thread while it lives. Its numbers are nodes for polynomials.
class Recording {
 public:
  explicit Recording(Recorder& run);
  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  /// A number of the run; a plain one if the polynomial is a number.
  tessera_tracing::Number number(const Polynomial& p);
  Polynomial polynomial(tessera_tracing::Number n) const;
  Recorder& run() { return run_; }

  tessera_tracing::Number computed(char op, tessera_tracing::Number a, tessera_tracing::Number b);
  void decided(char op, tessera_tracing::Number a, tessera_tracing::Number b, bool outcome);

  static Recording* current();

 private:
  struct Remainder {
    Polynomial of;
    Polynomial by;
  };
  bool decide(const SizeCondition& c);
  tessera_tracing::Number exactly(char op, tessera_tracing::Number a, tessera_tracing::Number b);

  Recorder& run_;
  Recording* outer_;
  std::vector<Polynomial> nodes_ = {0};
  std::map<std::int32_t, Remainder> remainders_ = {};
};

}  // namespace tessera::symbolic
