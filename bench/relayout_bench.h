// SPDX-License-Identifier: Apache-2.0
/// \file
/// `tessera-bench relayout`.
#pragma once

namespace tessera::bench {

/// What the words behind `relayout` ask for. Returns the exit code: 1 where a copy was wrong.
int relayout_main(int argc, char** argv);

}  // namespace tessera::bench
