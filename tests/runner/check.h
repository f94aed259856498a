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

/// The result of one vector. `expected` and `got` are printed if it fails.
struct VectorResult {
  bool passed = false;
  std::string expected = {};
  std::string got = {};

  static VectorResult pass() { return {.passed = true}; }
  static VectorResult fail(std::string expected, std::string got) {
    return {false, std::move(expected), std::move(got)};
  }
  static VectorResult when(bool passed, std::string expected, std::string got) {
    return {passed, std::move(expected), std::move(got)};
  }
};

/// Judges the rows of one file, in order. One object judges the whole file, so it may keep counts.
class Check {
 public:
  virtual ~Check() = default;
  virtual VectorResult row(const Json& row) = 0;
  /// The results of checks of the whole file, by name. Each counts as one vector.
  virtual std::vector<std::pair<std::string, VectorResult>> whole_file() { return {}; }
};

using MakeCheck = std::function<std::unique_ptr<Check>()>;

/// The check for a file of a folder. If it is null, all rows of the file fail.
std::unique_ptr<Check> make_check(std::string_view folder, std::string_view file);

/// Registers a check at program start. The file name `*` means every file of the folder without its own
/// check.
struct Register {
  /// `ops` lists the values of `op` that the check judges, if it should be known whether each of them occurs.
  Register(std::string folder, std::string file, MakeCheck make, const std::vector<std::string>& ops = {});
};

/// Notes that a row was judged.
void note_judged(std::string_view folder, std::string_view file, const Json& row);
/// The registered checks, or their ops, that judged no row yet: `indexing/tile.jsonl`, `cute/*: coalesce`.
std::vector<std::string> unused_checks();

/// A check that judges each row by one function.
class RowCheck : public Check {
 public:
  explicit RowCheck(VectorResult (*judge)(const Json&)) : judge_(judge) {}
  VectorResult row(const Json& row) override { return judge_(row); }

 private:
  VectorResult (*judge_)(const Json&);
};

/// `const Register kExpr = row_check("indexing", "expr.jsonl", judge);`
inline Register row_check(std::string folder, std::string file, VectorResult (*judge)(const Json&),
                          const std::vector<std::string>& ops = {}) {
  return Register(
      std::move(folder), std::move(file), [judge] { return std::make_unique<RowCheck>(judge); }, ops);
}

/// A field of a row, as text: strings without quotes, everything else as JSON.
std::string text_of(const Json& row, std::string_view field);

/// The result for a row with an unknown `op`.
VectorResult unknown_op(const Json& row);

}  // namespace tessera::vectors
