# SPDX-License-Identifier: Apache-2.0
"""The program `tessera reshard`, and what was found wrong."""

import resource
import subprocess

FAILED = []


def expect(what, difference):
    if difference:
        FAILED.append(f"{what}: {difference}")
        print(f"FAILED {what}: {difference}")


class Program:
    def __init__(self, path):
        self.path = str(path)

    def __call__(self, *words, limit=None):
        def limits():
            if limit is not None:
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        return subprocess.run([self.path, "reshard", *map(str, words)], capture_output=True, text=True, check=False,
                              timeout=120, preexec_fn=limits)

    def must(self, *words):
        done = self(*words)
        if done.returncode:
            raise SystemExit(f"reshard {' '.join(map(str, words))}: {done.returncode}\n{done.stderr}")
        return done.stdout
