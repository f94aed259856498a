// SPDX-License-Identifier: Apache-2.0
/// \file
/// Where the diagnostics of a text are collected.
#pragma once

#include <cstddef>
#include <vector>

#include "tessera/base/diagnostic.h"

namespace tessera::detail {

/// Collects diagnostics up to a number, and counts the others.
class DiagnosticSink {
 public:
  explicit DiagnosticSink(std::size_t limit) : limit_(limit) {}
  void add(Diagnostic diagnostic);
  std::size_t errors() const { return errors_; }
  /// In the order of their places, one error a place, with a note on the ones left out.
  std::vector<Diagnostic> take();

 private:
  std::size_t limit_;
  std::size_t errors_ = 0;
  std::size_t left_out_ = 0;
  std::vector<Diagnostic> list_;
};

}  // namespace tessera::detail
