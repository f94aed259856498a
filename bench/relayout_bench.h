// SPDX-License-Identifier: Apache-2.0
/// \file
/// `tessera-bench relayout`.
#pragma once

namespace tessera::bench {

/// The arguments from `relayout` on. Returns the exit code: 1 if a copy was wrong, 2 for arguments that
/// are not known.
int relayout_main(int argc, char** argv);

}  // namespace tessera::bench
