// SPDX-License-Identifier: Apache-2.0
/// \file
/// Helpers for the rules of collectives.
#pragma once

#include "hlo/ops/rule.h"

namespace tessera::detail {

/// Whether the queried output is the result for the queried operand: with several operands, each has its own.
bool same_place(const OpQuery& query);

/// The maps of a -start, whose type is (operands, results, contexts...): the identity for the operands, those
/// of `rule` for the results.
IndexingSet of_results(const OpQuery& query, IndexingSet (*rule)(const OpQuery&));

}  // namespace tessera::detail
