// SPDX-License-Identifier: Apache-2.0
#include "notation/triton/attribute_table.h"

#include <algorithm>
#include <array>

#include "base/nearest.h"

namespace tessera::triton {
namespace table {

using enum ValueType;

constexpr KeyInfo kCga = {"CGALayout", "cga_layout", bases};
// Before Triton 3.6, three keys said what CGALayout says now.
constexpr KeyInfo kOldCtas = {"CTAsPerCGA", "", powers};
constexpr KeyInfo kOldSplit = {"CTASplitNum", "", powers};
constexpr KeyInfo kOldOrder = {"CTAOrder", "", order};

constexpr std::array kBlocked = {KeyInfo{"sizePerThread", "size_per_thread", powers, true, true},
                                 KeyInfo{"threadsPerWarp", "threads_per_warp", powers, true, true},
                                 KeyInfo{"warpsPerCTA", "warps_per_cta", powers, true, true},
                                 KeyInfo{"order", "order", order, true, true},
                                 kCga,
                                 kOldCtas,
                                 kOldSplit,
                                 kOldOrder};
constexpr std::array kLinear = {
    KeyInfo{"register", "reg_bases", bases, true, true}, KeyInfo{"lane", "lane_bases", bases, true, true},
    KeyInfo{"warp", "warp_bases", bases, true, true}, KeyInfo{"block", "block_bases", bases, true, true},
    KeyInfo{"", "shape", integers, false, true}};
constexpr std::array kSlice = {KeyInfo{"dim", "dim", integer, true, true},
                               KeyInfo{"parent", "parent", attribute, true, true}};
constexpr std::array kDotOp = {KeyInfo{"opIdx", "operand_index", integer, true, true},
                               KeyInfo{"parent", "parent", attribute, true, true},
                               KeyInfo{"kWidth", "k_width", integer, false, true}};
constexpr std::array kNvidiaMma = {KeyInfo{"", "version", integers, false, true},
                                   KeyInfo{"versionMajor", "", integer, true},
                                   KeyInfo{"versionMinor", "", integer, true},
                                   KeyInfo{"warpsPerCTA", "warps_per_cta", powers, true, true},
                                   KeyInfo{"instrShape", "instr_shape", powers, true, true},
                                   kCga,
                                   kOldCtas,
                                   kOldSplit,
                                   kOldOrder};
constexpr std::array kAmdMfma = {KeyInfo{"version", "version", integer, true, true},
                                 KeyInfo{"instrShape", "instr_shape", powers, true, true},
                                 KeyInfo{"isTransposed", "transposed", boolean, true, true},
                                 KeyInfo{"warpsPerCTA", "warps_per_cta", powers, true, true},
                                 KeyInfo{"elementBitWidth", "element_bitwidth", integer},
                                 KeyInfo{"tilesPerWarp", "tiles_per_warp", powers},
                                 kCga,
                                 kOldCtas,
                                 kOldSplit,
                                 kOldOrder,
                                 KeyInfo{"versionMajor", "", integer},
                                 KeyInfo{"versionMinor", "", integer},
                                 KeyInfo{"elementType", "", word}};
constexpr std::array kAmdWmma = {KeyInfo{"version", "version", integer, false, true},
                                 KeyInfo{"isTranspose", "transposed", boolean, false, true},
                                 KeyInfo{"", "warp_bases", bases, false, true},
                                 KeyInfo{"", "reg_bases", bases},
                                 KeyInfo{"instrShape", "instr_shape", powers},
                                 kCga,
                                 KeyInfo{"rank", "rank", integer},
                                 KeyInfo{"ctaLayout", "", cta_keys, true},
                                 kOldCtas,
                                 kOldSplit,
                                 kOldOrder,
                                 KeyInfo{"warpsPerCTA", "", powers},
                                 KeyInfo{"tilesPerWarp", "", powers}};
constexpr std::array kSwizzled = {KeyInfo{"vec", "vec", power, true, true},
                                  KeyInfo{"perPhase", "per_phase", power, true, true},
                                  KeyInfo{"maxPhase", "max_phase", power, true, true},
                                  KeyInfo{"order", "order", order, true, true},
                                  kCga,
                                  kOldCtas,
                                  kOldSplit,
                                  kOldOrder,
                                  KeyInfo{"hasLeadingOffset", "", boolean}};
constexpr std::array kNvmma = {KeyInfo{"swizzlingByteWidth", "swizzle_byte_width", integer, true, true},
                               KeyInfo{"elementBitWidth", "element_bitwidth", integer, true, true},
                               KeyInfo{"rank", "rank", integer},
                               KeyInfo{"transposed", "transposed", boolean, true},
                               KeyInfo{"fp4Padded", "fp4_padded", boolean},
                               kCga,
                               kOldCtas,
                               kOldSplit,
                               kOldOrder};
constexpr std::array kPadded = {KeyInfo{"", "interval_padding_pairs", pairs, false, true},
                                KeyInfo{"offset", "offset_bases", bases, false, true},
                                KeyInfo{"", "cga_layout", bases, false, true},
                                KeyInfo{"shape", "shape", powers, false, true},
                                KeyInfo{"order", "order", order},
                                KeyInfo{"block", "", bases}};
constexpr std::array kSharedLinear = {KeyInfo{"offset", "offset_bases", bases, true, true},
                                      KeyInfo{"block", "block_bases", bases},
                                      KeyInfo{"alignment", "alignment", power, true}};
constexpr std::array kPartitioned = {KeyInfo{"numPartitions", "num_partitions", power, true, true},
                                     KeyInfo{"numGroups", "num_groups", power, true, true},
                                     KeyInfo{"partitionDim", "partition_dim", integer, true, true},
                                     KeyInfo{"partitionLayout", "partition_layout", attribute, true, true}};
constexpr std::array kTensorMemory = {KeyInfo{"", "block", integers, false, true},
                                      KeyInfo{"blockM", "", integer, true},
                                      KeyInfo{"blockN", "", integer, true},
                                      KeyInfo{"colStride", "col_stride", integer, true, true},
                                      kCga,
                                      KeyInfo{"twoCTAs", "two_ctas", boolean},
                                      KeyInfo{"fp4Padded", "fp4_padded", boolean},
                                      KeyInfo{"unpacked", "", boolean},
                                      KeyInfo{"CTASplitM", "", power},
                                      KeyInfo{"CTASplitN", "", power}};
constexpr std::array kScales = {kCga, KeyInfo{"blockRepOrder", "block_rep_order", word},
                                KeyInfo{"CTASplitM", "", power}, KeyInfo{"CTASplitN", "", power}};

constexpr std::array kKinds = {
    KindInfo{TritonKind::blocked, "ttg", "blocked", "BlockedLayout", BodyForm::keys, kBlocked},
    KindInfo{TritonKind::linear, "ttg", "linear", "DistributedLinearLayout", BodyForm::keys, kLinear},
    KindInfo{TritonKind::generic_linear, "ttg", "generic_linear", "DistributedLinearLayout", BodyForm::keys,
             kLinear},
    KindInfo{TritonKind::slice, "ttg", "slice", "SliceLayout", BodyForm::keys, kSlice},
    KindInfo{TritonKind::dot_op, "ttg", "dot_op", "DotOperandLayout", BodyForm::keys, kDotOp},
    KindInfo{TritonKind::nvidia_mma, "ttg", "nvidia_mma", "NVMMADistributedLayout", BodyForm::keys,
             kNvidiaMma},
    KindInfo{TritonKind::amd_mfma, "ttg", "amd_mfma", "AMDMFMALayout", BodyForm::keys, kAmdMfma},
    KindInfo{TritonKind::amd_wmma, "ttg", "amd_wmma", "AMDWMMALayout", BodyForm::keys, kAmdWmma},
    KindInfo{TritonKind::swizzled_shared, "ttg", "swizzled_shared", "SwizzledSharedLayout", BodyForm::keys,
             kSwizzled},
    KindInfo{TritonKind::amd_rotating_shared, "ttg", "amd_rotating_shared", "", BodyForm::keys, kSwizzled},
    KindInfo{TritonKind::nvmma_shared, "ttg", "nvmma_shared", "NVMMASharedLayout", BodyForm::keys, kNvmma},
    KindInfo{TritonKind::padded_shared, "ttg", "padded_shared", "PaddedSharedLayout", BodyForm::pads,
             kPadded},
    KindInfo{TritonKind::shared_linear, "ttg", "shared_linear", "SharedLinearLayout", BodyForm::aligned,
             kSharedLinear},
    KindInfo{TritonKind::partitioned_shared, "ttg", "partitioned_shared", "PartitionedSharedLayout",
             BodyForm::keys, kPartitioned},
    KindInfo{TritonKind::tensor_memory, "ttng", "tensor_memory_encoding", "TensorMemoryLayout",
             BodyForm::bare_keys, kTensorMemory},
    KindInfo{TritonKind::tensor_memory_scales, "ttng", "tensor_memory_scales_encoding",
             "TensorMemoryScalesLayout", BodyForm::bare_keys, kScales},
    KindInfo{TritonKind::auto_encoding, "gluon", "auto_encoding", "AutoLayout", BodyForm::none, {}},
    KindInfo{
        TritonKind::coalesced_encoding, "gluon", "coalesced_encoding", "CoalescedLayout", BodyForm::none, {}},
};

struct OldName {
  std::string_view old_name;
  TritonKind kind;
};
constexpr std::array kOldNames = {
    OldName{"mma", TritonKind::nvidia_mma}, OldName{"mfma", TritonKind::amd_mfma},
    OldName{"wmma", TritonKind::amd_wmma}, OldName{"shared", TritonKind::swizzled_shared}};

}  // namespace table

namespace {

using table::kKinds;
using table::kOldNames;
using table::OldName;

}  // namespace

std::span<const KindInfo> all_kinds() { return kKinds; }
const KindInfo& info_of(TritonKind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

const KindInfo* find_mnemonic(std::string_view dialect, std::string_view mnemonic,
                              std::string_view& old_name) {
  const bool old_dialect = dialect == "triton_gpu" || dialect == "triton_nvidia_gpu";
  for (const KindInfo& info : kKinds) {
    if (info.mnemonic != mnemonic) continue;
    if (info.dialect == dialect || (old_dialect && info.dialect != "gluon")) return &info;
  }
  if (dialect != "ttg" && dialect != "triton_gpu") return nullptr;
  for (const OldName& old : kOldNames) {
    if (old.old_name != mnemonic) continue;
    old_name = old.old_name;
    return &info_of(old.kind);
  }
  return nullptr;
}

const KindInfo* find_gluon(std::string_view name) {
  const auto found = std::ranges::find(kKinds, name, &KindInfo::gluon);
  return found == kKinds.end() || name.empty() ? nullptr : &*found;
}

std::string nearest_gluon(std::string_view name) {
  std::vector<std::string> classes;
  for (const KindInfo& info : all_kinds())
    if (!info.gluon.empty()) classes.emplace_back(info.gluon);
  return tessera::detail::nearest(name, classes);
}

}  // namespace tessera::triton

namespace tessera {

std::string_view to_string(TritonKind kind) { return triton::info_of(kind).mnemonic; }

TritonSpace space_of(TritonKind kind) {
  if (kind <= TritonKind::amd_wmma) return TritonSpace::registers;
  if (kind <= TritonKind::partitioned_shared) return TritonSpace::shared;
  return kind <= TritonKind::tensor_memory_scales ? TritonSpace::tensor_memory : TritonSpace::none;
}

}  // namespace tessera
