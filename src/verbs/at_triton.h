// SPDX-License-Identifier: Apache-2.0
/// \file
/// The verb `at` for layouts of Triton: who holds an element, and what a register holds.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "base/json.h"
#include "tessera/base/result.h"
#include "tessera/notation/triton_layout.h"

namespace tessera::verbs {

/// An answer as a line and as JSON, or the input text and the error.
struct TritonAnswer {
  std::string line = {};
  Json json = {};
  std::string text = {};
  std::optional<Diagnostic> error = {};
};

/// The holders of an element `3,5`, the element in a place `T13:2` or `r2,l13,w0,b0`; in memory where the
/// element lies. Errors, each with its span: syntax, unknown_name, rank_mismatch, index_out_of_range.
Result<TritonAnswer> triton_answer(const TritonLayout& layout, const std::string& text);

}  // namespace tessera::verbs
