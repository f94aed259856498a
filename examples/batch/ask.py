#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Asks `tessera batch`: one request and one answer per line."""

import itertools
import json
import subprocess


class Tessera:
    def __init__(self, program="tessera"):
        self.process = subprocess.Popen([program, "batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.ids = itertools.count(1)

    def ask(self, verb, *args, **options):
        request = {"verb": verb, "args": args, "options": options, "id": next(self.ids)}
        print(json.dumps(request), file=self.process.stdin, flush=True)
        answer = json.loads(self.process.stdout.readline())
        if "error" in answer:
            raise ValueError(f"{answer['error']['code']}: {answer['error']['message']}")
        return answer


tessera = Tessera()
print(tessera.ask("map", "inverse", "(d0, d1) -> (d0 * 8 + d1), domain: d0 in [0, 3], d1 in [0, 7]")["map"])

for result in tessera.ask("hlo", "examples/hlo/sharded_mlp.hlo", op="dot")["results"]:
    for pair in result["indexing"]:
        print(result["instruction"], "reads", result["operands"][pair["operand"]]["name"], "at", pair["maps"][0]["map"])

try:
    tessera.ask("map", "simplify", "(d0) -> (d1), domain: d0 in [0, 7]")
except ValueError as error:
    print(error)
