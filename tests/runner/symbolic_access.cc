// SPDX-License-Identifier: Apache-2.0
// The checks of `access.jsonl`: wavefronts by residue, at each residue and at each size of a row.
#include "access/symbolic/sized_wavefronts.h"
#include "runner/symbolic_rows.h"

namespace tessera::vectors {
namespace {

/// The value of the one case that holds at sizes, or what is wrong.
std::string value_at(const symbolic::SizedAnswer& answer, const SizeMap& at) {
  std::string out;
  for (const symbolic::SizedCase& c : answer.cases) {
    const Result<bool> here = c.condition.empty() ? Result<bool>(true) : truth_at(c.condition, at);
    if (!here) return "cannot read " + c.condition;
    if (!*here) continue;
    if (!out.empty()) return "two cases hold";
    out = c.kind == symbolic::SizedCase::Kind::value ? c.text : "no value: " + c.reason;
  }
  return out.empty() ? "no case holds" : out;
}

Result<symbolic::SizedAnswer> counted(const Json& row, const std::string& layout_text) {
  const auto layout = symbolic::SymbolicLayout::parse(layout_text);
  if (!layout) return fail(layout.error());
  symbolic::AssumptionList where;
  if (!row.value("where", "").empty()) {
    const auto list = symbolic::AssumptionList::parse(text_of(row, "where"));
    if (!list) return fail(list.error());
    where = *list;
  }
  const Access defaults{.tv = *parse_layout("1:0")};
  const auto got =
      symbolic::sized_wavefronts(*layout, {text_of(row, "threads")},
                                 {.element_bits = 8 * row.at("bytes").get<Index>()}, defaults, where);
  if (!got) return fail(got.error());
  return got->answers.answers[0];
}

}  // namespace

VectorResult judge_one_count(const Json& row) {
  const auto got = counted(row, text_of(row, "text"));
  if (!got) return unexpected_error("wavefronts", got.error());
  // "32 wavefronts for all N; with one word of padding, 1"
  const std::string right = text_of(row, "right");
  const std::string one = got->cases.size() == 1 ? got->cases[0].text : "several cases";
  return VectorResult::when(right.starts_with(one + " wavefronts for all"), right, one);
}

namespace {

VectorResult judge_access(const Json& row) {
  const auto got = counted(row, text_of(row, "layout"));
  if (!got) return unexpected_error("wavefronts", got.error());
  const symbolic::SizedAnswer& answer = *got;
  for (const Json& point : row.at("points")) {
    const std::string value = value_at(answer, size_map_of(point.at(0)));
    if (value != point.at(1).dump()) return VectorResult::fail(point.dump(), value);
  }
  // At several sizes of each residue; other sizes are as large as the assumptions allow.
  const auto modulus = row.at("modulus").get<Index>();
  for (const Json& group : row.at("wavefronts")) {
    for (const Json& residue : group.at("residues")) {
      for (const Index turns : {1, 2, 7}) {
        SizeMap at = size_map_of(row.at("points").back().at(0));
        at[text_of(row, "parameter")] = residue.get<Index>() + turns * modulus;
        const std::string value = value_at(answer, at);
        if (value != group.at("value").dump()) return VectorResult::fail(group.dump(), value);
      }
    }
  }
  return VectorResult::pass();
}

const Register kSymbolicAccess = row_check("symbolic", "access.jsonl", judge_access);

}  // namespace
}  // namespace tessera::vectors
