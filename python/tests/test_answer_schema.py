# SPDX-License-Identifier: Apache-2.0
"""Answers follow the JSON Schemas that `tessera schema VERB --answer` prints, which have no keys but these."""

import importlib.util
import json
import os
import pathlib
import re
import sys

import jsonschema
import pytest

from tessera import _core

SOURCE = pathlib.Path(os.environ.get("TESSERA_SOURCE", pathlib.Path(__file__).parents[2]))
VERB_OF = {"parameters": "hlo", "report": "hlo", "placement": "at", "ttgir": "info"}
OWN = ("batch", "error", "schema", "version", "help", "completion", "link", "explore")  # verbs without a request


def validator(verb):
    schema = json.loads(_core._verb_schema(verb, True))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


@pytest.fixture(scope="module")
def validators():
    return {name.split()[0]: validator(name) for name in _core._verb_names().split(", ")}


def errors(validators, answer):
    name = answer["schema"].removeprefix("tessera.").removesuffix("/1")
    if name in OWN or "as" in answer:  # a document in place of the answer
        return []
    answer = {key: value for key, value in answer.items() if key != "picture"}
    return [error.message for error in validators[VERB_OF.get(name, name)].iter_errors(answer)]


def golden_answers():
    """The lines of JSON in the files of golden cases."""
    for path in sorted((SOURCE / "tests/cli").glob("*.cases")):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if line.startswith('>{"schema":"tessera.') and line.endswith("}") and "..." not in line:
                yield f"{path.name}:{number}", json.loads(line[1:])


def test_every_verb_has_a_schema_of_answers(validators):
    assert len(validators) >= 15


def test_golden_answers_follow_their_schemas(validators):
    wrong, count = [], 0
    for place, answer in golden_answers():
        count += 1
        wrong += [f"{place}: {message[:300]}" for message in errors(validators, answer)]
    assert not wrong, "\n".join(wrong)
    assert count > 150


def test_answers_of_every_key_follow_their_schemas(validators):
    spec = importlib.util.spec_from_file_location("json_keys", SOURCE / "tests/cli/json_keys.py")
    json_keys = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(json_keys)
    wrong, count = [], 0
    for command, answer in json_keys.outputs([sys.executable, "-m", "tessera"]):
        count += 1
        if command != ["batch"] and answer is not None:
            wrong += [f"{command}: {message[:300]}" for message in errors(validators, answer)]
    assert not wrong, "\n".join(wrong)
    assert count > 200


def test_an_undocumented_key_is_an_error(validators):
    answer = json.loads(_core._ask_verb("tile", {"input": ["(d0) -> (d0), domain: d0 in [0, 9]"]}).to_json())
    assert not errors(validators, answer)
    assert errors(validators, {**answer, "surprise": 1})
    inner = json.loads(json.dumps(answer))
    inner["symbolic"]["dims"][0]["surprise"] = 1
    assert errors(validators, inner)


def test_schemas_describe_keys(validators):
    tile = json.loads(_core._verb_schema("tile", True))["anyOf"][0]["properties"]
    assert tile["symbolic"]["properties"]["dims"]["items"]["properties"]["offset"]["description"]
    assert re.match("one object for each", tile["traffic"]["description"])


def test_schemas_have_types(validators):
    answer = json.loads(_core._ask_verb("map count", {"map": ["(d0) -> (d0), domain: d0 in [0, 9]"]}).to_json())
    assert not errors(validators, answer)
    assert not errors(validators, {**answer, "count": None})
    assert errors(validators, {**answer, "count": "10"})
    assert errors(validators, {**answer, "exact": 1})
