// SPDX-License-Identifier: Apache-2.0
/// \file
/// The arguments of `tessera copy`, and copies of codes.
#pragma once

#include <optional>
#include <string>

#include "cli/tensor_options.h"
#include "tessera/notation/named_layout.h"

namespace tessera::cli {

struct CopyRequest : TensorOptions {
  std::string in;
  std::string out;
  std::string tensor;
  std::string shape;       // shape of raw data, if the layout is only an order (C or F)
  bool has_shape = false;  // an empty shape has one element
  std::string transpose;   // numpy.transpose's axes
  std::string memory = "1G";
  std::string plan;
  std::string recode;
  bool verify = false;
  bool dry_run = false;
  bool resume = false;
};

/// A copy whose layouts have names, or whose codes change.
struct CodesRequest {
  const CopyRequest& request;
  const TensorFile& file;
  TensorPath in;
  TensorPath out;
  std::optional<NamedOrLayout> from;
  std::optional<NamedOrLayout> to;
  ElementHint hint = {};
  Index memory_bytes = 0;
};

/// Whether the copy needs the options of codes: a layout with a name, or --recode.
bool is_code_copy(const CopyRequest& request, const TensorFile& file);

/// Reads a layout of any kind. Empty if the option is not given, or after an error, which sets `status`.
std::optional<NamedOrLayout> read_side(Session& session, const char* option, const std::string& text,
                                       int& status);

/// Copies, and writes the answer. Returns the exit status.
int copy_codes(Session& session, const CodesRequest& codes);

/// Calls `copy` with a function that shows the progress.
Result<CopyReport> with_progress(Session& session,
                                 const std::function<Result<CopyReport>(const CopyProgress&)>& copy);

}  // namespace tessera::cli
