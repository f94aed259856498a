// SPDX-License-Identifier: Apache-2.0
/// \file
/// The type of an HLO value with its text.
#pragma once

#include "tessera/notation/hlo_type.h"
#include "tessera/text/xla_shape.h"
