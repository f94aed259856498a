// SPDX-License-Identifier: Apache-2.0
/// \file
/// Helpers for the rules of collectives.
#pragma once

#include "hlo/ops/rule.h"

namespace tessera::detail {

/// Whether the result belongs to this operand: with several operands each result belongs to one.
bool same_place(const OpQuery& query);

/// A -start gives (operands, results, contexts...): the operands come back unchanged, `rule` answers for the
/// results.
IndexingSet of_results(const OpQuery& query, IndexingSet (*rule)(const OpQuery&));

}  // namespace tessera::detail
