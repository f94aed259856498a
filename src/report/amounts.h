// SPDX-License-Identifier: Apache-2.0
/// \file
/// Counts and times in tables.
#pragma once

#include <string>
#include <string_view>

#include "hlo/operations/work.h"
#include "hlo/time/roofline.h"
#include "report/json.h"

namespace tessera::detail {

/// `1184`, `<=1184`, `>=7`, `7..1184`.
std::string bounds_text(const Count& count);
/// `1 flop`, `2 flops`, `<=8 flops`.
std::string bounds_text(const Count& count, std::string_view noun);

/// `12.30 us`, of a time that may be bounds: `1.00..2.00 us`, `>=1.00 us`.
std::string seconds_text(const Seconds& time);
std::string seconds_text(double seconds);

/// The operations by kind and type, most first: `bf16 products 128, f32 arithmetic 64`. Empty if there are
/// none.
std::string work_text(const Work& work);

/// `flops`, `integer_operations`, `transcendentals`, and `operations`, a list of kinds and types.
Json json_of(const Work& work);

/// {"lower": 0.5, "upper": 1}; null instead of an upper bound that is not known. Four digits.
Json json_of(const Seconds& time);

}  // namespace tessera::detail
