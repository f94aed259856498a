# SPDX-License-Identifier: Apache-2.0
"""Which elements of its inputs a program reads."""

from tessera import hlo

module = hlo.load("""HloModule attention
ENTRY e {
  q = f32[8,16] parameter(0)
  k = f32[32,16] parameter(1)
  scores = f32[8,32] dot(q, k), lhs_contracting_dims={1}, rhs_contracting_dims={1}
  ROOT t = f32[32,8] transpose(scores), dimensions={1,0}
}
""")
for one in module["scores"].operand_maps():
    print(f"scores reads operand {one.operand}: {one.map}")
for one in module.parameter_maps():
    print(f"the result reads parameter {one.operand}, {one.exactness}: {one.map}")
for maps in module.analyze():
    print(maps.instruction.name, maps.exactness)
