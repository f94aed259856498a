#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Talks to `tessera eval` on a terminal of its own: answers, an error that ends nothing, and Ctrl-D; where lines can be
edited (--edit 1) also the Tab key and Ctrl-C.  repl.py --bin DIR --edit 0|1"""

import argparse
import os
import pathlib
import pty
import re
import select
import signal
import sys

PROMPT = "tessera> "
PATIENCE = 15  # seconds of silence


class Terminal:
    def __init__(self, program):
        self.child, self.descriptor = pty.fork()
        if self.child == 0:
            os.environ.update(TERM="xterm", NO_COLOR="1")
            os.execv(program, [program, "eval"])
        self.seen, self.status = "", None

    def read_until(self, text):
        """What came up to and with a text; fails after a while of silence."""
        while text not in self.seen:
            if not select.select([self.descriptor], [], [], PATIENCE)[0]:
                raise AssertionError(f"waited for {text!r}, got {self.seen!r}")
            try:
                data = os.read(self.descriptor, 4096)
            except OSError:  # the other end is closed
                data = b""
            if not data:
                raise AssertionError(f"ended before {text!r}: {self.seen!r}")
            # Escape sequences of the line editor are not what is said.
            self.seen += re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", data.decode(errors="replace"))
        end = self.seen.index(text) + len(text)
        part, self.seen = self.seen[:end], self.seen[end:]
        return part

    def type(self, keys):
        os.write(self.descriptor, keys.encode())

    def end(self):
        while True:
            if not select.select([self.descriptor], [], [], PATIENCE)[0]:
                raise AssertionError("goes on behind Ctrl-D")
            try:
                if not os.read(self.descriptor, 4096):
                    break
            except OSError:
                break
        return os.waitstatus_to_exitcode(os.waitpid(self.child, 0)[1])

    def give_up(self):
        os.kill(self.child, signal.SIGKILL)
        os.waitpid(self.child, 0)
        os.close(self.descriptor)


def converse(terminal, edit):
    terminal.read_until(PROMPT)

    terminal.type("L = (4,8):(8,1)\n")
    terminal.read_until("\nL = (4,8):(8,1)\r\n")
    terminal.read_until(PROMPT)
    terminal.type("L(2,3)\n")
    terminal.read_until("\n19\r\n")
    terminal.read_until(PROMPT)
    terminal.type("foo(L)\n")
    terminal.read_until("error[unknown_function]")
    terminal.read_until(PROMPT)
    terminal.type("variables\n")
    terminal.read_until("\nL = (4,8):(8,1)\r\n")
    terminal.read_until(PROMPT)
    terminal.type("help right_inv\n")
    terminal.read_until("right_inverse(L)")
    terminal.read_until(PROMPT)
    if edit:
        terminal.type("right_i\tL)\n")  # the Tab key finishes the name
        terminal.read_until("\n(8,4):(4,1)\r\n")
        terminal.read_until(PROMPT)
        terminal.type("size(size(")
        terminal.read_until("size(size(")
        terminal.type("\x03")  # Ctrl-C drops the line
        terminal.read_until(PROMPT)
        terminal.type("size(L)\n")
        terminal.read_until("\n32\r\n")
        terminal.read_until(PROMPT)
        terminal.type("\x1b[A\n")  # the line before
        terminal.read_until("\n32\r\n")
        terminal.read_until(PROMPT)
    terminal.type("\x04")
    return terminal.end()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--edit", type=int, required=True)
    options = parser.parse_args()
    # A key that comes while the line editor changes the mode of the terminal is lost, which on busy machines happens
    # to one conversation in ten: what is said four times in vain is a fault of the program.
    for attempt in range(4):
        terminal = Terminal(str(options.bin / "tessera"))
        try:
            status = converse(terminal, options.edit)
            print(f"ended with status {status}")
            return status
        except AssertionError as error:
            print(f"conversation {attempt + 1}: {error}")
            terminal.give_up()
    return 1


if __name__ == "__main__":
    sys.exit(main())
