// SPDX-License-Identifier: Apache-2.0
#include "tessera/relayout/relayout.h"

#include <memory>

#include "relayout/plan/plan.h"

namespace tessera {

Result<void> relayout(const Layout& from, const Layout& to, Index element_bytes,
                      std::span<const std::byte> src, std::span<std::byte> dst, const PlanOptions& options) {
  moving::State state;
  if (auto built = moving::build_plan(state, from, to, element_bytes, options); !built) return built;
  // A shared_ptr without ownership: the state on the stack outlives the plan.
  const RelayoutPlan plan(std::shared_ptr<const moving::State>(std::shared_ptr<void>(), &state));
  return run_checked(plan, src, dst);
}

}  // namespace tessera
