// SPDX-License-Identifier: Apache-2.0
#include "hlo/analysis/device.h"

#include <algorithm>
#include <array>
#include <span>

#include "hlo/analysis/padding.h"

namespace tessera {
namespace {

struct Word {
  std::string_view text;
  DeviceKind device;
};

// How the targets of custom calls begin, without the quote.
constexpr std::array kTargets = {
    Word{"__cublas", DeviceKind::gpu},      Word{"__cudnn", DeviceKind::gpu},
    Word{"__cusolver", DeviceKind::gpu},    Word{"__gpu$", DeviceKind::gpu},
    Word{"__triton", DeviceKind::gpu},      Word{"triton_kernel_call", DeviceKind::gpu},
    Word{"cublas", DeviceKind::gpu},        Word{"cudnn", DeviceKind::gpu},
    Word{"cusolver", DeviceKind::gpu},      Word{"cusparse", DeviceKind::gpu},
    Word{"mosaic_gpu", DeviceKind::gpu},    Word{"hipblas", DeviceKind::gpu},
    Word{"hipsolver", DeviceKind::gpu},     Word{"tpu_custom_call", DeviceKind::tpu},
    Word{"TpuCustomCall", DeviceKind::tpu}, Word{"__onednn$", DeviceKind::cpu},
    Word{"__eigen", DeviceKind::cpu},       Word{"lapack_", DeviceKind::cpu},
    Word{"blas_", DeviceKind::cpu},
};

// Keys and kinds in a backend configuration.
constexpr std::array kConfigurations = {
    Word{"fusion_backend_config", DeviceKind::gpu},
    Word{"gemm_backend_config", DeviceKind::gpu},
    Word{"cudnn_", DeviceKind::gpu},
    Word{"operation_queue_id", DeviceKind::gpu},
    Word{"wait_on_operation_queues", DeviceKind::gpu},
    Word{"reification_cost", DeviceKind::gpu},
    Word{"__triton", DeviceKind::gpu},
    Word{"window_config", DeviceKind::tpu},
    Word{"scoped_memory_configs", DeviceKind::tpu},
    Word{"megacore", DeviceKind::tpu},
    Word{"outer_dimension_partitions", DeviceKind::cpu},
    Word{"onednn_", DeviceKind::cpu},
    Word{"__onednn", DeviceKind::cpu},
    Word{"__xnn", DeviceKind::cpu},
    Word{"__ynn", DeviceKind::cpu},
};

class Evidence {
 public:
  void add(DeviceKind kind) { found_[static_cast<std::size_t>(kind)] = true; }

  DeviceKind device() const {
    DeviceKind out = DeviceKind::unknown;
    for (const DeviceKind kind : {DeviceKind::cpu, DeviceKind::gpu, DeviceKind::tpu}) {
      if (!found_[static_cast<std::size_t>(kind)]) continue;
      if (out != DeviceKind::unknown) return DeviceKind::unknown;
      out = kind;
    }
    return out;
  }

 private:
  std::array<bool, 4> found_ = {};
};

}  // namespace

std::string_view to_string(DeviceKind kind) {
  constexpr std::array<std::string_view, 4> kNames = {"unknown", "CPU", "GPU", "TPU"};
  return kNames[static_cast<std::size_t>(kind)];
}

DeviceKind device_of(const HloModule& module) {
  Evidence evidence;
  for (const auto& computation : module.computations) {
    for (const auto& op : computation->instructions) {
      for (const Attribute& attribute : op->attributes) {
        std::string_view value = attribute.value;
        if (attribute.key == "custom_call_target") {
          if (value.starts_with('"')) value.remove_prefix(1);
          for (const Word& word : kTargets)
            if (value.starts_with(word.text)) evidence.add(word.device);
        } else if (attribute.key == "backend_config") {
          for (const Word& word : kConfigurations)
            if (value.find(word.text) != std::string_view::npos) evidence.add(word.device);
        } else if (attribute.key == "kind" && value == "kInput") {
          evidence.add(DeviceKind::gpu);
        }
      }
    }
  }
  if (tiling_rule_of(module) == TilingRule::tpu) evidence.add(DeviceKind::tpu);
  return evidence.device();
}

}  // namespace tessera
