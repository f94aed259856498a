// SPDX-License-Identifier: Apache-2.0
#include "expr/questions/overflow.h"

#include <algorithm>
#include <unordered_map>

#include "expr/form/convert.h"
#include "expr/form/range.h"
#include "expr/limits.h"
#include "expr/print.h"

namespace tessera::detail {
namespace {

// A number of bits with |value| < 2^bits for every value of e; kTooManyBits if some step may not fit in 64
// bits, or if e has more than `steps` steps.
int bits_of_steps(Workspace& ws, Expr e, int& steps) {
  if (e.is_constant()) return bits_of(e.value());
  if (e.is_variable()) return bits_of(ws.variables[static_cast<std::size_t>(e.value())].bounds);
  constexpr std::uint32_t kSmallTree = 6;  // walking such a tree again costs no more than a lookup
  const bool remembered = e.node_count() > kSmallTree;
  if (remembered) {
    const auto* const known =
        ws.bits.find(e.hash(), [&](const BitsMemo& m) { return m.run == ws.run && m.expr == e; });
    if (known != nullptr) return known->bits;
    if (--steps < 0) return kTooManyBits;
  }
  const int lhs = bits_of_steps(ws, e.lhs(), steps);
  const int rhs = bits_of_steps(ws, e.rhs(), steps);
  int bits = std::max(lhs, rhs);
  if (bits < kTooManyBits) {
    if (e.kind() == ExprKind::add) ++bits;
    if (e.kind() == ExprKind::mul) bits = std::min(lhs + rhs, kTooManyBits);
    if (e.kind() == ExprKind::mod) bits = rhs;
  }
  if (remembered) {
    ws.bits.insert(new (ws.arena.array<BitsMemo>(1)) BitsMemo{e.hash(), e, ws.run, bits});
  }
  return bits;
}

// The bounds of each step, until one may overflow 64 bits.
class Steps {
 public:
  Steps(Workspace& ws, InfiniteBound infinite) : ws_(ws), infinite_(infinite) {}

  bool all_fit(Expr e) {
    of(e);
    return fit_;
  }

 private:
  // The range of a step; `open_lower` and `open_upper` mark a side on which a variable is small enough.
  struct Bounds {
    Interval range;
    bool open_lower = false;
    bool open_upper = false;
    bool open() const { return open_lower || open_upper; }
  };

  Bounds of(Expr e) {
    if (!fit_) return {};
    if (e.is_constant()) return {.range = Interval::point(e.value())};
    if (e.is_variable()) {
      const Interval r = ws_.variables[static_cast<std::size_t>(e.value())].bounds;
      const bool open = infinite_ == InfiniteBound::small_enough;
      return {r, open && r.lower == kNegInf, open && r.upper == kPosInf};
    }
    if (const auto known = known_.find(e.id()); known != known_.end()) return known->second;
    ws_.spend(4);
    const Bounds a = of(e.lhs());
    const Bounds b = of(e.rhs());
    fit_ &= e.kind() != ExprKind::mod || b.open_lower || b.range.lower != kIndexMin;  // |b| does not fit
    Bounds out{operation_range(e.kind(), a.range, b.range)};
    if (e.kind() == ExprKind::add) {
      out.open_lower = a.open_lower || b.open_lower;
      out.open_upper = a.open_upper || b.open_upper;
    } else {
      out.open_lower = out.open_upper = a.open() || b.open();
    }
    const auto leaves = [&](Interval r) {
      return (r.lower == kNegInf && !out.open_lower) || (r.upper == kPosInf && !out.open_upper);
    };
    // The operands depend on each other, so if their bounds overflow 64 bits, the form of the step decides.
    if (leaves(out.range)) {
      const auto both = intersect(out.range, range(ws_, convert(ws_, e)));
      fit_ &= both && !leaves(*both);
      if (both) out.range = *both;
    }
    known_.emplace(e.id(), out);
    return out;
  }

  Workspace& ws_;
  InfiniteBound infinite_;
  bool fit_ = true;
  std::unordered_map<const void*, Bounds> known_;
};

bool far_from_the_end(Workspace& ws, Expr e) {
  if (ws.variable_bits + e.node().growth < kTooManyBits) return true;
  int steps = kLimits.overflow_steps;
  return bits_of_steps(ws, e, steps) < kTooManyBits;
}

}  // namespace

bool stays_in_64_bits(Workspace& ws, Expr expr, InfiniteBound infinite) {
  return far_from_the_end(ws, expr) || Steps(ws, infinite).all_fit(expr);
}

bool text_stays_in_64_bits(Workspace& ws, Expr expr, InfiniteBound infinite) {
  return far_from_the_end(ws, expr) || (Steps(ws, infinite).all_fit(expr) && reads_as_itself(expr));
}

}  // namespace tessera::detail
