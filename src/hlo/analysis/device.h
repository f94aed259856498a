// SPDX-License-Identifier: Apache-2.0
/// \file
/// The kind of device that a program was compiled for.
#pragma once

#include <cstdint>
#include <string_view>

#include "tessera/hlo/module.h"

namespace tessera {

/// The kind of device whose compiler wrote a program; unknown before optimization.
enum class DeviceKind : std::uint8_t { unknown, cpu, gpu, tpu };

/// `unknown`, `CPU`, `GPU`, `TPU`.
std::string_view to_string(DeviceKind kind);

/// The device that the text names: by the targets of custom calls, backend configurations, the kind of a
/// fusion (only the compiler for GPUs writes kInput), and tiles of T(8,128). Unknown if nothing, or more than
/// one device, is named. O(text).
DeviceKind device_of(const HloModule& module);

}  // namespace tessera
