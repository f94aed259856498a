// SPDX-License-Identifier: Apache-2.0
/// \file
/// The contents of files, as tables and as JSON: the answers of `tessera info`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "files/tensor_values.h"
#include "tessera/base/result.h"
#include "tessera/files/tensor_file.h"
#include "tessera/hlo/module.h"

namespace tessera {

/// A parameter or a result of a program: one array, token or other part that is not a tuple.
struct EntryValue {
  std::string name;            ///< parameter: `x`; tuple element: `x{0,1}`; result: `{0,1}`
  std::string type;            ///< with its layout
  std::optional<Index> bytes;  ///< size of the array in memory, with padding; empty if unknown
};

/// The counts and the entry of a module. Names are views of the module's source.
struct ModuleInfo {
  std::string_view name;
  std::size_t computations = 0;
  std::size_t instructions = 0;
  std::string_view entry = {};  ///< empty if there is none
  std::vector<EntryValue> parameters = {};
  std::vector<EntryValue> results = {};
};

/// The counts and the entry of a module. O(parts of the entry's types).
ModuleInfo info_of(const HloModule& module);

/// One line about the file, then a table with one line per tensor or entry value. Each line ends with a line
/// break.
std::string to_text(const std::string& path, const TensorListing& listing);
std::string to_text(const std::string& path, const std::vector<ModuleInfo>& modules);

/// The chosen values of a tensor, a line for each row.
std::string to_text(const std::string& path, const TensorValues& values);
std::string to_json(const std::string& path, const TensorValues& values);

/// `{"schema": "tessera.info/1", "status": 0, "path": ..., "format": ..., ...}`: docs/lookup/json.md has the
/// keys. One line, no line break.
std::string to_json(const std::string& path, const TensorListing& listing);
std::string to_json(const std::string& path, const std::vector<ModuleInfo>& modules);

}  // namespace tessera
