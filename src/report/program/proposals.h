// SPDX-License-Identifier: Apache-2.0
/// \file
/// Changes of a program that its maps prove possible: steps that one pass could compute, and layouts that
/// make copies unnecessary.
#pragma once

#include <vector>

#include "report/program/program_report.h"
#include "report/program/step_clock.h"
#include "report/program/step_index.h"
#include "report/program/waste.h"

namespace tessera::detail {

/// Pairs of steps of which the second reads each element of the first's result once, and nothing else reads
/// it: one pass computes both without computing anything twice, and the array between them is not stored.
/// Both are fusions of loops or single operations, or the first is a product outside libraries; second
/// products, library calls, collectives, and what updates in place are left out, as is all of a program
/// without fusions, of which the compiler will still fuse more. In the order of the steps. `bytes` are a
/// bound from 0 on if something may write over an operand of the first step, which the one pass may need to
/// read later. Cost: O(operands of all steps).
std::vector<Waste> fusion_proposals(const ReportedModule& module, const StepIndex& index,
                                    const StepClock& clock);

/// For the arrays that copies and transposes read, if the steps that write them can choose their order: the
/// layouts in which they would have to be written so that the most bytes of the movements become bitcasts,
/// less the bytes of the other steps that read the arrays as they are. Arrays between which a movement leads
/// are chosen together (layout_choice.h) and are one proposal; only choices that gain. The lower bound of
/// `bytes` is what is left if each other step copies its array back.
std::vector<Waste> layout_proposals(const ReportedModule& module, const StepIndex& index,
                                    const StepClock& clock);

}  // namespace tessera::detail
