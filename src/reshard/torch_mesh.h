// SPDX-License-Identifier: Apache-2.0
/// \file
/// PyTorch's DeviceMesh as text.
#pragma once

#include <string>

#include "reshard/reader.h"

namespace tessera::detail {

struct TorchMesh {
  PlaceMesh mesh;
  bool named = false;
};

/// Reads `DeviceMesh((dp=2, tp=4))`, `DeviceMesh([[0, 1], [2, 3]])` and what PyTorch prints for them.
Result<TorchMesh> read_torch_mesh(DistributionScanner& in);

/// Canonical text: sizes, with strides where the places are not row-major, nested lists where no strides give
/// them.
std::string torch_mesh_text(const TorchMesh& torch);

}  // namespace tessera::detail
