// SPDX-License-Identifier: Apache-2.0
#include "runner/check.h"

#include <map>
#include <set>

namespace tessera::vectors {
namespace {

using Key = std::pair<std::string, std::string>;

struct Entry {
  MakeCheck make;
  std::set<std::string> unused_ops;
  bool used = false;
};

std::map<Key, Entry>& registry() {
  static std::map<Key, Entry> checks;
  return checks;
}

Entry* entry_for(std::string_view folder, std::string_view file) {
  for (const std::string_view name : {file, std::string_view("*")}) {
    const auto found = registry().find({std::string(folder), std::string(name)});
    if (found != registry().end()) return &found->second;
  }
  return nullptr;
}

}  // namespace

Register::Register(std::string folder, std::string file, MakeCheck make,
                   const std::vector<std::string>& ops) {
  registry().emplace(Key(std::move(folder), std::move(file)),
                     Entry{std::move(make), {ops.begin(), ops.end()}});
}

std::unique_ptr<Check> make_check(std::string_view folder, std::string_view file) {
  const Entry* entry = entry_for(folder, file);
  return entry == nullptr ? nullptr : entry->make();
}

void note_judged(std::string_view folder, std::string_view file, const Json& row) {
  if (Entry* entry = entry_for(folder, file)) {
    entry->used = true;
    entry->unused_ops.erase(text_of(row, "op"));
  }
}

std::vector<std::string> unused_checks() {
  std::vector<std::string> out;
  for (const auto& [key, entry] : registry()) {
    const std::string name = key.first + "/" + key.second;
    if (!entry.used) {
      out.push_back(name);
    } else {
      for (const std::string& op : entry.unused_ops) out.push_back(name + ": " + op);
    }
  }
  return out;
}

std::string text_of(const Json& row, std::string_view field) {
  const auto found = row.find(std::string(field));
  if (found == row.end()) return "";
  return found->is_string() ? found->get<std::string>() : found->dump();
}

VectorResult unknown_op(const Json& row) {
  return VectorResult::fail("a known op", "unknown op '" + text_of(row, "op") + "'");
}

}  // namespace tessera::vectors
