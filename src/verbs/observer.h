// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a verb tells its caller before it answers.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "tessera/base/result.h"

namespace tessera {
class Evaluator;
namespace eval {
class SizedVariables;
}
}  // namespace tessera

namespace tessera::verbs {

class VerbAnswer;

/// In place of a field: the error is one that the observer has got with the file in which it is.
inline constexpr std::string_view kInFile = "<file>";

/// The caller's side of a question that takes time or reads files. Each function may be called many times,
/// from the thread that asks.
class Observer {
 public:
  virtual ~Observer() = default;
  /// A file that the request names has this problem. If it is a warning, an answer may follow.
  virtual void found(const Diagnostic& /*problem*/, const std::shared_ptr<const Source>& /*source*/) {}
  /// The text of a field, as errors name it. Defined here, so that every program that derives from this class
  /// has its type information, which the library may be compiled without.
  virtual std::shared_ptr<const Source> source_of(std::string_view field, const std::string& text) {
    return std::make_shared<const Source>("<" + std::string(field) + ">", text);
  }
  /// A remark about the request, before work that may take long.
  virtual void noted(const std::string& /*hint*/) {}
  /// A part of the answer. True: the caller has shown it, so that the answer need not keep it.
  virtual bool took(const VerbAnswer& /*part*/) { return false; }
  /// Work is at `done` of `total`, which is 0 if it is not known. Also from other threads, but never from two
  /// at once.
  virtual void advanced(std::string_view /*stage*/, std::uint64_t /*done*/, std::uint64_t /*total*/) {}
  /// Whether the answer will be read as JSON, which may have what the text leaves out.
  virtual bool reads_json() const { return true; }
  /// Whether the caller no longer wants the answer. Searches and copies ask often, from the
  /// thread that asks the verb.
  virtual bool cancelled() { return false; }

  /// The variables of `eval`, which keeps them for the caller's next question.
  std::shared_ptr<Evaluator> evaluator = nullptr;
  /// Those of its variables that depend on sizes.
  std::shared_ptr<tessera::eval::SizedVariables> sized_variables = nullptr;
};

}  // namespace tessera::verbs
