// SPDX-License-Identifier: Apache-2.0
#include "runner/hlo.h"

#include <fmt/core.h>

#include <algorithm>

#include "runner/maps.h"

namespace tessera::vectors {
namespace {

// Compares with runtime entry i of the vector: the variable by name, its source and, if given, its map.
std::string runtime_mismatch(const Json& wanted, const Indexing& got, const HloModule& module, Match match) {
  if (wanted.size() != got.runtime.size()) {
    return fmt::format("{} runtime values instead of {}", got.runtime.size(), wanted.size());
  }
  for (std::size_t i = 0; i < got.runtime.size(); ++i) {
    const RuntimeValue& value = got.runtime[i];
    const std::string source = text_of(wanted[i], "source");
    const bool names_instruction = module.entry->find(source) != nullptr;
    if (names_instruction ? value.source == nullptr || value.source->name != source
                          : value.source != nullptr || value.text.empty()) {
      return fmt::format("runtime value {} comes from {}", i,
                         value.source != nullptr ? value.source->name : std::string_view(value.text));
    }
    if (!wanted[i].contains("map")) continue;
    const auto map = read_answer(text_of(wanted[i], "map"));
    if (!map) return "a runtime map of the vector cannot be read";
    if (const std::string why = mismatch(*map, value.map, match); !why.empty()) {
      return fmt::format("runtime map {} is {} [{}]", i, to_string(value.map), why);
    }
  }
  return "";
}

std::string replica_mismatch(const Json& wanted, const Indexing& got, Match match) {
  if (wanted.size() != got.replica.size()) {
    return fmt::format("{} replica maps instead of {}", got.replica.size(), wanted.size());
  }
  for (std::size_t i = 0; i < got.replica.size(); ++i) {
    const auto map = read_answer(wanted[i].get<std::string>());
    if (!map) return "a replica map of the vector cannot be read";
    if (const std::string why = mismatch(*map, got.replica[i].map, match); !why.empty()) {
      return fmt::format("replica map {} is {} [{}]", i, to_string(got.replica[i].map), why);
    }
  }
  return "";
}

std::string indexing_mismatch(const Json& wanted, const std::string& match_word, const Indexing& got,
                              const HloModule& module) {
  const std::string text = wanted.is_string() ? wanted.get<std::string>() : text_of(wanted, "map");
  if (text == "UNDEFINED") {
    return got.exactness == Exactness::unknown && !got.reason.empty() ? "" : "not unknown with a reason";
  }
  if (got.exactness == Exactness::unknown) return "unknown: " + got.reason;
  if (match_word == "reason-present" && (got.exactness != Exactness::superset || got.reason.empty())) {
    return "not a superset with a reason";
  }
  const Match match = match_word == "exact" || match_word == "xla-compat" ? Match::exact
                      : match_word == "equivalent-and-not-larger"         ? Match::equivalent_and_not_larger
                                                                          : Match::equivalent;
  const auto map = read_answer(text);
  if (!map) return "the map of the vector cannot be read";
  if (const std::string why = mismatch(*map, got.map, match); !why.empty()) return why;
  if (!wanted.is_object()) return "";
  if (wanted.contains("results") && wanted.at("results").get<std::size_t>() != got.map.results().size()) {
    return fmt::format("{} results", got.map.results().size());
  }
  if (wanted.contains("runtime")) {
    // The intervals of runtime variables are part of the pairing.
    const auto& expected_map = std::get<IndexMap>(*map);
    for (std::size_t v = 0; match_word == "exact-pairing" && v < expected_map.variables().size(); ++v) {
      if (expected_map.variables()[v].bounds != got.map.variables()[v].bounds) return "another interval";
    }
    if (const std::string why = runtime_mismatch(wanted.at("runtime"), got, module, match); !why.empty())
      return why;
  }
  return wanted.contains("replica") ? replica_mismatch(wanted.at("replica"), got, match) : "";
}

std::string to_text(const Indexing& indexing) {
  if (indexing.exactness == Exactness::unknown) return "unknown: " + indexing.reason;
  std::string out = to_string(indexing.map);
  for (const RuntimeValue& value : indexing.runtime) {
    out += fmt::format("; runtime {} {}",
                       value.source != nullptr ? value.source->name : std::string_view(value.text),
                       to_string(value.map));
  }
  for (const ReplicaHop& hop : indexing.replica) out += "; replica " + to_string(hop.map);
  return out;
}

}  // namespace

std::string to_text(const IndexingSet& set) {
  std::string out = "{";
  for (const Indexing& indexing : set) out += (out.size() > 1 ? " | " : "") + to_text(indexing);
  return out + "}";
}

Program read_program(const std::string& text) {
  Program program{parse_hlo(std::string_view(text))};
  for (const Diagnostic& diagnostic : program.parsed.diagnostics) {
    if (diagnostic.severity == Severity::error) {
      program.error = to_string(diagnostic);
      return program;
    }
  }
  if (program.parsed.modules.size() != 1 || program.module().entry == nullptr ||
      program.module().entry->root == nullptr) {
    program.error = "not one module with an entry";
  }
  return program;
}

VectorResult judge_indexings(const Json& expected, const std::string& match, const IndexingSet& got,
                             const HloModule& module) {
  const char* const known[] = {"exact",         "xla-compat",    "equivalent", "equivalent-and-not-larger",
                               "exact-pairing", "reason-present"};
  if (std::ranges::find(known, match) == std::end(known)) return VectorResult::fail("a known match", match);
  std::string why;
  if (expected.size() != got.size()) why = fmt::format("{} maps instead of {}", got.size(), expected.size());
  std::vector<bool> taken(got.size());
  for (const Json& wanted : expected) {
    bool found = false;
    std::string nearest;
    for (std::size_t i = 0; i < got.size() && !found; ++i) {
      if (taken[i]) continue;
      nearest = indexing_mismatch(wanted, match, got[i], module);
      found = nearest.empty();
      if (found) taken[i] = true;
    }
    if (!found && why.empty()) why = nearest.empty() ? "one map is missing" : nearest;
  }
  return VectorResult::when(why.empty(), expected.dump(), to_text(got) + "  [" + why + "]");
}

}  // namespace tessera::vectors
