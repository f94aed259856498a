// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reports of copies and plans, as text and as JSON.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tessera/relayout/plan.h"
#include "tessera/transfer/copy.h"
#include "transfer/code_side.h"

namespace tessera {

/// An array of a copy, as text.
struct CopiedArray {
  std::string layout;
  std::string type;  ///< empty: not known
  Index element_bits = 0;
};
CopiedArray copied_array(const Tensor& tensor);
CopiedArray copied_array(const CodeSide& side);

/// A finished copy.
struct CopyAnswer {
  TensorPath from;
  CopiedArray source;
  TensorPath to;
  CopiedArray destination;
  CopyReport report;
  std::vector<Index> transpose = {};  ///< source axes in the destination's order; empty if unchanged
  std::string recode = {};            ///< `add=1`; empty if codes are unchanged
};

/// One line each for the layouts, for elements, bytes, time and rate, and for the result of the verification.
std::string to_text(const CopyAnswer& answer);

/// `{"schema": "tessera.copy/1", "status": 0, "source": {…}, "destination": {…}, "elements": …, …}`. One
/// line, no line break.
std::string to_json(const CopyAnswer& answer);

/// `{"schema": "tessera.plan/1", "status": 0, "source": …, "destination": …, …, "plan": …}`.
std::string to_json(const RelayoutPlan& plan, const Layout& source, const Layout& destination);

/// `{"schema": "tessera.VERB/1", "status": 0, "isas": ["scalar", …]}`.
std::string isas_to_json(std::string_view verb);

/// `512 B`, `64.0 MB`, `2.15 GB`.
std::string bytes_text(double bytes);

}  // namespace tessera
