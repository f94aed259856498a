# SPDX-License-Identifier: Apache-2.0
"""compressed-tensors: integers of 1 to 8 bits in words, FP4, FP6, masks, and its reader of AWQ.

Until 0.17, pack_to_int32 left the rest of a word unused: elements are those of pack:words.
"""

import importlib.metadata

import numpy as np
import torch
from compressed_tensors.compressors.pack_quantized.helpers import pack_to_int32, unpack_from_int32

NAME = "compressed-tensors"
OLD = tuple(map(int, importlib.metadata.version(NAME).split(".")[:2])) < (0, 18)


def signed(codes, width):
    return torch.from_numpy((codes - (1 << (width - 1))).astype(np.int8))


def words(judge):
    for width in range(1, 9):
        m, k = judge.integers(1, 30), 2 * judge.integers(16, 50) + 1
        codes = judge.codes((m, k), width)
        good, other = ("pack:words", "pack:low(row=32)") if OLD else ("pack:low(row=32)", "pack:words")
        if 32 % width == 0:  # here both are the same
            other = "pack:high(row=32)" if width < 8 else "pack:low"
        text, wrong = f"{good} u{width}[{m},{k}]", f"{other} u{width}[{m},{k}]"
        judge.packs(NAME, f"pack_to_int32, {width} bits", text, codes, pack_to_int32(signed(codes, width), width).numpy(), wrong)

        def unpack(raw, m=m, k=k, width=width):
            if raw.size % (4 * m) != 0:
                return None
            read = unpack_from_int32(torch.from_numpy(raw.view(np.int32)).reshape(m, -1), width, torch.Size((m, k)))
            return read.numpy().astype(np.int64) + (1 << (width - 1))

        judge.unpacks(NAME, f"unpack_from_int32, {width} bits", text, codes, unpack, wrong)


def columns(judge):
    """Words along the first dimension, as GPTQ has them."""
    for width in (2, 4, 8) if OLD else (2, 3, 4, 8):
        k, n = 32 * judge.integers(1, 6), 8 * judge.integers(1, 8)
        codes = judge.codes((k, n), width)
        container = pack_to_int32(signed(codes, width), width, packed_dim=0).contiguous().numpy()
        judge.packs(NAME, f"pack_to_int32 along dimension 0, {width} bits", f"pack:gptq u{width}[{k},{n}]", codes, container,
                    f"pack:low(row=32) u{width}[{k},{n}]")


def floats(judge):
    from compressed_tensors.compressors.nvfp4.helpers import pack_fp4_to_uint8, unpack_fp4_from_uint8

    m, k = judge.integers(1, 30), 4 * judge.integers(1, 30)
    codes = judge.codes((m, k), 4)
    values = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6], np.float32)
    values = np.concatenate([values, -values])
    text, wrong = f"pack:low f4e2m1fn[{m},{k}]", f"pack:high f4e2m1fn[{m},{k}]"
    judge.packs(NAME, "pack_fp4_to_uint8", text, codes, pack_fp4_to_uint8(torch.from_numpy(values[codes])).numpy(), wrong)

    def unpack(raw):
        read = unpack_fp4_from_uint8(torch.from_numpy(raw), m, k, torch.float32).numpy()
        return np.searchsorted(values[:8], np.abs(read)) + 8 * np.signbit(read)

    judge.unpacks(NAME, "unpack_fp4_from_uint8", text, codes, unpack, wrong)

    try:
        from compressed_tensors.compressors.mxfp6.helpers import pack_fp6_to_uint8, unpack_fp6_from_uint8
    except ImportError:
        return
    # E2M3: subnormal numbers are multiples of 1/8.
    codes = judge.codes((m, k), 6)
    exponent, fraction = np.arange(32) // 8, np.arange(32) % 8
    values = np.where(exponent == 0, fraction / 8, (1 + fraction / 8) * np.exp2(exponent - 1)).astype(np.float32)
    values = np.concatenate([values, -values])
    text, wrong = f"pack:low u6[{m},{k}]", f"pack:words u6[{m},{k}]"
    judge.packs(NAME, "pack_fp6_to_uint8", text, codes, pack_fp6_to_uint8(torch.from_numpy(values[codes])).numpy(), wrong)

    def unpack6(raw):
        if raw.size != m * k * 3 // 4:
            return None
        read = unpack_fp6_from_uint8(torch.from_numpy(raw), m, k, torch.float32).numpy()
        return np.searchsorted(values[:32], np.abs(read)) + 32 * np.signbit(read)

    judge.unpacks(NAME, "unpack_fp6_from_uint8", text, codes, unpack6, wrong)


def masks(judge):
    from compressed_tensors.utils.helpers import pack_bitmasks

    m, k = judge.integers(1, 30), judge.integers(1, 100)
    codes = judge.codes((m, k), 1)
    judge.packs(NAME, "pack_bitmasks", f"pack:low u1[{m},{k}]", codes, pack_bitmasks(torch.from_numpy(codes.astype(bool))).numpy(),
                f"pack:high u1[{m},{k}]")


def awq(judge):
    try:
        from compressed_tensors.entrypoints.convert.converters.autoawq import AutoAWQConverter
    except ImportError:
        return
    k, n = judge.integers(1, 40), 8 * judge.integers(1, 20)
    codes = judge.codes((k, n), 4)

    def unpack(raw):
        packed = AutoAWQConverter.unpack_awq(torch.from_numpy(raw.view(np.int32)).reshape(k, n // 8), None, 4)
        return AutoAWQConverter.reverse_awq_order(*packed, 4)[0].numpy() & 15

    judge.unpacks(NAME, "AutoAWQConverter.unpack_awq, reverse_awq_order", f"pack:awq u4[{k},{n}]", codes, unpack, f"pack:low(row=32) u4[{k},{n}]")


def check(judge):
    for _ in range(judge.rounds):
        words(judge)
        columns(judge)
        floats(judge)
        masks(judge)
        awq(judge)
