# SPDX-License-Identifier: Apache-2.0
"""AutoAWQ: the packings of its layers, and what its converter to ExLlama makes.

The package's __init__ imports models that newer transformers lack; its modules are imported without it.
"""

import importlib.util
import sys
import types

import numpy as np
import torch

if "awq" not in sys.modules:
    found = importlib.util.find_spec("awq")
    if found is None:
        raise ImportError("No module named 'awq'")
    sys.modules["awq"] = types.ModuleType("awq")
    sys.modules["awq"].__path__ = list(found.submodule_search_locations)

from awq.modules.linear.gemm import WQLinear_GEMM
from awq.modules.linear.gemv import WQLinear_GEMV
from awq.modules.linear.gemv_fast import WQLinear_GEMVFast, pack_intweight
from awq.modules.linear.marlin import WQLinear_Marlin
from awq.utils.packing_utils import reverse_awq_order, unpack_awq, unpack_reorder_pack

NAME = "autoawq"


def words(raw, *shape):
    return torch.from_numpy(raw.view(np.int32)).reshape(shape)


def functions(judge):
    k, n = 8 * judge.integers(1, 20), 8 * judge.integers(1, 20)
    codes = judge.codes((k, n), 4)
    text, wrong = f"pack:awq u4[{k},{n}]", f"pack:low(row=32) u4[{k},{n}]"

    def unpack(raw):
        packed = words(raw, k, n // 8)
        return reverse_awq_order(*unpack_awq(packed, packed, 4), 4)[0].numpy() & 15

    judge.unpacks(NAME, "unpack_awq, reverse_awq_order", text, codes, unpack, wrong)
    # The converter subtracts 1 from zero points without a mask: a zero point of 0 takes 1 from its neighbors, so there is none here.
    zeros = judge.random.integers(1, 16, (judge.integers(1, 5), n))
    shape = f"u4[{zeros.shape[0]},{n}]"
    packed = words(judge.packed(text, codes), k, n // 8), words(judge.packed(f"pack:awq {shape}", zeros), zeros.shape[0], n // 8)
    weights, points = unpack_reorder_pack(*packed, 4)
    judge.packs(NAME, "unpack_reorder_pack, qweight", f"pack:gptq u4[{k},{n}]", codes, weights.numpy(), wrong)
    judge.packs(NAME, "unpack_reorder_pack, qzeros", f"pack:low(row=32) {shape}", zeros - 1, points.numpy(), f"pack:awq {shape}")
    moved = judge.copy(packed[1].numpy().view(np.uint8), f"pack:awq {shape}", f"pack:low(row=32) {shape}", "--recode", "add=15")
    if moved.tobytes() != points.numpy().tobytes():
        judge.fail(NAME, "unpack_reorder_pack, qzeros", f"pack:awq {shape}", "with --recode add=15 makes other bytes")

    rows, columns = 4 * judge.integers(1, 10), 64 * judge.integers(1, 4)
    codes = judge.codes((rows, columns), 4)
    shape = f"u4[{rows},{columns}]"
    judge.packs(NAME, "pack_intweight", f"pack:awq_fast {shape}", codes, pack_intweight(torch.from_numpy(codes.astype(np.int32)), 4, 64).numpy(),
                f"pack:low {shape}")


def linear(codes, scales, zeros):
    """A linear layer whose weights [out, in] are exactly the codes: scales are powers of two."""
    group = codes.shape[1] // scales.shape[1]
    layer = torch.nn.Linear(codes.shape[1], codes.shape[0], bias=False)
    layer.weight.data = torch.from_numpy(((codes - np.repeat(zeros, group, 1)) * np.repeat(scales, group, 1)).astype(np.float32))
    return layer


def layers(judge):
    groups, group = judge.integers(1, 3), 64
    n, k = 64 * judge.integers(1, 3), groups * group
    codes, zeros = judge.codes((n, k), 4), judge.codes((n, groups), 4)
    scales = np.exp2(judge.random.integers(-4, 5, (n, groups)))
    layer, half = linear(codes, scales, zeros), torch.from_numpy(scales.astype(np.float16))
    points = torch.from_numpy(zeros.astype(np.float32))

    made = WQLinear_GEMM.from_linear(layer, 4, group, False, half.T.contiguous().float(), points.T.contiguous())
    judge.packs(NAME, "WQLinear_GEMM.from_linear, qweight", f"pack:awq u4[{k},{n}]", codes.T, made.qweight.numpy(), f"pack:low(row=32) u4[{k},{n}]")
    judge.packs(NAME, "WQLinear_GEMM.from_linear, qzeros", f"pack:awq u4[{groups},{n}]", zeros.T, made.qzeros.cpu().numpy(), f"pack:low(row=32) u4[{groups},{n}]")
    made = WQLinear_GEMV.from_linear(layer, 4, group, False, half.float(), points)
    judge.packs(NAME, "WQLinear_GEMV.from_linear, qweight", f"pack:low(row=32) u4[{n},{k}]", codes, made.qweight.numpy(), f"pack:awq u4[{n},{k}]")
    made = WQLinear_GEMVFast.from_linear(layer, 4, group, False, half, points.half())
    judge.packs(NAME, "WQLinear_GEMVFast.from_linear, qweight", f"pack:awq_fast u4[{n},{k}]", codes, made.qweight.numpy(), f"pack:low u4[{n},{k}]")

    # Marlin takes no zero points: codes are those around 8. Its scales are one row a group, or one row.
    layer = linear(codes, scales, np.full_like(zeros, 8))
    made = WQLinear_Marlin.from_linear(layer, 4, group, False, half)
    judge.packs(NAME, "WQLinear_Marlin.from_linear, qweight", f"pack:marlin u4[{k},{n}]", codes.T, made.qweight.numpy(), f"pack:awq u4[{k},{n}]")
    family, other = ("marlin", "marlin_channel") if groups > 1 else ("marlin_channel", "marlin")
    judge.packs(NAME, f"WQLinear_Marlin.from_linear, scales of {'groups' if groups > 1 else 'one group'}", f"scale:{family} f16[{groups},{n}]",
                half.T.contiguous().numpy().view(np.uint16).astype(np.int64), made.scales.numpy(), f"scale:{other} f16[{groups},{n}]")


def check(judge):
    with torch.no_grad():
        for _ in range(judge.rounds):
            functions(judge)
            layers(judge)
