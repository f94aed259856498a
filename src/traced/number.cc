// SPDX-License-Identifier: Apache-2.0
#include "traced/number.h"

#include "traced/recording.h"

namespace tessera_tracing {

using tessera::symbolic::Recording;

Number computed(char op, Number a, Number b) {
  Recording* const r = Recording::current();
  return r == nullptr ? Number{} : r->computed(op, a, b);
}

void decided(char op, Number a, Number b, bool outcome) {
  if (Recording* const r = Recording::current()) r->decided(op, a, b, outcome);
}

void lost() {
  if (Recording* const r = Recording::current())
    r->run().lose("a number that depends on a size is used as a plain number");
}

}  // namespace tessera_tracing
