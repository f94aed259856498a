#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Talks to `tessera eval` on a terminal: answers, an error that does not end the session, and Ctrl-D; with line editing
(--edit 1) also the Tab key and Ctrl-C.  repl.py --bin DIR --edit 0|1"""

import argparse
import os
import pathlib
import pty
import re
import select
import signal
import sys
import tempfile
import termios
import time

PROMPT = "tessera> "
MORE = "...> "
PATIENCE = 60  # seconds of silence
LOCAL_MODES = 3  # the index of c_lflag in the result of tcgetattr


class Terminal:
    """A conversation. With line editing, keys are sent only after the editor has changed the terminal's mode. It prints
    the prompt before that, and a Ctrl-D in between would be lost."""

    def __init__(self, program, edit, history):
        self.edit = edit
        self.child, self.descriptor = pty.fork()
        if self.child == 0:
            os.environ.update(TERM="xterm", NO_COLOR="1", TESSERA_HISTORY=history)
            os.execv(program, [program, "eval"])
        self.unread = b""

    def read_until(self, text):
        """The output up to and including a text; fails after PATIENCE seconds of silence."""
        while True:
            # Escape sequences of the line editor are not output. They may arrive in pieces, so this searches all unread
            # bytes.
            seen = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", self.unread.decode(errors="replace"))
            if text in seen:
                end = seen.index(text) + len(text)
                self.unread = seen[end:].encode()
                return seen[:end]
            if not select.select([self.descriptor], [], [], PATIENCE)[0]:
                raise AssertionError(f"waited for {text!r}, got {seen!r}")
            try:
                data = os.read(self.descriptor, 4096)
            except OSError:  # the other end is closed
                data = b""
            if not data:
                raise AssertionError(f"ended before {text!r}: {seen!r}")
            self.unread += data

    def prompt(self):
        self.read_until(PROMPT)
        deadline = time.monotonic() + PATIENCE
        while self.edit and termios.tcgetattr(self.descriptor)[LOCAL_MODES] & termios.ICANON:
            if time.monotonic() > deadline:
                raise AssertionError("the line editor never gets the terminal")
            time.sleep(0.001)

    def type(self, keys):
        os.write(self.descriptor, keys.encode())

    def end(self):
        while True:
            if not select.select([self.descriptor], [], [], PATIENCE)[0]:
                raise AssertionError("continues after Ctrl-D")
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


def converse(terminal):
    terminal.prompt()

    terminal.type("L = (4,8):(8,1)\n")
    terminal.read_until("\nL = (4,8):(8,1)\r\n")
    terminal.prompt()
    terminal.type("L(2,3)\n")
    terminal.read_until("\n19\r\n")
    terminal.prompt()
    terminal.type("foo(L)\n")
    terminal.read_until("error[unknown_function]")
    terminal.prompt()
    terminal.type("variables\n")
    terminal.read_until("\nL = (4,8):(8,1)\r\n")
    terminal.prompt()
    terminal.type("help right_inv\n")
    terminal.read_until("right_inverse(L)")
    terminal.prompt()
    terminal.type("help right_inverse\n")  # with an example and its answer
    terminal.read_until("\r\n  (8,4):(4,1)\r\n")
    terminal.prompt()
    terminal.type("size(L) / 4\n")
    terminal.read_until("\n8\r\n")
    terminal.prompt()
    terminal.type("_ * 2\n")
    terminal.read_until("\n16\r\n")
    terminal.prompt()
    terminal.type("explain right_inverse(L)\n")
    terminal.read_until("goes on the chain")
    terminal.prompt()
    terminal.type("size((4,\n")  # an open bracket continues on the next line
    terminal.read_until(MORE)
    terminal.type("8))\n")
    terminal.read_until("\n32\r\n")
    terminal.prompt()
    if terminal.edit:
        terminal.type("right_i\tL)\n")  # the Tab key finishes the name
        terminal.read_until("\n(8,4):(4,1)\r\n")
        terminal.prompt()
        terminal.type("size(size(")
        terminal.read_until("size(size(")
        terminal.type("\x03")  # Ctrl-C drops the line
        terminal.prompt()
        terminal.type("size(L)\n")
        terminal.read_until("\n32\r\n")
        terminal.prompt()
        terminal.type("\x1b[A\n")  # recalls the previous line
        terminal.read_until("\n32\r\n")
        terminal.prompt()
    terminal.type("\x04")
    return terminal.end()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--edit", type=int, required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        return check(options, pathlib.Path(folder) / "state" / "history")


def recall(terminal):
    """Recalls the last line of the previous session, `size(L)`; that session's variables are gone."""
    terminal.prompt()
    terminal.type("\x1b[A\n")
    terminal.read_until("'L' has no value")
    terminal.prompt()
    terminal.type("\x04")
    return terminal.end()


def check(options, history):
    program = str(options.bin / "tessera")
    terminal = Terminal(program, options.edit, str(history))
    try:
        status = converse(terminal)
        print(f"ended with status {status}")
        if status == 0 and options.edit:
            if history.stat().st_mode & 0o077:
                raise AssertionError("others can read the history")
            terminal = Terminal(program, options.edit, str(history))
            status = recall(terminal)
            history.unlink()
            terminal = Terminal(program, options.edit, "")  # no history is kept
            converse(terminal)
            if history.exists():
                raise AssertionError("a history was kept")
        return status
    except AssertionError as error:
        print(error)
        terminal.give_up()
        return 1


if __name__ == "__main__":
    sys.exit(main())
