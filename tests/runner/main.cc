// SPDX-License-Identifier: Apache-2.0
// tessera-vectors PATH... [--only ID] [--skip ID] [--every-check]: checks files of vectors, which have one
// JSON object per line. Prints the skipped vectors. An unknown ID is a failure, and with --every-check a
// check that no vector needs.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <string>
#include <vector>

#include "runner/check.h"

namespace tessera::vectors {
namespace {

namespace fs = std::filesystem;

constexpr const char* kUsage = "usage: tessera-vectors PATH... [--only ID] [--skip ID] [--every-check]\n";

struct Totals {
  std::size_t passed = 0;
  std::size_t failed = 0;
};

struct Choice {
  std::set<std::string> only;  // if empty, all
  std::set<std::string> skip;

  bool judges(const std::string& id) const {
    return (only.empty() || only.contains(id)) && !skip.contains(id);
  }
};

struct Failure {
  std::string id;
  VectorResult result;
};

struct FileReport {
  Totals totals;
  std::vector<Failure> failures;
  std::vector<std::string> skipped;
  std::set<std::string> met;  // the ids of all rows so far

  void add(std::string id, VectorResult result) {
    if (result.passed) {
      ++totals.passed;
      return;
    }
    ++totals.failed;
    failures.push_back({std::move(id), std::move(result)});
  }
};

FileReport judge_file(const fs::path& path, const std::string& folder, const Choice& choice) {
  FileReport report;
  std::ifstream in(path);
  if (!in) {
    report.add("(file)", VectorResult::fail("a readable file", "cannot be opened"));
    return report;
  }
  const auto check = make_check(folder, path.filename().string());
  std::string line;
  std::size_t number = 0;
  bool all_rows = true;
  while (std::getline(in, line)) {
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    std::string id = "line " + std::to_string(number);
    VectorResult result;
    try {
      const Json row = Json::parse(line);
      if (row.is_object() && row.contains("id")) id = text_of(row, "id");
      report.met.insert(id);
      if (!choice.judges(id)) {
        all_rows = false;
        if (choice.skip.contains(id)) report.skipped.push_back(std::move(id));
        continue;
      }
      note_judged(folder, path.filename().string(), row);
      result = check ? check->row(row)
                     : VectorResult::fail("a known kind of file",
                                          "no check knows " + folder + "/" + path.filename().string());
    } catch (const Json::exception& error) {
      result = VectorResult::fail("a row as its README describes", error.what());
    }
    report.add(std::move(id), std::move(result));
  }
  if (check && all_rows) {
    for (auto& [name, result] : check->whole_file()) report.add("(" + name + ")", std::move(result));
  }
  return report;
}

// The folder of a file selects its check: `indexing` for `.../vectors/indexing/expr.jsonl`.
std::string folder_of(const fs::path& path) {
  return fs::absolute(path).lexically_normal().parent_path().filename().string();
}

int run(const std::vector<std::string>& arguments) {
  std::vector<fs::path> files;
  Choice choice;
  bool every_check = false;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "--every-check") {
      every_check = true;
      continue;
    }
    if (arguments[i] == "--only" || arguments[i] == "--skip") {
      auto& ids = arguments[i] == "--only" ? choice.only : choice.skip;
      if (++i == arguments.size()) {
        std::cerr << "tessera-vectors: " << arguments[i - 1] << " needs an id\n";
        return 2;
      }
      ids.insert(arguments[i]);
      continue;
    }
    if (arguments[i].starts_with("-")) {
      std::cerr << "tessera-vectors: unknown option " << arguments[i] << "\n" << kUsage;
      return 2;
    }
    std::error_code error;
    if (fs::is_directory(arguments[i], error)) {
      std::vector<fs::path> found;
      for (const auto& entry : fs::recursive_directory_iterator(arguments[i])) {
        if (entry.is_regular_file() && entry.path().extension() == ".jsonl") found.push_back(entry.path());
      }
      std::ranges::sort(found);
      files.insert(files.end(), found.begin(), found.end());
    } else {
      files.emplace_back(arguments[i]);
    }
  }
  if (files.empty()) {
    std::cerr << kUsage;
    return 2;
  }
  Totals totals;
  std::set<std::string> not_met = choice.skip;
  not_met.insert(choice.only.begin(), choice.only.end());
  for (const fs::path& path : files) {
    const std::string folder = folder_of(path);
    const FileReport report = judge_file(path, folder, choice);
    std::cout << folder << "/" << path.filename().string() << ": " << report.totals.passed << " passed, "
              << report.totals.failed << " failed\n";
    for (const Failure& failure : report.failures) {
      std::cout << "  " << failure.id << "\n    expected " << failure.result.expected << "\n    got      "
                << failure.result.got << "\n";
    }
    for (const std::string& id : report.skipped) {
      std::cout << "  " << id << "\n    skipped\n";
    }
    for (const std::string& id : report.met) not_met.erase(id);
    std::cout.flush();
    totals.passed += report.totals.passed;
    totals.failed += report.totals.failed;
  }
  std::cout << totals.passed << " passed, " << totals.failed << " failed\n";
  for (const std::string& id : not_met) std::cout << "no vector has the id: " << id << "\n";
  const std::vector<std::string> unused = every_check ? unused_checks() : std::vector<std::string>();
  for (const std::string& name : unused) std::cout << "no vector for the check " << name << "\n";
  return totals.failed == 0 && not_met.empty() && unused.empty() ? 0 : 1;
}

}  // namespace
}  // namespace tessera::vectors

int main(int argc, char** argv) { return tessera::vectors::run({argv + 1, argv + argc}); }
