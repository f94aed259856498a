// SPDX-License-Identifier: Apache-2.0
/// \file
/// `tessera-bench relayout`.
#pragma once

namespace tessera::bench {

/// Takes the arguments from `relayout` on. Returns the exit code: 1 if a copy was wrong, 2 for unknown
/// arguments.
int relayout_main(int argc, char** argv);

}  // namespace tessera::bench
