// SPDX-License-Identifier: Apache-2.0
/// \file
/// One check per vector file. The check registered for `<dir>/<name>.jsonl` judges that file; to add a
/// folder, add a .cc file here that registers its checks.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera::vectors {

using Json = nlohmann::json;

/// An array of integers.
inline std::vector<std::int64_t> indices(const Json& value) { return value.get<std::vector<std::int64_t>>(); }

/// The outcome of one vector. `expected` and `got` are printed if it fails.
struct Outcome {
  bool passed = false;
  std::string expected = {};
  std::string got = {};

  static Outcome pass() { return {.passed = true}; }
  static Outcome fail(std::string expected, std::string got) {
    return {false, std::move(expected), std::move(got)};
  }
  static Outcome when(bool passed, std::string expected, std::string got) {
    return {passed, std::move(expected), std::move(got)};
  }
};

/// Judges the rows of one file, in order. Lives while the file is read, so it may count.
class Check {
 public:
  virtual ~Check() = default;
  virtual Outcome row(const Json& row) = 0;
  /// Checks of the file as a whole, by name; each counts as one vector.
  virtual std::vector<std::pair<std::string, Outcome>> whole_file() { return {}; }
};

using MakeCheck = std::function<std::unique_ptr<Check>()>;

/// The check for a file of a folder, or null: then all its rows fail.
std::unique_ptr<Check> make_check(std::string_view folder, std::string_view file);

/// Registers at program start. The file name `*` means every file of the folder without its own check.
struct Register {
  Register(std::string folder, std::string file, MakeCheck make);
};

/// A check that is one function of a row.
class RowCheck : public Check {
 public:
  explicit RowCheck(Outcome (*judge)(const Json&)) : judge_(judge) {}
  Outcome row(const Json& row) override { return judge_(row); }

 private:
  Outcome (*judge_)(const Json&);
};

/// `const Register kExpr = row_check("indexing", "expr.jsonl", judge);`
inline Register row_check(std::string folder, std::string file, Outcome (*judge)(const Json&)) {
  return Register(std::move(folder), std::move(file), [judge] { return std::make_unique<RowCheck>(judge); });
}

/// A field of a row, as text: strings bare, everything else as JSON.
std::string text_of(const Json& row, std::string_view field);

/// The outcome of a row with an unknown `op`.
Outcome unknown_op(const Json& row);

}  // namespace tessera::vectors
