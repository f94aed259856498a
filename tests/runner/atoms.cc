// SPDX-License-Identifier: Apache-2.0
// The file access/catalogue.jsonl: layouts of real hardware.
#include "tessera/notation/atoms.h"

#include <algorithm>

#include "base/index_walk.h"
#include "runner/check.h"
#include "tessera/notation/layout.h"

namespace tessera::vectors {
namespace {

Json extents(const std::vector<AtomAxis>& axes) {
  Json out = Json::array();
  for (const AtomAxis& axis : axes) out.push_back(axis.extent);
  return out;
}

bool same_function(const Layout& a, const Layout& b) {
  if (!std::ranges::equal(a.shape(), b.shape())) return false;
  std::vector<Index> index(a.rank(), 0);
  for (Index i = 0; i < a.size(); ++i, detail::next_index(index, a.shape())) {
    if (a.offset(index) != b.offset(index)) return false;
  }
  return true;
}

VectorResult judge_atom(const Json& row) {
  const Json& expect = row["expect"];
  if (text_of(row, "op") != "atom") return unknown_op(row);
  const std::string id = row["args"]["atom"].get<std::string>();
  const Atom* const atom = find_atom(id);
  const Result<Layout> layout = parse_layout("atom:" + id);
  if (atom == nullptr || !layout) return VectorResult::fail(expect.dump(), "no atom " + id);
  const Result<AtomCoverage> coverage = check_atom(*atom);
  if (!coverage) return VectorResult::fail(expect.dump(), to_string(coverage.error()));
  const std::string text = expect["layout"].get<std::string>();
  const Result<Layout> expected = parse_layout(text);
  // The texts may differ if the layouts are the same function.
  Json got = {{"layout", expected && same_function(*layout, *expected) ? text : to_string(*layout)},
              {"kind", to_string(atom->kind)},
              {"domain", extents(atom->domain)},
              {"codomain", extents(atom->codomain)},
              {"injective", coverage->injective},
              {"onto", coverage->onto},
              {"points", Json::array()}};
  for (const Json& point : expect["points"]) {
    const std::vector<Index> result = atom_result(*atom, layout->offset(indices(point[0])));
    got["points"].push_back({point[0], result.size() == 1 ? Json(result[0]) : Json(result)});
  }
  return VectorResult::when(got == expect, expect.dump(), got.dump());
}

const Register kAtoms = row_check("access", "catalogue.jsonl", judge_atom);

}  // namespace
}  // namespace tessera::vectors
