// SPDX-License-Identifier: Apache-2.0
/// \file
/// PyTorch's DeviceMesh as text.
#pragma once

#include <string>

#include "reshard/distribution_scanner.h"
#include "tessera/reshard/distribution.h"

namespace tessera::detail {

struct TorchMesh {
  PlaceMesh mesh;
  bool named = false;
  bool assumes_order = false;  ///< the text has neither ranks nor strides
};

/// Reads `DeviceMesh((dp=2, tp=4))`, `DeviceMesh([[0, 1], [2, 3]])` and the texts that PyTorch prints for
/// such meshes.
Result<TorchMesh> read_torch_mesh(DistributionScanner& in);

/// The canonical text: sizes, with strides if the places are not row-major, or nested lists if no strides
/// give the places.
std::string torch_mesh_text(const TorchMesh& torch);

}  // namespace tessera::detail
