# SPDX-License-Identifier: Apache-2.0
import os
import pathlib

import pytest


@pytest.fixture(scope="session")
def source_dir() -> pathlib.Path:
    """The root of the repository."""
    return pathlib.Path(os.environ.get("TESSERA_SOURCE", pathlib.Path(__file__).parents[2]))
