# SPDX-License-Identifier: Apache-2.0
"""The JSON Schemas of requests are schemas, and they accept what the verbs read."""

import json

import jsonschema
import pytest

from tessera import _core

MAP = "(d0) -> (d0 / 6, d0 mod 6), domain: d0 in [0, 47]"
REQUESTS = [
    ({"input": MAP}, True),
    ({"input": MAP, "tile": [12], "at": [5]}, True),
    ({"input": MAP, "tile": 12, "through": False}, True),
    ({"input": MAP, "tile": "12"}, True),
    ({"tile": [12]}, False),
    ({"input": 3}, False),
    ({"input": MAP, "tile": [-1]}, False),
    ({"input": MAP, "direction": "up"}, False),
    ({"input": MAP, "through": "yes"}, False),
    ({"input": MAP, "nothing": 1}, False),
]


def schema():
    return json.loads(_core._verb_schema("tile"))


def test_is_a_schema():
    jsonschema.Draft202012Validator.check_schema(schema())


def test_every_verb_has_a_schema():
    verbs = _core._verb_names().split(", ")
    assert len(verbs) > 20
    for verb in verbs:
        jsonschema.Draft202012Validator.check_schema(json.loads(_core._verb_schema(verb)))


@pytest.mark.parametrize(("request_", "good"), REQUESTS)
def test_accepts_what_the_verb_reads(request_, good):
    assert jsonschema.Draft202012Validator(schema()).is_valid(request_) == good
    texts = {
        name: [] if value is True else [str(one) for one in (value if isinstance(value, list) else [value])]
        for name, value in request_.items() if value is not False
    }
    if good:
        assert _core._ask_verb("tile", texts).status in (0, 1)
    elif request_ != {"input": 3}:
        with pytest.raises(ValueError):
            _core._ask_verb("tile", texts)


CONDITIONS = [  # a verb, a request, and whether its fields go together
    ("convert", {"layout": "(4,8):(8,1)", "to": "linear", "all": True}, True),
    ("convert", {"layout": "(4,8):(8,1)", "all": True}, False),
    ("convert", {"layout": "(4,8):(8,1)", "all": False}, True),
    ("eval", {"expr": "size((4,8))", "explain": True}, True),
    ("eval", {"expr": "size((4,8))", "explain": True, "where": "N in [1, 4]"}, False),
    ("access", {"layout": "32:1", "bytes": 4}, True),
    ("access", {"layout": "32:1", "bytes": 4, "bits": 32}, False),
    ("access", {"layout": "32:1", "bytes": 4, "all_phases": True}, False),
]


@pytest.mark.parametrize(("verb", "request_", "good"), CONDITIONS)
def test_says_which_fields_go_together(verb, request_, good):
    one = json.loads(_core._verb_schema(verb))
    assert jsonschema.Draft202012Validator(one).is_valid(request_) == good
    texts = {name: [] if value is True else [str(value)] for name, value in request_.items() if value is not False}
    if good:
        assert _core._ask_verb(verb, texts).status in (0, 1)
    else:
        with pytest.raises(ValueError):
            _core._ask_verb(verb, texts)
