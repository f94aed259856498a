# SPDX-License-Identifier: Apache-2.0
"""The Python sessions of the documentation run as they are printed."""

import doctest
import pathlib
import re

import pytest


@pytest.mark.parametrize("page", ["docs/do/use-from-python.md", "docs/lookup/python.md"])
def test_sessions_of_a_page_run(source_dir: pathlib.Path, page: str) -> None:
    text = (source_dir / page).read_text()
    sessions = re.findall(r"^```pycon\n(.*?)^```", text, re.M | re.S)
    assert sessions or "python.md" in page
    test = doctest.DocTestParser().get_doctest("\n".join(sessions), {}, page, page, 0)
    lines: list[str] = []
    result = doctest.DocTestRunner().run(test, out=lines.append)
    assert result.failed == 0, "".join(lines)
