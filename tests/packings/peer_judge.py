# SPDX-License-Identifier: Apache-2.0
"""Compares functions of other packages with `tessera copy` and with Python's tessera, and keeps the counts."""

import importlib.metadata
import re
import subprocess
import sys

import numpy as np

try:
    import tessera as own
except ImportError:
    own = None


def type_of(text):
    return re.search(r" ?([a-z]+\d\w*)\[", text).group(1)


def width_of(text):
    return int(re.search(r"\d+", type_of(text)).group())


def rows_of_bits(codes, width):
    """Codes one after another from the low bits, each row padded to a byte: made by NumPy."""
    bits = (codes[..., None].astype(np.uint64) >> np.arange(width, dtype=np.uint64)) & np.uint64(1)
    return np.packbits(bits.astype(np.uint8).reshape(*codes.shape[:-1], -1), axis=-1, bitorder="little")


def codes_of_bits(raw, shape, width):
    row = -(-shape[-1] * width // 8)
    bits = np.unpackbits(raw.reshape(-1, row), axis=-1, bitorder="little")[:, : shape[-1] * width]
    weights = np.uint64(1) << np.arange(width, dtype=np.uint64)
    return (bits.reshape(*shape, width).astype(np.uint64) * weights).sum(axis=-1, dtype=np.uint64)


class Judge:
    """Counts, for each function of a package, the cases that agree and those in which a wrong name was noticed."""

    def __init__(self, tessera, folder, seed, rounds):
        self.tessera, self.folder, self.rounds = tessera, folder, rounds
        self.random = np.random.default_rng(seed)
        self.rows, self.skipped = {}, []

    def tell(self, package, function, layout, noticed):
        """A case agrees. `noticed` says whether a wrong name was, or is None if none was tried."""
        row = self.rows.setdefault((package, importlib.metadata.version(package), function), [layout, 0, None])
        row[1] += 1
        if noticed is not None:
            row[2] = (row[2] or 0) + bool(noticed)

    def fail(self, package, function, text, what):
        sys.exit(f"{package} {importlib.metadata.version(package)}, {function}: {text} {what}")

    def run(self, *arguments):
        done = subprocess.run([self.tessera, *map(str, arguments)], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"{' '.join(map(str, arguments))}\n{done.stderr}")
        return done.stdout

    def copy(self, raw, source, target, *options):
        before, after = self.folder / "before.raw", self.folder / "after.raw"
        np.ascontiguousarray(raw).tofile(before)
        self.run("copy", before, after, "--from", source, "--to", target, "--force", "--quiet", *options)
        return np.fromfile(after, np.uint8)

    def plain(self, text):
        """The same array with each code after the other."""
        return ("pack:low " if width_of(text) <= 8 else "scale:linear ") + type_of(text) + text[text.index("[") :]

    def packed(self, text, codes):
        return self.copy(rows_of_bits(codes, width_of(text)), self.plain(text), text)

    def unpacked(self, text, raw, shape):
        return codes_of_bits(self.copy(raw, text, self.plain(text)), shape, width_of(text))

    def packs(self, package, function, text, codes, container, wrong):
        """`container` is what the package made of `codes`; it must be that of `text`, in both directions, and not of `wrong`."""
        container = np.ascontiguousarray(container).view(np.uint8).ravel()
        if not np.array_equal(self.packed(text, codes), container):
            self.fail(package, function, text, "packs other bytes")
        if not np.array_equal(self.unpacked(text, container, codes.shape), codes):
            self.fail(package, function, text, "reads other codes")
        if own is not None:
            layout = own.layout(text)
            if layout.pack(codes).tobytes() != container.tobytes():
                self.fail(package, function, text, "packs other bytes in Python")
            if not np.array_equal(layout.unpack(container), codes):
                self.fail(package, function, text, "reads other codes in Python")
        self.tell(package, function, text, not np.array_equal(self.packed(wrong, codes), container))

    def unpacks(self, package, function, text, codes, unpack, wrong):
        """`unpack` is the package's reader: of what `text` packs it must return `codes`, and of what `wrong` packs others."""
        if not np.array_equal(unpack(self.packed(text, codes)), codes):
            self.fail(package, function, text, "is read as other codes")
        if own is not None and not np.array_equal(unpack(np.ascontiguousarray(own.layout(text).pack(codes)).view(np.uint8).ravel()), codes):
            self.fail(package, function, text, "is read as other codes, from Python")
        self.tell(package, function, text, not np.array_equal(unpack(self.packed(wrong, codes)), codes))

    def integers(self, low, high):
        return int(self.random.integers(low, high, endpoint=True))

    def codes(self, shape, width):
        return self.random.integers(0, 1 << width, shape)

    def report(self):
        """Prints a table; returns whether each wrong name was noticed at least once."""
        print("| package | version | function | such as | cases | wrong name noticed |\n| --- | --- | --- | --- | --- | --- |")
        blind = []
        for (package, version, function), (layout, cases, noticed) in self.rows.items():
            print(f"| {package} | {version} | {function} | {layout} | {cases} | {'' if noticed is None else noticed} |")
            if noticed == 0:
                blind.append(function)
        for line in self.skipped:
            print(line)
        python = "and with Python's tessera" if own is not None else "but not with Python's tessera, which was not found"
        print(f"{sum(row[1] for row in self.rows.values())} cases agree, compared with `tessera copy` {python}")
        if blind:
            print(f"a wrong name was never noticed: {', '.join(blind)}")
        return not blind
