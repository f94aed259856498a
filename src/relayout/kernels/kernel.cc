// SPDX-License-Identifier: Apache-2.0
// Kernel selection in builds without Highway; targets.cc has the version for builds with Highway.
#include "relayout/kernels/kernel.h"

#include "relayout/kernels/scalar.h"
#include "tessera/relayout/plan.h"

#if !TESSERA_HAVE_HWY
namespace tessera::moving {

Kernel kernel_for(const Sweep& /*sweep*/, Isa /*isa*/) { return &scalar_kernel; }

bool isa_available(Isa isa) { return isa == Isa::automatic || isa == Isa::scalar; }

Isa best_isa() { return Isa::scalar; }

}  // namespace tessera::moving
#endif
