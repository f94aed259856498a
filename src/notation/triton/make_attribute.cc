// SPDX-License-Identifier: Apache-2.0
#include "notation/triton/make_attribute.h"

#include <tuple>

#include "base/try.h"
#include "notation/triton/attribute_fields.h"
#include "notation/triton/make_memory.h"
#include "notation/triton/make_registers.h"

namespace tessera::triton {
namespace {

Result<void> check_forms(const RawAttribute& raw) {
  TESSERA_TRY(fields, fields_of(raw));
  TESSERA_NEED(AttributeFields(raw, fields).forms_and_missing());
  for (const GivenField& field : fields) {
    if (const RawAttribute* inside = layout_in(field)) TESSERA_NEED(check_forms(*inside));
  }
  return {};
}

}  // namespace

Result<TritonAttribute> make_checked(const RawAttribute& raw) {
  TESSERA_TRY(fields, fields_of(raw));
  const bool registers = space_of(raw.info->kind) == TritonSpace::registers;
  return registers ? make_registers(raw, std::move(fields)) : make_memory(raw, std::move(fields));
}

Result<TritonAttribute> make_attribute(const RawAttribute& raw) {
  TESSERA_NEED(check_forms(raw));
  return make_checked(raw);
}

}  // namespace tessera::triton

namespace tessera {

bool operator==(const TritonAttribute& a, const TritonAttribute& b) {
  const auto parts = [](const TritonAttribute& x) {
    return std::tie(x.kind, x.rank, x.size_per_thread, x.threads_per_warp, x.warps_per_cta, x.order,
                    x.instr_shape, x.tiles_per_warp, x.registers, x.lanes, x.warps, x.blocks, x.offsets,
                    x.pads, x.dim, x.operand, x.k_width, x.version, x.version_minor, x.vec, x.per_phase,
                    x.max_phase, x.swizzle_bytes, x.element_bits, x.alignment, x.partitions, x.groups,
                    x.block_m, x.block_n, x.col_stride, x.transposed, x.fp4_padded, x.two_ctas, x.unpacked,
                    x.k_then_mn);
  };
  if (parts(a) != parts(b) || (a.parent == nullptr) != (b.parent == nullptr)) return false;
  return a.parent == b.parent || *a.parent == *b.parent;
}

}  // namespace tessera
