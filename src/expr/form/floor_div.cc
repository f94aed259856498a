// SPDX-License-Identifier: Apache-2.0
#include "expr/form/floor_div.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <optional>

#include "expr/form/digit_view.h"
#include "expr/form/rebuild.h"
#include "expr/form/upper_halves.h"
#include "expr/limits.h"

namespace tessera::detail {
namespace {

// Which remainder r of a coefficient k = g * q + r: that with the sign of k, or the nearest to 0. If g/2 and
// -g/2 are equally near, either may be the right one.
enum class Residue { with_sign, nearest, nearest_negative };
constexpr std::array kAll = {Residue::with_sign, Residue::nearest, Residue::nearest_negative};
constexpr std::span kUsual = std::span(kAll).first<2>();
constexpr std::span kTied = std::span(kAll).last<1>();

// The residue of a coefficient k, given k % g.
Index residue(Index r, Index g, Residue which) {
  if (which == Residue::with_sign) return r;
  if (r < 0) r += g;
  const Index below = r - g;
  return (which == Residue::nearest ? r > -below : r >= -below) ? below : r;
}

class Quotient {
 public:
  Quotient(Workspace& ws, Index n) : ws_(ws), n_(n) {}

  // block: every value of L in [q*n, q*n + n-1] gives fl(L/n) = q.
  // extract: fl((n*E + N)/n) = E + fl(N/n), with every coefficient and the constant of N in [0, n-1].
  const Form* of(const Form* form) {
    Index q = 0;
    Sum outside(ws_);
    const Form* inside = form;
    if ((form->mask & ws_.kept_points) != 0) {
      inside = without_kept_points(ws_, extract(form, outside));
    } else {
      if (one_block(range(ws_, form), n_, q)) return ws_.constant(q);
      inside = extract(form, outside);
    }
    if (inside == form) return core(form);
    outside.add(1, divide(ws_, inside, n_));
    return outside.intern();
  }

 private:
  const Form* extract(const Form* form, Sum& outside) {
    bool reduced = form->constant >= 0 && form->constant < n_;
    for (const Term& t : form->terms()) reduced &= t.coefficient > 0 && t.coefficient < n_;
    if (reduced) return form;
    Sum inside(ws_);
    for (const Term& t : form->terms()) {
      const Index q = tessera::floor_div(t.coefficient, n_);
      const Index r = tessera::mod(t.coefficient, n_);
      if (q != 0) outside.append(q, t.atom);
      if (r != 0) inside.append(r, t.atom);
    }
    const Index q = tessera::floor_div(form->constant, n_);
    outside.set_constant(q);
    inside.set_constant(tessera::mod(form->constant, n_));
    return inside.intern();
  }

  // line: a function of an atom with two values is linear.
  const Form* core(const Form* form) {
    if (should_flip(form)) {
      // sign: fl(N/n) = -fl((-N + n-1)/n), because -fl(y/n) = ceil(-y/n).
      const Form* flipped = affine(ws_, -1, form, n_ - 1);
      return affine(ws_, -1, divide(ws_, flipped, n_));
    }
    if (const Form* done = drop_fine(form)) return done;
    if (const Form* done = flatten(form)) return done;
    if (const Form* done = drop_fine_in_digits(form)) return done;
    const auto quotient = [this](Index v) { return tessera::floor_div(v, n_); };
    if (const Form* line = between_two_values(ws_, form, quotient)) return line;
    return ws_.form_of(ws_.quotient(form, n_));
  }

  // The finest term decides (the last if several are equally fine), so that a reversed dimension gets the
  // same base. If both signs are equally good (n = 2), the smaller constant decides: fl((X+1)/2) becomes X -
  // fl(X/2).
  bool should_flip(const Form* form) const {
    Index finest = kIndexMax;
    Index deciding = 0;
    for (const Term& t : form->terms()) {
      const Index size = std::min(t.coefficient, n_ - t.coefficient);
      if (size <= finest) {
        finest = size;
        deciding = t.coefficient;
      }
    }
    if (deciding != n_ - deciding) return deciding > n_ - deciding;
    return tessera::mod(n_ - 1 - form->constant, n_) < form->constant;
  }

  // fine: N = g*A + B with g > 1, g | n and B in one block [b*g, b*g + g-1] gives fl(N/n) = fl((A +
  // b)/(n/g)). Tried on the digit view, whose items are independent, and on the raw terms.
  const Form* drop_fine(const Form* form) {
    if (form->quotients > 0 && digit_view(ws_, form).split) {
      if (const Form* done = drop_fine(digit_view(ws_, form), kUsual)) return done;
    }
    ViewItem* parts = ws_.arena.array<ViewItem>(form->size);
    std::size_t count = 0;
    for (const Term& t : form->terms()) parts[count++] = {t.coefficient, t.atom, nullptr, range(ws_, t.atom)};
    return drop_fine({parts, count}, form->constant, kUsual);
  }

  // The same with the residues that are left, and in other quotients. Flattening finds shorter forms where
  // both apply.
  const Form* drop_fine_in_digits(const Form* form) {
    if (form->quotients == 0) return nullptr;
    if (digit_view(ws_, form).split) {
      if (const Form* done = drop_fine(digit_view(ws_, form), kTied)) return done;
    }
    const Form* const digits = in_digits(ws_, form);
    return digits == form ? nullptr : drop_fine(digit_view(ws_, digits), kAll);
  }

  const Form* drop_fine(const DigitView& view, std::span<const Residue> residues) {
    ViewItem* parts = ws_.arena.array<ViewItem>(view.size);
    Sum outside(ws_);
    std::size_t count = 0;
    for (const ViewItem& item : view.span()) {
      const Index r = item.factor % n_;
      const Index q = (item.factor - r) / n_;
      if (q != 0) add(outside, q, item);
      if (r != 0) parts[count++] = {r, item.atom, item.digit, item.range};
    }
    const Index c = tessera::mod(view.constant, n_);
    outside.add_constant(tessera::floor_div(view.constant, n_));
    const Form* done = drop_below(n_, {parts, count}, c, residues);
    if (done == nullptr) done = drop_fine({parts, count}, c, residues);
    if (done == nullptr) return nullptr;
    outside.add(1, done);
    return outside.intern();
  }

  const Form* drop_fine(std::span<const ViewItem> parts, Index c, std::span<const Residue> residues) {
    std::array<Index, 64> candidates;
    const std::size_t count = granularities(parts, candidates);
    for (const Index g : std::span(candidates).first(count)) {
      if (const Form* done = drop_below(g, parts, c, residues)) return done;
    }
    return nullptr;
  }

  // The quotient without the part below g, if that is in one block; null otherwise.
  const Form* drop_below(Index g, std::span<const ViewItem> parts, Index c,
                         std::span<const Residue> residues) {
    const std::span<Index> remainders(ws_.arena.array<Index>(parts.size()), parts.size());
    bool same = true;   // whether the nearest residues are the remainders
    bool tied = false;  // whether two residues are equally near
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const Index r = remainders[k] = parts[k].factor % g;
      same &= r >= 0 && r <= g - r;
      const Index size = std::abs(r);
      tied |= size == g - size;
    }
    for (const Residue which : residues) {
      if (which == Residue::nearest && same) continue;
      if (which == Residue::nearest_negative && !tied) continue;
      const auto b = block_of(g, parts, remainders, which, tessera::mod(c, g));
      if (!b) continue;
      Sum coarse(ws_);
      for (std::size_t k = 0; k < parts.size(); ++k) {
        const Index r = residue(remainders[k], g, which);
        if (parts[k].factor != r) add(coarse, (parts[k].factor - r) / g, parts[k]);
      }
      coarse.add_constant(tessera::floor_div(c, g));
      coarse.add_constant(*b);
      if (!coarse.overflowed()) return divide(ws_, coarse.intern(), n_ / g);
    }
    return nullptr;
  }

  // b if all values of the fine part are in [b*g, b*g + g-1].
  std::optional<Index> block_of(Index g, std::span<const ViewItem> parts, std::span<const Index> remainders,
                                Residue which, Index constant) {
    Index b = 0;
    // Most are too wide, which takes less time to see than their range. A sum that wraps may say they are
    // not.
    unsigned __int128 width = 0;
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const Index r = residue(remainders[k], g, which);
      width += static_cast<unsigned __int128>(static_cast<std::uint64_t>(std::abs(r))) *
               (static_cast<std::uint64_t>(parts[k].range.upper) -
                static_cast<std::uint64_t>(parts[k].range.lower));
    }
    if (width < static_cast<std::uint64_t>(g)) {
      WideRange fine(constant);
      for (std::size_t k = 0; k < parts.size(); ++k)
        fine.add(residue(remainders[k], g, which), parts[k].range);
      if (fine.one_block(g, b)) return b;
    }
    if (ws_.facts.empty()) return std::nullopt;
    Sum sum(ws_);  // facts may bound the fine part as a whole
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const Index r = residue(remainders[k], g, which);
      if (r != 0) add(sum, r, parts[k]);
    }
    sum.add_constant(constant);
    if (sum.overflowed() || !one_block(range(ws_, sum.intern()), g, b)) return std::nullopt;
    return b;
  }

  // Divisors of n worth trying, largest first: its gcd with each coefficient and with all of them.
  std::size_t granularities(std::span<const ViewItem> parts, std::array<Index, 64>& out) const {
    std::size_t count = 0;
    const auto put = [&](Index g) {
      if (g <= 1 || g >= n_ || count == out.size()) return;
      if (std::find(out.begin(), out.begin() + count, g) == out.begin() + count) out[count++] = g;
    };
    Index all = n_;
    for (const ViewItem& p : parts) {
      const Index g = std::gcd(p.factor, n_);
      all = std::gcd(all, g);
      put(g);
    }
    put(all);
    std::sort(out.begin(), out.begin() + count, std::greater<>());
    return count;
  }

  // flatten: fl((A + fl(B/b))/n) = fl((b*A + B)/(b*n)); with coefficient n-1, which is -1 plus a multiple of
  // n, -fl(B/b) = fl((-B + b-1)/b) is applied first. The smallest b is flattened first: fl(x/a) -
  // r*fl(x/(a*r)) then stays one digit.
  const Form* flatten(const Form* form) {
    const Term* inner = nullptr;
    for (const Term& t : form->terms()) {
      if (t.atom->kind != FormAtomKind::quotient || (t.coefficient != 1 && t.coefficient != n_ - 1)) continue;
      if (inner == nullptr || t.atom->number < inner->atom->number) inner = &t;
    }
    if (inner == nullptr) return nullptr;
    const Index b = inner->atom->number;
    Index divisor = 0;
    if (mul_overflows(b, n_, divisor) || divisor > kLimits.divisor) return nullptr;
    Sum numerator(ws_, form);
    numerator.take(inner->atom);
    numerator.scale(b);
    if (inner->coefficient == 1) {
      numerator.add(1, inner->atom->form);
      if (numerator.overflowed()) return nullptr;
      return divide(ws_, numerator.intern(), divisor);
    }
    numerator.add(-1, inner->atom->form);
    numerator.add_constant(b - 1);
    if (numerator.overflowed()) return nullptr;
    Sum out(ws_, divide(ws_, numerator.intern(), divisor));
    out.add(1, inner->atom);
    return out.intern();
  }

  Workspace& ws_;
  Index n_;
};

}  // namespace

const Form* divide(Workspace& ws, const Form* form, Index divisor) {
  if (divisor == 1 || form->overflow) return form;
  if (form->is_constant()) return ws.constant(tessera::floor_div(form->constant, divisor));
  int looks = kLimits.division_memos;
  for (const DivisionMemo* memo = form->divisions; memo != nullptr && looks-- > 0; memo = memo->next) {
    if (memo->generation != ws.generation) break;  // all later memos are outdated, too
    if (memo->divisor == divisor) return memo->result;
  }
  ws.spend(16 + form->size);
  const Form* result = nullptr;
  if (ws.division_depth < kLimits.division_depth && !ws.exhausted) {
    const Deeper depth(ws.division_depth);
    result = merge_pairs(ws, Quotient(ws, divisor).of(merge_pairs(ws, form)));
  }
  if (result == nullptr || result->overflow) result = ws.form_of(ws.quotient(form, divisor));
  auto* memo = ws.arena.array<DivisionMemo>(1);
  *memo = {divisor, ws.generation, result, form->divisions};
  form->divisions = memo;
  return result;
}

}  // namespace tessera::detail
