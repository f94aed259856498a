// SPDX-License-Identifier: Apache-2.0
#include "map/simplify/result_text.h"

#include <algorithm>
#include <tuple>

#include "expr/convert.h"
#include "expr/divisors.h"
#include "expr/equations.h"
#include "expr/fits.h"
#include "expr/measure.h"
#include "expr/own_words.h"
#include "expr/spell.h"
#include "map/simplify/affine_fit.h"

namespace tessera::detail {
namespace {

constexpr int kSpellingBudget = 40;  // distinct nodes of one result that are spelled like the input

bool more_operators(Workspace& ws, std::uint64_t operators, Expr than) {
  // Rarely are half of the nodes signs.
  if (operators * 2 <= than.node_count() || than.node_count() > kLargestMeasured) return false;
  return operators > than.node_count() || operators > than.node_count() - measure(ws, than).signs;
}

bool larger(Workspace& ws, Cost text, Expr than) { return more_operators(ws, operators(text), than); }
bool larger(Workspace& ws, Expr text, Expr than) {
  return text.node_count() < kLargestMeasured &&
         more_operators(ws, text.node_count() - measure(ws, text).signs, than);
}

bool cheaper(Expr text, Expr than) {
  const ExprSize a = size(text);
  const ExprSize b = size(than);
  return a.operators <= b.operators &&
         std::tie(a.divisions, a.operators, a.signs) < std::tie(b.divisions, b.operators, b.signs);
}

Expr operation(ExprKind kind, Expr a, Expr b) {
  if (kind == ExprKind::floor_div) return floor_div(a, b);
  if (kind == ExprKind::ceil_div) return ceil_div(a, b);
  return kind == ExprKind::mod ? mod(a, b) : Expr::binary(kind, a, b);
}

class ResultText {
 public:
  explicit ResultText(Workspace& ws) : ws_(ws) {}

  Expr of(Expr e) {
    constexpr int kMostPasses = 8;
    Expr text = fitting(e);
    // The joined texts of the parts may have a shorter equivalent, and a text that was kept from growing may
    // still shrink: repeat until nothing changes.
    for (int pass = 1; unsettled_ && pass < kMostPasses; ++pass) {
      const Expr again = fitting(text);
      if (again == text) break;
      text = again;
    }
    // A divisor that is 0 everywhere stays as it is written, because no text has a literal one.
    return ws_.partial && divides_by_zero(text) ? e : text;
  }

 private:
  // The shortest text, its sums in another order where that one may leave 64 bits at points where the
  // expression does not; where no order helps, the expression with shorter operands.
  Expr fitting(Expr e) {
    const Expr text = shortest(e);
    if (fits_like(ws_, text, e)) return text;
    unsettled_ = true;
    ws_.spend(16);
    if (const auto ordered = ordered_to_fit(ws_, text, e)) return *ordered;
    const Expr own = ordered_to_fit(ws_, e, e).value_or(e);
    if (!e.is_binary()) return own;
    const auto parts = ordered_to_fit(ws_, of_parts(e), e);
    return parts && cheaper(*parts, own) ? *parts : own;
  }

  // The operation of such texts of the operands, which are the summands of a sum.
  Expr of_parts(Expr e) {
    const auto part = [&](Expr operand) {
      return operand.kind() == ExprKind::add && e.kind() == ExprKind::add ? of_parts(operand)
                                                                          : fitting(operand);
    };
    const Expr lhs = part(e.lhs());
    return operation(e.kind(), lhs, part(e.rhs()));
  }

  enum class Growth { allowed, refused };

  // No more operators than the expression has, unless it is linear: a text that would have more may still
  // shrink when it is read again, and only if it does not, each part is kept from growing.
  Expr shortest(Expr given) {
    bool grew = false;
    const Expr text = read_again(given, Growth::allowed, grew);
    unsettled_ |= grew;
    if (!grew || !larger(ws_, text, given)) return text;
    const Expr saved = read_again(given, Growth::refused, grew);
    return larger(ws_, saved, given) ? given : saved;
  }

  // Text kept from the input joins parts that were spelled separately, and on a small domain two normal forms
  // may be one function: read the text again until it does not change.
  Expr read_again(Expr e, Growth growth, bool& grew) {
    constexpr int kMostPasses = 4;
    for (int pass = 0; pass < kMostPasses && e.is_binary(); ++pass) {
      const Form* form = nullptr;
      const Expr text = once(e, form, growth, grew);
      if (text == e || !text.is_binary()) return text;
      e = text;
      if (is_linear(form)) break;
      if (pass == 0 && !grew && form_of(text) == form && divisions(cost(spell(ws_, form))) < 2) break;
    }
    if (e.is_variable()) {
      const Form* form = nullptr;
      return once(e, form, growth, grew);
    }
    return e;
  }

  // Where the constraints leave few points, a quotient may be affine on them.
  const Form* form_of(Expr e) {
    const Form* const form = refine(ws_, convert(ws_, e));
    if (form->quotients == 0 || ws_.facts.empty() || ws_.kept_points != 0) return form;
    if (form != fitted_) {
      fitted_ = form;
      fit_ = affine_fit(ws_, form);
    }
    return fit_ == nullptr ? form : fit_;
  }

  // One conversion and spelling.
  Expr once(Expr e, const Form*& form, Growth growth, bool& grew) {
    form = form_of(e);
    const Form* text = spell_by_equations(ws_, form);
    const auto spelled_like = [&](Fewer fewer) {
      int budget = kSpellingBudget;
      return spell_like(ws_, e, fewer, budget);
    };
    const bool is_larger = larger(ws_, cost(text), e);
    if (divisions(cost(text)) >= 2 || is_larger) {
      const Form* like_input = spelled_like(Fewer::divisions);
      if (cost(like_input) < cost(text)) text = like_input;
      const bool grows = is_larger && !is_linear(form);
      grew |= grows;
      if (grows && growth == Growth::refused && larger(ws_, cost(text), e)) {
        text = spelled_like(Fewer::operators);
      }
    }
    return to_expr(ws_, text);
  }

  Workspace& ws_;
  bool unsettled_ = false;
  const Form* fitted_ = nullptr;  // the last form that was fitted, and its fit
  const Form* fit_ = nullptr;
};

}  // namespace

Expr result_text(Workspace& ws, Expr expr) { return ResultText(ws).of(expr); }

}  // namespace tessera::detail
