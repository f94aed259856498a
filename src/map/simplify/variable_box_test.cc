// SPDX-License-Identifier: Apache-2.0
#include "map/simplify/variable_box.h"

#include <gtest/gtest.h>

#include "expr/form/convert.h"
#include "expr/form/random_form_test.h"

namespace tessera::detail {
namespace {

// At every point of the box, the values of the rows are those of the form and of the expression.
void check_rows(Expr e) {
  testing_forms::BoxWorkspace ws;
  const Form* const form = convert(ws, e);
  VariableBox box(ws, 3);
  std::vector<Index> row(box.row_size());
  std::uint64_t points = 0;
  box.for_each_row([&] {
    const bool fits = box.row_values(form, row);
    EXPECT_TRUE(fits) << e;
    for (std::size_t i = 0; i < row.size() && fits; ++i, ++points) {
      const std::span<const Index> point = box.at(i);
      EXPECT_EQ(row[i], form_value(form, point)) << e;
      EXPECT_EQ(row[i], evaluate(e, point)) << e;
    }
    return true;
  });
  EXPECT_EQ(points, box.points());
}

TEST(VariableBoxTest, RowsHaveTheValuesOfTheirPoints) {
  std::mt19937 random(20261125);
  for (int i = 0; i < 2000 && !testing::Test::HasFailure(); ++i) {
    check_rows(testing_forms::random_expr(random, 2 + i % 4));
  }
}

TEST(VariableBoxTest, ARowWithAnOverflowHasNoValues) {
  testing_forms::BoxWorkspace ws({{0, 3}, {0, 1}});
  const Expr x = Expr::variable(0);
  const Form* const form = convert(ws, floor_div(x * (kIndexMax / 2) + 1, 2) * 4);
  VariableBox box(ws, 1);
  std::vector<Index> row(box.row_size());
  EXPECT_FALSE(box.row_values(form, row));
}

}  // namespace
}  // namespace tessera::detail
