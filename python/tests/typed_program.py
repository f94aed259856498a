# SPDX-License-Identifier: Apache-2.0
"""A program for type checkers: it uses results as the types that the stubs promise. test_types.py checks and runs it."""

import tessera
from tessera import cute, hlo


def tiles(layout: cute.Layout, tile: tuple[int, int]) -> cute.Layout:
    divided: cute.Layout = cute.zipped_divide(layout, tile)
    return cute.coalesce(divided)


def offset_sum(layout: cute.LayoutLike) -> int:
    return sum(cute.values(layout))


base = cute.Layout((8, 8), (8, 1))
count: int = cute.size(tiles(base, (2, 4))) + base(3, 5) + base((3, 5)) + cute.cosize(base)
rows: cute.Layout = cute.composition(base, cute.Layout(4, 2))
nested: cute.Layout = base(rows)
shape: cute.IntTuple = base.shape
stride: cute.Stride = cute.make_identity_layout((4, 8)).stride
text: str = str(cute.append(base, cute.Layout(2, 64))) + cute.print_layout.__name__
pair: cute.IntTuple = cute.append((1, 2), 3)
swizzled: cute.Layout | cute.ComposedLayout = cute.composition(cute.Swizzle(3, 0, 3), base)
thread_tile, thread_values = cute.make_layout_tv("(4,8):(8,1)", (2, 2))
ranked: int = thread_values.rank() + offset_sum("(4,8):(8,1)") + offset_sum((2, 3))
piece = cute.local_tile(base, (2, 4), (1, None))
good: bool = cute.is_bijective(swizzled) and not isinstance(piece, cute.ComposedLayout)
code: str = tessera.code(base, "cuda", inverse=True, test=True).text + tessera.copy_code("f32[4]", "f32[4]").extension
verdict: bool = bool(tessera.equal(base.to_layout(), "(8,8):(8,1)"))
maps: list[str] = [str(one.map) for one in hlo.load("HloModule m\nENTRY e { ROOT a = f32[4] parameter(0) }").root.operand_maps()]
accesses = tessera.access("32:2", bytes=4)["accesses"]
shared = accesses[0]["shared"]
wavefronts: int = shared["wavefronts"] if shared is not None else 0
moved: int = tessera.reshard("u8[4]", "{devices=[2]<=[2]}", "{devices=[2]1,0}")["total"]
offsets_of: int = tessera.parse("(4,8):(8,1)")(1, 2)
print(wavefronts, moved, offsets_of)
print(count, pair, ranked, good, verdict, len(code) > 0, maps)
