// SPDX-License-Identifier: Apache-2.0
#include "traced/recording.h"

#include <cstdint>
#include <limits>

#include "traced/limits.h"

namespace tessera::symbolic {
namespace {

using tessera_tracing::Number;

thread_local Recording* recording = nullptr;

constexpr bool is_end(std::int64_t value) {
  return value == std::numeric_limits<std::int64_t>::min() ||
         value == std::numeric_limits<std::int64_t>::max();
}

/// The value of a run that proves nothing any more: it only has to end.
Number plain(char op, Number a, Number b) {
  constexpr Integer bound = Integer{1} << 61;
  const Integer x = a.value;
  const Integer y = b.value;
  Integer out = 0;
  if (op == '+') out = x + y;
  if (op == '-') out = x - y;
  if (op == '*') out = x * y;
  if (y != 0) {
    if (op == '/') out = x / y;
    if (op == '%') out = x % y;
    if (op == 'f' || op == '^' || op == 'm') {
      const Integer over = y < 0 ? -y : y;
      const Integer under = y < 0 ? -x : x;
      const Integer down = floor_div(under, over);
      out = op == 'f' ? down : op == '^' ? -floor_div(-under, over) : under - over * down;
    }
  }
  return {static_cast<std::int64_t>(out > bound ? bound : out < -bound ? -bound : out), 0};
}

}  // namespace

Recording* Recording::current() { return recording; }

Recording::Recording(Recorder& run) : run_(run), outer_(recording) { recording = this; }
Recording::~Recording() { recording = outer_; }

Number Recording::number(const Polynomial& p) {
  const std::optional<Integer> value = run_.value(p);
  // Room for one sum of two such numbers.
  constexpr Integer bound = Integer{1} << 61;
  if (!value || *value >= bound || *value <= -bound || !p.known() ||
      nodes_.size() >= detail::kTracedLimits.numbers) {
    run_.lose("a number is too large");
    return {1, 0};
  }
  if (p.is_constant()) return {static_cast<std::int64_t>(*value), 0};
  nodes_.push_back(p);
  return {static_cast<std::int64_t>(*value), static_cast<std::int32_t>(nodes_.size() - 1)};
}

Polynomial Recording::polynomial(Number n) const {
  return n.node == 0 ? Polynomial(Integer{n.value}) : nodes_[static_cast<std::size_t>(n.node)];
}

bool Recording::decide(const SizeCondition& c) {
  const bool plain = c.p.is_constant() && (!c.about_divisors() || c.q.is_constant());
  return plain ? run_.space().holds(c, {}).value_or(false) : run_.decide(c);
}

Number Recording::computed(char op, Number a, Number b) {
  if (!run_.lost()) {
    const Number out = exactly(op, a, b);
    if (!run_.lost()) return out;
  }
  return plain(op, a, b);
}

Number Recording::exactly(char op, Number a, Number b) {
  const Polynomial x = polynomial(a);
  const Polynomial y = polynomial(b);
  switch (op) {
    case '+':
      return number(x + y);
    case '-':
      return number(x - y);
    case '*':
      return number(x * y);
    default:
      break;
  }
  if (b.value < 1 || !decide(at_least(y, 1))) {
    run_.lose("a division by a number below 1");
    return {0, 0};
  }
  Space& space = run_.space();
  if (op == '^') return number(space.ceil_quotient(x, y));
  // Divisions of C++ round to 0.
  const bool rounds_down = op == 'f' || op == 'm' || decide(at_least(x, 0));
  const Polynomial quotient = rounds_down ? space.quotient(x, y) : -space.quotient(-x, y);
  if (op == '/' || op == 'f') return number(quotient);
  const Number out = number(x - y * quotient);
  if (out.node != 0 && rounds_down) remainders_[out.node] = {x, y};
  return out;
}

void Recording::decided(char op, Number a, Number b, bool outcome) {
  if (run_.lost()) return;
  // The numbers of an answer have no width. A test against an end of Index asks whether a number fits, and
  // those of a run do.
  if ((a.node == 0 && is_end(a.value)) || (b.node == 0 && is_end(b.value))) return;
  const Polynomial x = polynomial(a);
  const Polynomial y = polynomial(b);
  SizeCondition c = at_least(x, y);
  if (op == '=') {
    c = {SizeCondition::Kind::zero, x - y, {}};
    for (const bool first : {true, false}) {
      const Number number = first ? a : b;
      const Number other = first ? b : a;
      const auto found = remainders_.find(number.node);
      if (number.node == 0 || other.node != 0 || found == remainders_.end() || other.value < 0) continue;
      const Remainder& r = found->second;
      // x mod m == r is m | x - r, for 0 <= r < m.
      if (other.value == 0 || (r.by.is_constant() && other.value < r.by.constant()))
        c = divides(r.by, r.of - Integer{other.value});
    }
  }
  if (!c.p.known()) return run_.lose("a number is too large, or a divisor is below 1");
  if (!c.about_divisors() && c.p.is_constant()) return;
  if (run_.decide(c) != outcome && !run_.lost()) run_.lose("a decision differs from its recording");
}

}  // namespace tessera::symbolic
