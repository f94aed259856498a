// SPDX-License-Identifier: Apache-2.0
/// \file
/// The report of `tessera-bench relayout`: a Markdown table and JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "relayout_measure.h"

namespace tessera::bench {

/// The goal of a case for one or more threads; 0 if it has none.
double goal_of(const RelayoutCase& subject, int threads);

/// Prints the head of a Markdown table. print_row prints its rows.
void print_head(int threads);
void print_row(const Measurement& m, int threads);

/// Prints a second table with geometric means for each letter of the cases: of the score and the goal (for
/// cases that have one), and of the speed relative to the best plain copy.
void print_means(const std::vector<Measurement>& all, int threads);

nlohmann::ordered_json to_json(const std::vector<Measurement>& all, int threads);

}  // namespace tessera::bench
