// SPDX-License-Identifier: Apache-2.0
#include "map/simplify/result_text.h"

#include "expr/form/convert.h"
#include "expr/form/rebuild.h"
#include "expr/form/refine.h"
#include "expr/limits.h"
#include "expr/questions/overflow.h"
#include "expr/spelling/equations.h"
#include "expr/spelling/read_back.h"
#include "expr/spelling/spell.h"
#include "expr/spelling/structure_text.h"
#include "map/simplify/point_fit.h"

namespace tessera::detail {
namespace {

// Whether the text costs more than the expression: as many divisions and more operators.
bool larger(Cost text, Expr than) {
  const ExprSize size = tessera::size(than);
  return operators(text) > size.operators && divisions(text) >= size.divisions;
}
bool larger(Expr text, Expr than) {
  const ExprSize own = size(text);
  const ExprSize other = size(than);
  return own.operators > other.operators && own.divisions >= other.divisions;
}

class ResultText {
 public:
  ResultText(Workspace& ws, PointFit& points) : ws_(ws), points_(points) {}

  // Allows no more operators than the expression has, unless it is linear or has fewer divisions. A larger
  // text may still shrink when it is simplified again; if it does not, the expression is simplified once
  // more, and no part of it may grow.
  Expr of(Expr given) {
    Expr text = settled(given, Growth::allowed);
    if (grew_ && larger(text, given)) {
      text = settled(given, Growth::refused);
      if (larger(text, given)) return given;
    }
    // Keeps the given expression if the text would divide by a literal 0 or may overflow 64 bits.
    return (ws_.partial && text.node().divides_by_zero) || !text_stays_in_64_bits(ws_, text) ? given : text;
  }

 private:
  enum class Growth { allowed, refused };

  // Repeats until the text does not change: text kept from the input may join parts that were spelled
  // separately, and on a small domain two normal forms may be the same function.
  Expr settled(Expr e, Growth growth) {
    for (int pass = 0; pass < kLimits.rereadings; ++pass) {
      const Form* const form = points_.replaced(refine(ws_, convert(ws_, e)));
      const Text text = text_of(e, form, growth);
      const Expr out = to_expr(ws_, text);
      if (out == e || !out.is_binary() || is_linear(form)) return out;
      e = out;
      if (pass == 0 && !grew_ && divisions(cost(spell(ws_, form))) < 2 &&
          points_.replaced(read_back(ws_, text)) == form) {
        break;
      }
    }
    return e;
  }

  // The shortest text of an expression, whose normal form is given.
  Text text_of(Expr e, const Form* form, Growth growth) {
    Text text = spell_by_equations(ws_, form);
    const auto structured = [&](Fewer fewer) {
      int budget = kLimits.structured_parts;
      return structure_text(ws_, e, fewer, budget);
    };
    const bool is_larger = larger(cost(text), e);
    const bool may_keep_structure = divisions(cost(text)) >= 2 && e.node_count() <= kLimits.structured_nodes;
    if (may_keep_structure || is_larger) {
      const Text like_input = structured(Fewer::divisions);
      if (cost(like_input) < cost(text)) text = like_input;
      const bool grows = is_larger && !is_linear(form);
      grew_ |= grows;
      if (grows && growth == Growth::refused && larger(cost(text), e)) {
        text = structured(Fewer::operators);
      }
    }
    return text;
  }

  Workspace& ws_;
  PointFit& points_;
  bool grew_ = false;
};

}  // namespace

Expr result_text(Workspace& ws, PointFit& points, Expr expr) { return ResultText(ws, points).of(expr); }

}  // namespace tessera::detail
