// SPDX-License-Identifier: Apache-2.0
// The chips that are known by name. Peak numbers of the makers' public data sheets, without sparsity. A
// number that a data sheet does not have is left out, and so is one on which sheets differ. The sheets of the
// H200 and the B200 do not say how large their caches are, and the two cores of the TPU v5p share none.
#include "hlo/time/chips.h"

namespace tessera::detail {
namespace {

constexpr double kGiga = 1e9;
constexpr double kTera = 1e12;
constexpr Index kMebi = Index{1} << 20;
constexpr auto kProduct = OperationKind::product;
constexpr auto kArithmetic = OperationKind::arithmetic;

// Rates of f32 products are those of TF32, which XLA uses for dots of the default precision.
std::map<Work::Key, double> hopper_rates() {
  return {{{kProduct, DType::f64}, 67 * kTera},     {{kProduct, DType::f32}, 494.7 * kTera},
          {{kProduct, DType::bf16}, 989.4 * kTera}, {{kProduct, DType::f8e4m3fn}, 1978.9 * kTera},
          {{kProduct, DType::s8}, 1978.9 * kTera},  {{kArithmetic, DType::f64}, 34 * kTera},
          {{kArithmetic, DType::f32}, 67 * kTera}};
}

std::vector<Chip> make_chips() {
  std::vector<Chip> out;
  // Memory, bandwidth, NVLink in both directions, and rates: the data sheet, half of the rates with sparsity.
  out.push_back({.name = "h100",
                 .title = "NVIDIA H100 SXM5 80 GB",
                 .source = "NVIDIA H100 Tensor Core GPU Datasheet",
                 .bandwidth = 3350 * kGiga,
                 .link = 450 * kGiga,
                 .memory = 80 * kGiga,
                 .on_chip = 50 * kMebi,
                 .on_chip_source = "L2 cache, NVIDIA H100 Tensor Core GPU Architecture",
                 .rates = hopper_rates()});
  // The rates of the H100; memory and bandwidth of its own sheet.
  out.push_back({.name = "h200",
                 .title = "NVIDIA H200 SXM 141 GB",
                 .source = "NVIDIA H200 Tensor Core GPU Datasheet",
                 .bandwidth = 4800 * kGiga,
                 .link = 450 * kGiga,
                 .memory = 141 * kGiga,
                 .rates = hopper_rates()});
  out.push_back({.name = "a100",
                 .title = "NVIDIA A100 SXM 80 GB",
                 .source = "NVIDIA A100 Tensor Core GPU Datasheet",
                 .bandwidth = 2039 * kGiga,
                 .link = 300 * kGiga,
                 .memory = 80 * kGiga,
                 .on_chip = 40 * kMebi,
                 .on_chip_source = "L2 cache, NVIDIA A100 Tensor Core GPU Architecture",
                 .rates = {{{kProduct, DType::f64}, 19.5 * kTera},
                           {{kProduct, DType::f32}, 156 * kTera},
                           {{kProduct, DType::bf16}, 312 * kTera},
                           {{kProduct, DType::s8}, 624 * kTera},
                           {{kArithmetic, DType::f64}, 9.7 * kTera},
                           {{kArithmetic, DType::f32}, 19.5 * kTera}}});
  // Half of the rates with sparsity, an eighth of those of eight. The sheets differ on f32 and f64.
  out.push_back({.name = "b200",
                 .title = "NVIDIA B200 SXM 180 GB",
                 .source = "NVIDIA DGX B200 Datasheet; rates and links: NVIDIA HGX Platform specifications",
                 .bandwidth = 8000 * kGiga,
                 .link = 900 * kGiga,
                 .memory = 180 * kGiga,
                 .rates = {{{kProduct, DType::f32}, 1125 * kTera},
                           {{kProduct, DType::bf16}, 2250 * kTera},
                           {{kProduct, DType::f8e4m3fn}, 4500 * kTera},
                           {{kProduct, DType::s8}, 4500 * kTera}}});
  // The rate of f32 products is that of xf32.
  out.push_back({.name = "mi300x",
                 .title = "AMD Instinct MI300X",
                 .source = "AMD Instinct MI300X Accelerator Data Sheet",
                 .bandwidth = 5300 * kGiga,
                 .link = 448 * kGiga,
                 .memory = 192 * kGiga,
                 .on_chip = 256 * kMebi,
                 .on_chip_source = "Infinity Cache, AMD Instinct MI300X Accelerator Data Sheet",
                 .rates = {{{kProduct, DType::f64}, 163.4 * kTera},
                           {{kProduct, DType::f32}, 653.7 * kTera},
                           {{kProduct, DType::bf16}, 1307.4 * kTera},
                           {{kProduct, DType::f8e4m3fnuz}, 2614.9 * kTera},
                           {{kProduct, DType::s8}, 2614.9 * kTera},
                           {{kArithmetic, DType::f64}, 81.7 * kTera},
                           {{kArithmetic, DType::f32}, 163.4 * kTera}}});
  // The documentation of the TPUs has rates of bf16 and int8 products only.
  out.push_back(
      {.name = "tpu-v5e",
       .title = "Google Cloud TPU v5e",
       .source = "Google Cloud documentation, TPU v5e",
       .bandwidth = 819 * kGiga,
       .memory = 16 * kGiga,
       .on_chip = 128 * kMebi,
       .on_chip_source = "vector memory of the only core, JAX documentation, TPU Hardware Reference",
       .rates = {{{kProduct, DType::bf16}, 197 * kTera}, {{kProduct, DType::s8}, 393 * kTera}}});
  out.push_back({.name = "tpu-v5p",
                 .title = "Google Cloud TPU v5p",
                 .source = "Google Cloud documentation, TPU v5p",
                 .bandwidth = 2765 * kGiga,
                 .memory = 95 * kGiga,
                 .rates = {{{kProduct, DType::bf16}, 459 * kTera}, {{kProduct, DType::s8}, 918 * kTera}}});
  return out;
}

}  // namespace

const std::vector<Chip>& known_chips() {
  static const std::vector<Chip> chips = make_chips();
  return chips;
}

}  // namespace tessera::detail
