// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a verb tells its caller before it answers.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "tessera/base/result.h"

namespace tessera::verbs {

/// The caller's side of a question that takes time or reads files. Each function may be called many times,
/// from the thread that asks.
class Observer {
 public:
  virtual ~Observer() = default;
  /// A file that the request names has this problem. If it is a warning, an answer may follow.
  virtual void found(const Diagnostic& /*problem*/, const std::shared_ptr<const Source>& /*source*/) {}
  /// Work is at `done` of `total`.
  virtual void advanced(std::string_view /*stage*/, std::uint64_t /*done*/, std::uint64_t /*total*/) {}
};

}  // namespace tessera::verbs
