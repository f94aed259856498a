// SPDX-License-Identifier: Apache-2.0
/// \file
/// Collects the diagnostics of a text.
#pragma once

#include <cstddef>
#include <vector>

#include "tessera/base/result.h"

namespace tessera::detail {

/// Keeps diagnostics up to a limit and counts the rest.
class DiagnosticSink {
 public:
  explicit DiagnosticSink(std::size_t limit) : limit_(limit) {}
  void add(Diagnostic diagnostic);
  std::size_t errors() const { return errors_; }
  /// The diagnostics in text order, one error per place. A note counts those beyond the limit.
  std::vector<Diagnostic> take();

 private:
  std::size_t limit_;
  std::size_t errors_ = 0;
  std::size_t left_out_ = 0;
  std::vector<Diagnostic> list_;
};

}  // namespace tessera::detail
