// SPDX-License-Identifier: Apache-2.0
/// \file
/// The steps of make_plan.
#pragma once

#include <optional>

#include "relayout/refine.h"
#include "relayout/state.h"
#include "tessera/base/result.h"

namespace tessera::moving {

/// Makes the plan in a newly constructed state; the errors are make_plan's. Does not allocate for digits on
/// both sides, at most six dimensions and four parts without tables.
Result<void> build_plan(State& state, const Layout& src, const Layout& dst, Index element_bytes,
                        const PlanOptions& options);

/// Smallest and largest offset in bytes at which an element begins; nothing if they leave 64 bits.
std::optional<std::pair<Index, Index>> offset_range(const Digits& digits, Index element_bytes);

/// The digits of a layout that has some: with few indices from their offsets, with more from its text and its
/// shortest form.
std::optional<Digits> digits_of(const Layout& layout);

/// The parts of a copy between digit forms of one shape without an extent 0. False if a table would be too
/// long or there would be too many parts; then nothing is added.
bool build_from_digits(State& state, const Digits& src, const Digits& dst);

/// The parts, or the last resort, for layouts of which one has no digits.
void build_from_layouts(State& state, const Layout& src, const Layout& dst);

/// Error `broadcast` with two indices that share an offset, `undecided` if that is not known.
Result<void> check_injective(const Digits& dst);
Result<void> check_injective(const Layout& dst);

/// True if the digits, by stride, each step over all smaller ones: then distinct digit values have distinct
/// offsets. Sufficient, not necessary. O(digits log digits).
bool is_nested(const Digits& digits);

/// The padding that parts may overwrite if it may become anything: the rest of the last line after each
/// stretch of the destination. Nothing if the digits are not nested.
void add_slack(State& state, const Digits* dst, Index elements);

/// Whether slack of the part is padding, by the digits of the destination alone: sufficient, not necessary.
bool slack_is_padding(const Part& part, const Layout& dst, Index element_bytes);

/// Parts that write the pattern to all offsets in [0, elements) that hold no element. Without digits, or if
/// they are not nested, or if there are too many of these parts, the whole buffer is written first and the
/// plan becomes one chunk.
void add_padding(State& state, const Digits* dst, Index elements);

}  // namespace tessera::moving
