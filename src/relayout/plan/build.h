// SPDX-License-Identifier: Apache-2.0
/// \file
/// The steps of make_plan.
#pragma once

#include <optional>

#include "relayout/plan/refine.h"
#include "relayout/state.h"
#include "tessera/base/result.h"

namespace tessera::moving {

/// Fills a newly constructed state with the plan. Errors: those of make_plan. Does not allocate if both
/// layouts have digits, at most six dimensions, and the plan needs at most four parts and no tables.
Result<void> build_plan(State& state, const Layout& src, const Layout& dst, Index element_bytes,
                        const PlanOptions& options);

/// The smallest and largest byte offset at which an element begins; empty if one does not fit in 64 bits.
std::optional<std::pair<Index, Index>> offset_range(const Digits& digits, Index element_bytes);

/// The digits of a layout, if it has any. They are found from its offsets if there are few indices, otherwise
/// from its simplified map.
std::optional<Digits> digits_of(const Layout& layout);

/// Adds the parts of a copy between two digit forms of one shape, which has no extent 0. Returns false and
/// adds nothing if a table would be too long or there would be too many parts.
bool build_from_digits(State& state, const Digits& src, const Digits& dst);

/// Adds the parts of a copy between layouts of which at least one has no digits. If tables would be too long,
/// sets State::elementwise instead.
void build_from_layouts(State& state, const Layout& src, const Layout& dst);

/// Checks that no two indices of the destination share an offset. Errors: broadcast, with two such indices;
/// undecided.
Result<void> check_injective(const Digits& dst);
Result<void> check_injective(const Layout& dst);

/// For Padding::any: lets parts overwrite the padding between the end of each contiguous stretch and the end
/// of its cache line (Sweep::slack). Does nothing if the digits are not nested.
void add_slack(State& state, const Digits* dst, Index elements);

/// True if the digits of the destination prove that the part's slack is padding. False proves nothing.
bool slack_is_padding(const PlanPart& part, const Layout& dst, Index element_bytes);

/// Adds parts that fill every offset in [0, elements) without an element. If the destination has no nested
/// digits, or this takes too many parts, one part fills the whole buffer first and the plan becomes one
/// chunk.
void add_padding(State& state, const Digits* dst, Index elements);

}  // namespace tessera::moving
