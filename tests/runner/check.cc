// SPDX-License-Identifier: Apache-2.0
#include "runner/check.h"

#include <map>

namespace tessera::vectors {
namespace {

using Key = std::pair<std::string, std::string>;

std::map<Key, MakeCheck>& registry() {
  static std::map<Key, MakeCheck> checks;
  return checks;
}

}  // namespace

Register::Register(std::string folder, std::string file, MakeCheck make) {
  registry().emplace(Key(std::move(folder), std::move(file)), std::move(make));
}

std::unique_ptr<Check> make_check(std::string_view folder, std::string_view file) {
  for (const std::string_view name : {file, std::string_view("*")}) {
    const auto found = registry().find({std::string(folder), std::string(name)});
    if (found != registry().end()) return found->second();
  }
  return nullptr;
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
