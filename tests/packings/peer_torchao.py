# SPDX-License-Identifier: Apache-2.0
"""torchao: scales in tiles of 128 x 4, also of groups and experts, and its packings of 2 and 4 bits."""

import numpy as np
import torch
from torchao.prototype.dtypes.uintx.bitpacking import pack, pack_cpu
from torchao.prototype.hqq.mixed_mm import pack_2xint4
from torchao.prototype.moe_training.kernels.mxfp8.quant import (torch_to_blocked_2d_K_groups, torch_to_blocked_2d_M_groups,
                                                                 torch_to_blocked_per_group_3d)
from torchao.prototype.mx_formats.kernels import pack_uint4, unpack_uint4
from torchao.prototype.mx_formats.mx_tensor import MXTensor
from torchao.prototype.mx_formats.nvfp4_tensor import NVFP4Tensor
from torchao.prototype.mx_formats.utils import from_blocked, to_blocked
from torchao.prototype.quantized_training.bitnet import _pack_i2_in_i8, _unpack_i2_in_i8

NAME = "torchao"


def tensor(codes):
    return torch.from_numpy(codes.astype(np.uint8))


def other_tiles(m, k):
    """Tiles that are easily taken for 128x4: Triton's, where the second row of tiles lies elsewhere, or those of 64 rows."""
    return "scale:128x4(cols=8)" if m > 128 and -(-k // 4) % 2 else "scale:64x4(rows=128)"


def scales(judge):
    m, k = judge.integers(1, 300), judge.integers(1, 20)
    codes = judge.codes((m, k), 8)
    text, wrong = f"scale:128x4 u8[{m},{k}]", f"{other_tiles(m, k)} u8[{m},{k}]"
    judge.packs(NAME, "to_blocked", text, codes, to_blocked(tensor(codes)).numpy(), wrong)
    size = -(-m // 128) * -(-k // 4) * 512
    judge.unpacks(NAME, "from_blocked", text, codes, lambda raw: from_blocked(torch.from_numpy(raw[:size]), m, k).numpy(), wrong)

    experts = judge.integers(1, 4)
    codes = judge.codes((experts, m, k), 8)
    judge.packs(NAME, "torch_to_blocked_per_group_3d", f"scale:128x4 u8[{experts},{m},{k}]", codes,
                torch_to_blocked_per_group_3d(tensor(codes)).numpy(), f"{other_tiles(m, k)} u8[{experts},{m},{k}]")


def cut(judge, total, count):
    ends = sorted(judge.integers(0, total) for _ in range(count - 1)) + [total]
    sizes = np.diff([0, *ends])
    return torch.tensor(ends), "+".join(map(str, sizes)), sizes


def groups(judge):
    # The buffers are larger than the layout: 128 rows, or 4 columns, more for each group. Zeros follow. The number of columns
    # must be a multiple of 4 for the groups of rows.
    m, k, count = judge.integers(2, 400), 4 * judge.integers(1, 5), judge.integers(2, 5)
    ends, text, sizes = cut(judge, m, count)
    codes = judge.codes((m, k), 8)
    out = torch_to_blocked_2d_M_groups(tensor(codes), ends)[0].numpy().ravel()
    used = sum(-(-size // 128) * 128 for size in sizes) * k
    assert not out[used:].any()
    judge.packs(NAME, "torch_to_blocked_2d_M_groups", f"scale:128x4(groups={text}) u8[{m},{k}]", codes, out[:used], f"scale:128x4 u8[{m},{k}]")

    m, k = judge.integers(1, 300), judge.integers(2, 40)
    ends, text, sizes = cut(judge, k, count)
    codes = judge.codes((m, k), 8)
    out = torch_to_blocked_2d_K_groups(tensor(codes), ends)[0].numpy().ravel()
    used = sum(-(-size // 4) * 4 for size in sizes) * (-(-m // 128) * 128)
    assert not out[used:].any()
    judge.packs(NAME, "torch_to_blocked_2d_K_groups", f"scale:128x4(kgroups={text}) u8[{m},{k}]", codes, out[:used], f"scale:128x4 u8[{m},{k}]")


def tiled(judge, function, kind, plain, tiles):
    codes = plain.contiguous().view(torch.uint8).numpy().astype(np.int64)
    m, k = codes.shape
    judge.packs(NAME, function, f"scale:128x4 {kind}[{m},{k}]", codes, tiles.contiguous().view(torch.uint8).numpy(), f"{other_tiles(m, k)} {kind}[{m},{k}]")


def tensors(judge):
    # Whole tensors: the same values quantized with scales in rows, and in tiles.
    m, k = 32 * judge.integers(1, 12), 32 * judge.integers(1, 20)
    values = torch.from_numpy(np.exp2(judge.random.normal(0, 6, (m, k))).astype(np.float32)).bfloat16()
    plain, tiles = (MXTensor.to_mx(values, torch.float8_e4m3fn, 32, is_swizzled_scales=swizzled) for swizzled in (False, True))
    tiled(judge, "MXTensor.to_mx", "f8e8m0fnu", plain.scale, tiles.scale)
    plain, tiles = (NVFP4Tensor.to_nvfp4(values, is_swizzled_scales=swizzled) for swizzled in (False, True))
    tiled(judge, "NVFP4Tensor.to_nvfp4", "f8e4m3fn", plain.scale, tiles.scale)


def packings(judge):
    m, k = judge.integers(1, 40), 8 * judge.integers(1, 20)
    codes = judge.codes((m, k), 4)
    text, wrong = f"pack:low u4[{m},{k}]", f"pack:high u4[{m},{k}]"
    judge.packs(NAME, "pack_uint4", text, codes, pack_uint4(tensor(codes)).numpy(), wrong)
    judge.unpacks(NAME, "unpack_uint4", text, codes, lambda raw: unpack_uint4(torch.from_numpy(raw).reshape(m, k // 2)).numpy(), wrong)
    halves, pairs = f"pack:halves(block={k}) u4[{m},{k}]", f"pack:low u4[{m},{k}]"
    judge.packs(NAME, "bitpacking.pack, 4 bits", halves, codes, pack(tensor(codes), 4)[0].numpy(), pairs)
    judge.packs(NAME, "bitpacking.pack_cpu, 4 bits", halves, codes, pack_cpu(tensor(codes), 4)[0].numpy(), pairs)
    # Rows 2r and 2r + 1 share a byte: of the transpose, elements 2r and 2r + 1.
    turned = judge.codes((2 * m, k), 4)
    judge.packs(NAME, "pack_2xint4, transposed", f"pack:low u4[{k},{2 * m}]", turned.T, pack_2xint4(tensor(turned)).numpy().T.copy(), f"pack:high u4[{k},{2 * m}]")
    codes = judge.codes((m, k), 2)
    text, wrong = f"pack:high u2[{m},{k}]", f"pack:low u2[{m},{k}]"
    signed = ((codes ^ 2) - 2).astype(np.int8)
    judge.packs(NAME, "_pack_i2_in_i8", text, codes, _pack_i2_in_i8(torch.from_numpy(signed)).numpy(), wrong)
    judge.unpacks(NAME, "_unpack_i2_in_i8", text, codes, lambda raw: _unpack_i2_in_i8(torch.from_numpy(raw.view(np.int8)).reshape(m, k // 4)).numpy() & 3, wrong)


def check(judge):
    for _ in range(judge.rounds):
        scales(judge)
        groups(judge)
        tensors(judge)
        packings(judge)
