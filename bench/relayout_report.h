// SPDX-License-Identifier: Apache-2.0
/// \file
/// The report of `tessera-bench relayout`: a Markdown table and JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "relayout_measure.h"

namespace tessera::bench {

/// 0 if the case has no goal.
double goal_of(const RelayoutCase& subject, int threads);

/// The header of a Markdown table; print_row prints a row.
void print_head(int threads);
void print_row(const Measurement& m, int threads);

/// A second table: geometric means of score and goal by the letter of the case, over the cases with a goal.
void print_means(const std::vector<Measurement>& all, int threads);

nlohmann::ordered_json to_json(const std::vector<Measurement>& all, int threads);

}  // namespace tessera::bench
