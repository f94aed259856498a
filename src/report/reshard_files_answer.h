// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reports of a resharded checkpoint, as text and as JSON.
#pragma once

#include <string>

#include "tessera/transfer/reshard_files.h"
#include "transfer/file_plan.h"

namespace tessera {

/// As `numbering` of the distributions of both sides; empty for whole tensors and for the rules of a recipe.
struct SidesNumbering {
  std::string from = {};
  std::string to = {};
};

struct ReshardFilesAnswer {
  std::string source;
  std::string target;
  ReshardFilesReport report;
  SidesNumbering numbering = {};
};

/// Files, tensors and bytes, the rate, and the checks that were made.
std::string to_text(const ReshardFilesAnswer& answer);
/// `{"schema": "tessera.reshard/1", ...}`. One line.
std::string to_json(const ReshardFilesAnswer& answer);

/// What a plan would do: each new tensor with its file, shape and sources. For concatenated dimensions, also
/// their runs.
std::string plan_text(const std::string& target, const transfer::FilePlan& plan);
std::string plan_json(const std::string& target, const transfer::FilePlan& plan,
                      const SidesNumbering& numbering);

/// `HASH  FILE#TENSOR` for each tensor: XXH3-64 of its bytes.
std::string checksums_text(const ReshardFilesReport& report);

}  // namespace tessera
