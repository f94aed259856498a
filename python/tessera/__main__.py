# SPDX-License-Identifier: Apache-2.0
"""``python -m tessera`` is the command line."""

import sys

from ._core import _run_program


def main() -> int:
    """Runs the command line and returns its exit status."""
    return _run_program(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
