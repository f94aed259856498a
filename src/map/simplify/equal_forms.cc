// SPDX-License-Identifier: Apache-2.0
#include "expr/form/convert.h"
#include "expr/form/refine.h"
#include "map/simplify/environment.h"
#include "tessera/map/map_algebra.h"

namespace tessera {

using detail::ConstraintSystem;
using detail::Form;
using detail::Workspace;

std::optional<bool> equal_forms(const IndexMap& a, const IndexMap& b) {
  if (a.dim_count() != b.dim_count() || a.range_count() != b.range_count() ||
      a.runtime_count() != b.runtime_count() || a.results().size() != b.results().size()) {
    return false;
  }
  if (a == b) return true;
  for (const IndexMap* map : {&a, &b}) {
    if (detail::too_deep(map->constraints(), map->results())) return std::nullopt;
  }
  const detail::BorrowedWorkspace borrowed;
  Workspace& ws = *borrowed;
  std::optional<Domain> domains[2];
  std::size_t at = 0;
  // The second domain comes last, because its environment is then used for the results of both maps.
  for (const IndexMap* map : {&a, &b}) {
    detail::start(ws, map->domain(),
                  detail::work_for(map->constraints(), map->results()) + detail::work_for({}, a.results()));
    ConstraintSystem system(ws, map->domain());
    if (!map->known_empty() && system.solve())
      domains[at] = detail::spelled_domain(ws, map->domain(), system);
    if (ws.stopped()) return std::nullopt;
    system.set_facts();
    ++at;
  }
  if (!domains[0] && !domains[1]) return true;
  if (!domains[0] || !domains[1] || !(*domains[0] == *domains[1])) return std::nullopt;
  for (std::size_t i = 0; i < a.results().size(); ++i) {
    const Form* first = detail::refine(ws, detail::convert(ws, a.results()[i]));
    const Form* second = detail::refine(ws, detail::convert(ws, b.results()[i]));
    if (first != second) return std::nullopt;
  }
  return ws.stopped() ? std::nullopt : std::optional(true);
}

}  // namespace tessera
