#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every number of `tessera hlo --report` is the number that another verb prints.  report.py --bin DIR

For each program of examples/hlo: the report's JSON against --json, --traffic, --padding, --copies and --bitcasts, the page's
data against the JSON, tiles against `tessera tile`, and what the warps fetch against `tessera access`. With Node,
the page's own reading of maps is compared with `tessera map eval`; with Chromium, the page is loaded and looked at. For
each kernel of examples/ttgir and of the vectors: the page's data against `tessera info`, and its commands against its numbers."""

import argparse
import html.parser
import json
import pathlib
import random
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SEED = 20261123
problems = []


def check(condition, *what):
    if not condition:
        problems.append(" ".join(map(str, what)))


def run(words, **options):
    return subprocess.run(words, capture_output=True, text=True, timeout=300, check=False, cwd=ROOT, **options)


def lines_of(tessera, *words):
    done = run([tessera, "hlo", *words, "--json"])
    return [json.loads(line) for line in done.stdout.splitlines()]


def counted(number):
    """A number of the report, in the format of the other verbs."""
    lower, upper = number if isinstance(number, list) else (number, number)
    return {"lower": lower, "upper": upper}


def check_instructions(tessera, name, report):
    rows = {(row["computation"], row["instruction"]): row for row in report["instructions"]}
    for line in lines_of(tessera, name):
        row = rows[line["computation"], line["instruction"]]
        place = f"{name} {line['computation']}/{line['instruction']}"
        check(report["types"][row["type"]]["type"] == line["type"], place, "type")
        check(row["exactness"] == line["exactness"], place, "exactness")
        maps = [{**pair, "maps": [report["maps"][m] for m in pair["maps"]]} for pair in row["indexing"]]
        check(maps == line["indexing"], place, "maps")
        check(("bitcast" in row) == ("bitcast" in line), place, "bitcast")
        for key in row.get("bitcast", {}):
            check(row["bitcast"][key] == line["bitcast"][key], place, "bitcast", key)
        for own, operand in zip(row["operands"], line["operands"], strict=True):
            check(report["instructions"][own["instruction"]]["instruction"] == operand["name"], place, "operand")
            check(report["types"][own["type"]]["type"] == operand["type"], place, "type of an operand")
    return rows


def check_traffic(tessera, name, report, rows):
    steps = 0
    for line in lines_of(tessera, name, "--traffic"):
        if "totals" in line:
            totals = report["modules"][0]["traffic"]
            for key, value in line["totals"].items():
                own = counted(totals[key]) if isinstance(value, dict) else totals[key]
                check(own == value, name, "totals", key)
            continue
        steps += 1
        own, theirs = rows[line["computation"], line["instruction"]]["traffic"], line["traffic"]
        place = f"{name} {line['instruction']}"
        for key in ("runs", "read_bytes", "used_bytes"):
            check(counted(own[key]) == theirs[key], place, key)
        for key in ("operand_bytes", "written_bytes", "ratio", "exactness"):
            check(own[key] == theirs[key], place, key)
        check(own.get("in_place", False) == theirs["in_place"], place, "in_place")
        check(own.get("reason", "") == theirs["reason"], place, "reason")
        for one, other in zip(own["operands"], theirs["operands"], strict=True):
            check(one["operand"] == other["operand"] and one["elements"] == other["elements"], place, "operand")
            for key in ("used", "reads"):
                check(counted(one[key]) == other[key], place, key)
            check(counted(one.get("reachable", one["used"])) == other["reachable"], place, "reachable")
    check(steps == sum("traffic" in row for row in report["instructions"]), name, "number of steps")


def check_arrays(tessera, name, report):
    def place(i):
        return report["instructions"][i]["computation"] + "/" + report["instructions"][i]["instruction"]

    arrays, lost = iter(report["arrays"]), iter(report["lost_bitcasts"])
    for line in lines_of(tessera, name, "--padding"):
        if "padding" in line:
            own = dict(next(arrays))
            own.update(type=report["types"][own["type"]]["type"], first=place(own["first"]))
            del own["module"]
            check(own == line["padding"], name, "padding", own, line["padding"])
        if "padding_totals" in line:
            for key, value in report["modules"][0]["padding"].items():
                check(line["padding_totals"][key] == value, name, "padding", key)
            for one in line["padding_totals"].get("lost", []):
                own = next(lost)
                check({"instruction": place(own["instruction"]), "bytes": own["bytes"]} == one, name, "lost bitcast", one)
    check(next(arrays, None) is None, name, "too many arrays")
    movements, chains = iter(report["movements"]), iter(report["chains"])
    for line in lines_of(tessera, name, "--copies", "--bandwidth", "100"):
        if "movement" in line:
            own, theirs = next(movements), line["movement"]
            check(place(own["instruction"]) == theirs["instruction"], name, "movement")
            check(counted(own["runs"]) == theirs["runs"], name, "runs of a movement")
            for key in ("moves", "bytes", "moved_bytes", "traffic_bytes", "kernels"):
                check(own[key] == theirs[key], name, theirs["instruction"], key)
        if "chain" in line:
            own = dict(next(chains))
            own["instructions"] = [place(i) for i in own["instructions"]]
            del own["module"]
            check(own == line["chain"], name, "chain")
        if "copies_totals" in line:
            for key, value in report["modules"][0]["copies"].items():
                check(line["copies_totals"][key] == value, name, "copies", key)


def answers(tessera, commands):
    """The JSON of the commands that the report prints."""
    for command in commands:
        words = shlex.split(command)
        check(words[0] == "tessera", command)
        done = run([tessera, *words[1:], "--json"])
        check(done.stdout, command, done.stderr)
        yield json.loads(done.stdout.splitlines()[0]) if done.stdout else {}


def check_tiles_and_warps(tessera, name, report, chance):
    """Checks a few of each kind, because every question starts the program."""
    tiled = [row for row in report["instructions"] if "tile" in row]
    for row in chance.sample(tiled, min(6, len(tiled))):
        own = report["tiles"][row["tile"]]
        sizes = ",".join(map(str, own["tile"]))
        place = f"{row['computation']}/{row['instruction']}"
        answer = next(answers(tessera, [f"tessera tile {name} --op {place}" + (f" --tile {sizes}" if sizes else "")]))
        for key in ("type", "tile", "tiles"):
            check(own[key] == answer.get(key), name, place, "tile", key)
        check(own["traffic"] in (answer.get("traffic"), []), name, place, "traffic of tiles")
    warped = [(row, x) for row in report["instructions"] for x in row.get("traffic", {}).get("operands", [])
              if report["warps"][x["warp"]].get("map") and "sampled" not in report["warps"][x["warp"]]
              and "element" not in x]
    for row, x in chance.sample(warped, min(6, len(warped))):
        warp = report["warps"][x["warp"]]
        type_text = report["types"][row["operands"][x["operand"]]["type"]]["type"]
        command = shlex.join(["tessera", "access", type_text, "--threads", "map:" + warp["map"], "--space", "global"])
        answer = next(answers(tessera, [command]))
        counts = answer.get("accesses", [{}])[0].get("global") or {}
        check([counts.get("sectors"), counts.get("ideal_sectors")] == [warp["sectors"], warp["fewest"]], name, command)


class Scripts(html.parser.HTMLParser):
    """The script elements of a page by id."""

    def __init__(self, text):
        super().__init__()
        self.found, self.current = {}, None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        check(not dict(attributes).get("src") and tag != "link", "the page loads", tag, attributes)
        self.current = dict(attributes).get("id") if tag == "script" else None

    def handle_endtag(self, tag):
        self.current = None

    def handle_data(self, data):
        if self.current:
            self.found[self.current] = self.found.get(self.current, "") + data


def check_script(tessera, scripts, reports, chance):
    """Runs the page's parser of maps under Node: at random points it must agree with `tessera map eval`."""
    maps = sorted({m["map"] for report in reports for m in report["maps"] if m["map"].startswith("(d0")})
    chosen = chance.sample(maps, min(40, len(maps)))
    questions, expected = [], []
    for text in chosen:
        bounds = [tuple(map(int, b)) for b in re.findall(r"(?:d|s|rt)\d+ in \[(-?\d+), (-?\d+)\]", text)]
        count = len(re.findall(r"\w+", text.split("->")[0]))
        point = [chance.randint(*b) for b in bounds[:count]]
        done = run([tessera, "map", "eval", text, ",".join(map(str, point)), "--json"])
        answer = json.loads(done.stdout)
        value = re.match(r"\(\) -> \((.*?)\)", answer["map"]) if "map" in answer else None
        questions.append({"map": text, "point": point})
        expected.append([int(x) for x in value.group(1).split(", ") if x] if value else None)
    program = scripts["logic"] + """
const questions = JSON.parse(require("fs").readFileSync(0, "utf8"));
const answers = questions.map(({map, point}) => {
  const m = parseMap(map);
  const inside = m.constraints.every(c => { const x = c.value(point); return x >= c.lower && x <= c.upper; });
  return inside ? m.results.map(f => f(point)) : null;
});
const order = [3, null, 1, 2];
const facts = {sorted: sortRows(order, x => x, true), bytes: [bytesText(999), bytesText(1234567)],
               bound: [numberText([0, 5], countText), numberText([7, null], countText), numberText(3, countText)],
               word: shellWord("a b'c"), found: filterRows(["ab", "bc"], x => x, "b c", () => true)};
console.log(JSON.stringify({answers, facts}));
"""
    with tempfile.NamedTemporaryFile("w", suffix=".js") as file:
        file.write(program)
        file.flush()
        done = run(["node", file.name], input=json.dumps(questions))
    check(done.returncode == 0, "the page's script fails:", done.stderr)
    if done.returncode:
        return
    result = json.loads(done.stdout)
    for question, own, theirs in zip(questions, result["answers"], expected, strict=True):
        check(own == theirs, "the page evaluates", question, "to", own, "and not to", theirs)
    facts = {"sorted": [3, 2, 1, None], "bytes": ["999 B", "1.23 MB"], "bound": ["≤ 5", "≥ 7", "3"],
             "word": "'a b'\\''c'", "found": ["bc"]}
    check(result["facts"] == facts, "the page's tables:", result["facts"])


def check_in_browser(page, address, wanted):
    done = run(["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=8000", "--enable-logging=stderr",
                "--dump-dom", page.as_uri() + address])
    errors = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    check(not errors, "the browser reports", errors)
    check("data-ready=" in done.stdout, page.name, address, "the page's script did not finish")
    for text in wanted:
        check(text in done.stdout, page.name, address, "the page does not show", text)


# Opens an instruction from a list that is filtered and scrolled, goes back, and says where the page is.
BACK = """<script>
(async () => {
  const wait = () => new Promise(done => setTimeout(done, 300));
  const press = (selector, k = 0) => document.querySelectorAll(selector)[k].dispatchEvent(new MouseEvent("click"));
  press("[data-view=instructions]");
  document.getElementById("search").value = "norm";
  document.getElementById("search").oninput();
  const list = document.querySelector("#table .body");
  list.scrollTop = 90;
  await wait();
  press("#table .row", 6);
  await wait();
  press("#detail svg .node:not(.here)");
  await wait();
  history.back();
  await wait();
  history.back();
  await wait();
  document.title = ["back", view, document.getElementById("search").value, list.scrollTop, location.hash].join(" ");
})();
</script>"""


def check_back(page):
    copy = page.with_name("back.html")
    copy.write_text(page.read_text().replace("</body>", BACK + "</body>"))
    done = run(["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=8000",
                "--window-size=1400,800", "--dump-dom", copy.as_uri()])
    check("<title>back instructions norm 90 #/instructions</title>" in done.stdout, "Back leads to",
          re.findall("<title>.*?</title>", done.stdout))


WIDTHS = """<script>
(async () => {
  const wait = () => new Promise(done => setTimeout(done, 60));
  const cut = [];
  for (const view of [...document.querySelectorAll("button.view")].map(b => b.dataset.view).filter(v => v !== "summary")) {
    location.hash = "#/" + view;
    await wait();
    for (const cell of document.querySelectorAll("#table .row .number"))
      if (cell.scrollWidth > cell.clientWidth) cut.push(view + ": " + cell.textContent);
  }
  document.title = "cut: " + cut.join("; ");
})();
</script>"""


def check_kernel(tessera, path, folder):
    """The page of a TTGIR file has the numbers of its JSON, and the words of its text."""
    name = str(path.relative_to(ROOT))
    report = json.loads(run([tessera, "info", name, "--json"]).stdout)
    text = run([tessera, "info", name]).stdout
    page = pathlib.Path(folder) / (path.stem + ".ttgir.html")
    done = run([tessera, "info", name, "--report", str(page)])
    check(done.returncode == 0, name, "the page:", done.stderr)
    data = json.loads(Scripts(page.read_text()).found["data"])
    more = {"kind", "sentence", "conflict", "cure", "command", "better", "fewest", "code"}
    for own, theirs in zip(data["operations"], report["operations"], strict=True):
        check({k: v for k, v in own.items() if k not in more} == theirs, name, "line", theirs["line"], "has other numbers")
        for key in ("sentence", "conflict", "cure", *["command"] * ("conflict" in own)):
            check(own.get(key, "") in text, name, "line", theirs["line"], "the text has no", key)
        check(own["code"] in path.read_text(), name, "line", theirs["line"], "the code")
        if "command" in own:
            answer = json.loads(run([*shlex.split(own["command"].replace("tessera", tessera, 1).replace(" --fix", "")), "--json"]).stdout)
            if own["kind"] == "conversion":
                check(answer["counts"] == theirs["counts"] and answer["triton"] == theirs["triton"], name, "line", theirs["line"],
                      "the command counts", answer)
                continue
            check(answer["total"]["wavefronts"] == theirs["wavefronts"], name, "line", theirs["line"], "the command counts",
                  answer["total"]["wavefronts"])
    for key in ("layouts", "conversions", "target", "warps", "threads_per_warp", "ctas"):
        check(data[key] == report[key], name, "the page has other", key)
    if shutil.which("chromium") and report["operations"] and report["layouts"]:
        worst = max(report["operations"], key=lambda op: op.get("wavefronts") or 0, default=None)
        check_in_browser(page, "", ["What this kernel wastes"])
        check_in_browser(page, "#/layouts", [report["layouts"][0]["name"]])
        check_in_browser(page, f"#line-{worst['line']}", ["What it costs", "In the text", f"{worst.get('wavefronts') or worst['line']:,}", "Ask for this answer"])


def check_widths(page):
    """Numbers were cut in windows of 1400 pixels."""
    copy = page.with_name("widths.html")
    copy.write_text(page.read_text().replace("</body>", WIDTHS + "</body>"))
    done = run(["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=8000",
                "--window-size=1400,800", "--dump-dom", copy.as_uri()])
    check("<title>cut: </title>" in done.stdout, "numbers that do not fit", re.findall("<title>.*?</title>", done.stdout))


# The line of each fault of two programs of examples/hlo, and what the page says about it.
FAULTS = {
    "five_faults": {13: "stores bf16 as f32", 18: "that repeat", 24: "across its rows", 29: "50% is padding",
                    35: "an all-to-all could"},
    "planted_faults": {14: "stores bf16 as f32", 23: "that repeat", 36: "33% is padding", 41: "an all-to-all could",
                       47: "across its rows"},
}


def check_faults(tessera, folder, name, faults):
    """A reader of the page finds all five faults, each at its line, and can go there."""
    page = pathlib.Path(folder) / f"{name}.faults.html"
    run([tessera, "hlo", f"examples/hlo/{name}.hlo", "--chip", "h100", "--source", "examples/hlo", "--report", str(page)])
    report = json.loads(Scripts(page.read_text()).found["data"])
    source = (ROOT / f"examples/hlo/{name}.py").read_text().splitlines()
    for number, words in faults.items():
        found = [w for w in report["wastes"] if w.get("line") == f"/home/me/{name}.py:{number}" and words in w["text"]]
        check(len(found) == 1 and found[0]["code"] == source[number - 1].strip(), "the fault of line", number, "is not found:", found)
    seconds = [w["seconds"]["upper"] for w in report["wastes"]]
    check(seconds == sorted(seconds, reverse=True) and seconds[-1] > 0, "wastes are not in the order of time:", seconds)
    if shutil.which("chromium"):
        check_in_browser(page, "", [*faults.values(), *(f'href="vscode://file/home/me/{name}.py:{n}"' for n in faults),
                                    "Live at the peak", "Time on NVIDIA H100", "in tiles with 52.4 MB on chip"])
        check_in_browser(page, "#/wastes", ["across its rows"])
        check_widths(page)


def check_tiled(tessera, name, folder):
    """The report has the numbers of --traffic --on-chip, and the page shows them."""
    on_chip = 4096
    report = json.loads(run([tessera, "hlo", name, "--summary", "--on-chip", str(on_chip), "--json"]).stdout)
    rows = {(row["computation"], row["instruction"]): row for row in report["instructions"]}
    tiles = 0
    for line in lines_of(tessera, name, "--traffic", "--on-chip", str(on_chip)):
        if "tiled_totals" in line:
            own = report["modules"][0]["tiled"]
            check(own["on_chip_bytes"] == on_chip and own["source"] == "", name, "bytes on chip", own)
            check(counted(own["bytes"]) == line["tiled_totals"]["bytes"], name, "the total in tiles", own)
            continue
        own, theirs = rows[line["computation"], line["instruction"]]["tiled"], line["tiled"]
        place = f"{name} {line['instruction']} in tiles"
        check(counted(own["bytes"]) == theirs["bytes"], place, "bytes", own)
        for key, other in (("tile", None), ("tile_bytes", None), ("whole", False), ("product", False), ("reason", "")):
            check(own.get(key, other) == theirs[key], place, key)
        if line["type"].startswith("(") and theirs["tile"]:
            check(own["result"] == theirs["result"], place, "result")
        if theirs["tile"] and not tiles and shutil.which("chromium"):
            page = pathlib.Path(folder) / (pathlib.Path(name).stem + ".tiled.html")
            run([tessera, "hlo", name, "--on-chip", str(on_chip), "--report", str(page)])
            address = f"#{line['computation']}%2F{line['instruction']}"
            check_in_browser(page, address, ["In tiles with 4.10 kB on chip", " × ".join(map(str, theirs["tile"]))])
        tiles += theirs["tile"] is not None
    return tiles


def self_test(tessera):
    """Each check must notice a wrong number."""
    name = "examples/hlo/transformer_block_gpu.hlo"
    text = run([tessera, "hlo", name, "--summary", "--json"]).stdout
    missed = []

    def wrong(what, change):
        report = json.loads(text)
        change(report)
        problems.clear()
        rows = check_instructions(tessera, name, report)
        check_traffic(tessera, name, report, rows)
        check_arrays(tessera, name, report)
        check_tiles_and_warps(tessera, name, report, random.Random(0))
        if not problems:
            missed.append(what)

    step = next(i for i, row in enumerate(json.loads(text)["instructions"]) if "traffic" in row)
    wrong("a map", lambda r: r["maps"].reverse())
    wrong("read bytes", lambda r: r["instructions"][step]["traffic"].update(read_bytes=1))
    wrong("used elements", lambda r: r["instructions"][step]["traffic"]["operands"][0].update(used=[0, 1]))
    wrong("moved bytes", lambda r: r["modules"][0]["traffic"].update(moved_bytes=1))
    wrong("a saving", lambda r: r["arrays"][0].update(saving=1))
    wrong("a movement", lambda r: r["movements"][0].update(traffic_bytes=1))
    wrong("tiles", lambda r: [tile.update(type="f32[]") for tile in r["tiles"]])
    wrong("warps", lambda r: [warp.update(sectors=77) for warp in r["warps"] if "map" in warp])
    print("missed: " + ", ".join(missed) if missed else "every wrong number is found")
    return 1 if missed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/release/bin")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--self-test", action="store_true")
    arguments = parser.parse_args()
    tessera = str(arguments.bin.resolve() / "tessera")
    if arguments.self_test:
        return self_test(tessera)
    chance = random.Random(arguments.seed)
    print(f"seed {arguments.seed}")
    reports, scripts = [], {}
    with tempfile.TemporaryDirectory() as folder:
        for path in sorted((ROOT / "examples/hlo").glob("*.hlo")):
            name = str(path.relative_to(ROOT))
            done = run([tessera, "hlo", name, "--summary", "--json"])
            report = json.loads(done.stdout)
            page = pathlib.Path(folder) / (path.stem + ".html")
            run([tessera, "hlo", name, "--report", str(page)])
            scripts = Scripts(page.read_text()).found
            check(json.loads(scripts["data"]) == report, name, "the page has other data than the JSON")
            rows = check_instructions(tessera, name, report)
            check_traffic(tessera, name, report, rows)
            check_arrays(tessera, name, report)
            check_tiles_and_warps(tessera, name, report, chance)
            commands = [one["command"] for one in report["summary"] if "command" in one]
            for _ in answers(tessera, sorted(set(commands))):
                pass
            reports.append(report)
        for path in sorted([*(ROOT / "examples/ttgir").glob("*.ttgir"), *(ROOT / "tests/vectors/triton/ttgir").glob("*.ttgir")]):
            check_kernel(tessera, path, folder)
        if shutil.which("node"):
            check_script(tessera, scripts, reports, chance)
        else:
            print("skipped: the page's script, because there is no node")
        for name, faults in FAULTS.items():
            check_faults(tessera, folder, name, faults)
        tiles = sum(check_tiled(tessera, f"examples/hlo/{name}.hlo", folder)
                    for name in ("transformer_block_gpu", "planted_faults", "kv_cache_decode"))
        check(tiles > 10, "there are only", tiles, "tiles")
        if shutil.which("chromium"):
            page = pathlib.Path(folder) / "transformer_block_gpu.html"
            check_in_browser(page, "", ["What this program wastes", "main/up"])
            check_in_browser(page, "#main%2Fqkv", ["Neighborhood", "Inside: qkv_computation", "tile 32 × 32", "--tile 32,32"])
            check_in_browser(page, "#/operands", ["w_qkv"])
            check_back(page)
            check_widths(page)
        else:
            print("skipped: the page in a browser, because there is no chromium")
    print("\n".join(problems[:40]))
    print(f"{len(reports)} reports, {len(problems)} problems")
    return 1 if problems or not reports else 0


if __name__ == "__main__":
    sys.exit(main())
