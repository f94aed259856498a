// SPDX-License-Identifier: Apache-2.0
#include "map/simplify/result_text.h"

#include "expr/convert.h"
#include "expr/divisors.h"
#include "expr/equations.h"
#include "expr/limits.h"
#include "expr/measure.h"
#include "expr/overflow.h"
#include "expr/refine.h"
#include "expr/spell.h"
#include "expr/structure_text.h"
#include "map/simplify/affine_fit.h"

namespace tessera::detail {
namespace {

bool more_operators(Workspace& ws, std::uint64_t operators, Expr than) {
  // Avoids measuring: few expressions have signs in half of their nodes.
  if (operators * 2 <= than.node_count() || than.node_count() > kLimits.tree_nodes) return false;
  return operators > than.node_count() || operators > than.node_count() - measure(ws, than).signs;
}

// Whether the text costs more than the expression: as many divisions and more operators.
bool larger(Workspace& ws, Cost text, Expr than) {
  return more_operators(ws, operators(text), than) && divisions(text) >= size(than).divisions;
}
bool larger(Workspace& ws, Expr text, Expr than) {
  return text.node_count() < kLimits.tree_nodes &&
         more_operators(ws, text.node_count() - measure(ws, text).signs, than) &&
         size(text).divisions >= size(than).divisions;
}

class ResultText {
 public:
  explicit ResultText(Workspace& ws) : ws_(ws) {}

  // Allows no more operators than the expression has, unless it is linear or has fewer divisions. A larger
  // text may still shrink when it is simplified again; if it does not, the expression is simplified once
  // more, and no part of it may grow.
  Expr of(Expr given) {
    Expr text = settled(given, Growth::allowed);
    if (grew_ && larger(ws_, text, given)) {
      text = settled(given, Growth::refused);
      if (larger(ws_, text, given)) return given;
    }
    // Keeps the given expression if the text would divide by a literal 0 or may overflow 64 bits.
    return (ws_.partial && divides_by_zero(text)) || !text_stays_in_64_bits(ws_, text) ? given : text;
  }

 private:
  enum class Growth { allowed, refused };

  // Repeats until the text does not change: text kept from the input may join parts that were spelled
  // separately, and on a small domain two normal forms may be the same function.
  Expr settled(Expr e, Growth growth) {
    for (int pass = 0; pass < kLimits.rereadings; ++pass) {
      const Form* form = nullptr;
      const Expr text = once(e, form, growth);
      if (text == e || !text.is_binary() || is_linear(form)) return text;
      e = text;
      if (pass == 0 && !grew_ && form_of(text) == form && divisions(cost(spell(ws_, form))) < 2) break;
    }
    return e;
  }

  // If few points satisfy the constraints, a quotient may be affine on them.
  const Form* form_of(Expr e) {
    const Form* const form = refine(ws_, convert(ws_, e));
    if (form->quotients == 0 || ws_.facts.empty() || ws_.kept_points != 0) return form;
    if (form != fitted_) {
      fitted_ = form;
      fit_ = affine_fit(ws_, form);
    }
    return fit_ == nullptr ? form : fit_;
  }

  // Converts to the normal form and back to text, once.
  Expr once(Expr e, const Form*& form, Growth growth) {
    form = form_of(e);
    Text text = spell_by_equations(ws_, form);
    const auto structured = [&](Fewer fewer) {
      int budget = kLimits.structured_parts;
      return structure_text(ws_, e, fewer, budget);
    };
    const bool is_larger = larger(ws_, cost(text), e);
    const bool may_keep_structure = divisions(cost(text)) >= 2 && e.node_count() <= kLimits.structured_nodes;
    if (may_keep_structure || is_larger) {
      const Text like_input = structured(Fewer::divisions);
      if (cost(like_input) < cost(text)) text = like_input;
      const bool grows = is_larger && !is_linear(form);
      grew_ |= grows;
      if (grows && growth == Growth::refused && larger(ws_, cost(text), e)) {
        text = structured(Fewer::operators);
      }
    }
    return to_expr(ws_, text);
  }

  Workspace& ws_;
  bool grew_ = false;
  const Form* fitted_ = nullptr;  // the last form that was fitted, and its fit
  const Form* fit_ = nullptr;
};

}  // namespace

Expr result_text(Workspace& ws, Expr expr) { return ResultText(ws).of(expr); }

}  // namespace tessera::detail
