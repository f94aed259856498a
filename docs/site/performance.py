# SPDX-License-Identifier: Apache-2.0
"""The page of measurements: tables and plots of JSON files that tessera-bench wrote."""

import json

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams["svg.hashsalt"] = "tessera"  # the same input gives the same file
matplotlib.rcParams["svg.fonttype"] = "path"
import matplotlib.pyplot as plt  # noqa: E402

INK, GRID, BAR = "#8a93a0", "#8a93a033", "#3d7ec2"


def axes_of(rows):
    figure, axes = plt.subplots(figsize=(8.6, 0.6 + 0.24 * rows))
    axes.tick_params(colors=INK, labelsize=8, length=0)
    axes.xaxis.label.set_color(INK)
    for side in axes.spines.values():
        side.set_visible(False)
    axes.grid(axis="x", color=GRID)
    axes.set_axisbelow(True)
    return figure, axes


def save(figure, folder, name):
    figure.savefig(folder / name, transparent=True, bbox_inches="tight", metadata={"Date": None})
    plt.close(figure)


def plot_copies(cases, folder, name):
    """How fast each copy is, in times memcpy."""
    figure, axes = axes_of(len(cases))
    axes.barh([f"{case['id']}  {case['title']}" for case in reversed(cases)], [case["score"] for case in reversed(cases)],
              color=BAR, height=0.7)
    axes.axvline(1, color=INK, linewidth=1.2)
    axes.set_xlabel("times the speed of memcpy")
    axes.margins(y=0.01)
    save(figure, folder, name)


def plot_times(rows, folder, name):
    figure, axes = axes_of(len(rows))
    axes.barh([label for label, _ in reversed(rows)], [time / 1000 for _, time in reversed(rows)], color=BAR, height=0.7)
    axes.set_xscale("log")
    axes.set_xlabel("microseconds of processor time, logarithmic")
    axes.margins(y=0.01)
    save(figure, folder, name)


def pretty(nanoseconds):
    for unit, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if nanoseconds >= size:
            return f"{nanoseconds / size:.3g} {unit}"
    return f"{nanoseconds:.3g} ns"


def copies_page(measured, folder, stem):
    cases = measured["cases"]
    plot_copies(cases, folder, f"{stem}.svg")
    lines = [f"![times the speed of memcpy](measured/{stem}.svg)", "",
             "| case | copy | GB/s | memcpy, GB/s | ratio |", "| --- | --- | ---: | ---: | ---: |"]
    lines += [f"| {case['id']} | {case['title']} | {case['gbps']:.1f} | {case['memcpy_gbps']:.1f} | {case['score']:.2f} |"
              for case in cases]
    return lines


def times_page(measured, folder, stem):
    units = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
    chosen = [b for b in measured["benchmarks"] if b.get("aggregate_name", "median") == "median"]
    rows = [(b["run_name"], b["cpu_time"] * units[b["time_unit"]]) for b in chosen]
    plot_times(rows, folder, f"{stem}.svg")
    return [f"![processor time](measured/{stem}.svg)", "", "| benchmark | processor time |", "| --- | ---: |",
            *(f"| `{label}` | {pretty(time)} |" for label, time in rows)]


def write(stage, source):
    """Each file has `title`, `about`, `machine`, `command`, and `measured`: of what the command printed, the keys that
    this page uses."""
    folder = stage.folder / "measured"
    folder.mkdir()
    lines = ["# Performance", "", "Measurements of `tessera-bench`, drawn from its JSON. [Speed](understand/speed.md) discusses them, and",
             "has those of whole programs. To measure your machine, run `make bench`.", ""]
    for path in sorted(source.glob("*.json")):
        file = json.loads(path.read_text())
        lines += [f"## {file['title']}", "", file["about"], "", f"Machine: {file['machine']}. Command:", "",
                  f"```sh\n{file['command']}\n```", ""]
        make = copies_page if "cases" in file["measured"] else times_page
        lines += make(file["measured"], folder, path.stem) + [""]
    stage.write("performance.md", "\n".join(lines))
