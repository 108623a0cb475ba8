"""Whatever stands in place of a value of the manifest: it is a manifest, or an error with what to do next."""

from __future__ import annotations

import json
import re
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from envlock.edges.files import parse_toml
from envlock.edges.system_refusals import refusal_of_the_system
from envlock.model.errors import EnvlockError
from envlock.model.project.manifest import decode_manifest
from envlock.model.project.target import decode_target
from tests.shipped import KNOWLEDGE

PAGE = (Path(__file__).parents[2] / "docs/manifest.md").read_text()
EXAMPLE = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)[1]
WHOLE = [line.partition("  #")[0].rstrip() for line in EXAMPLE.splitlines()]
WRITTEN = [number for number, line in enumerate(WHOLE) if re.match(r"[\w-]+ = ", line)]
TEXTS = [
    *("", " ", "x" * 300, "9" * 5000, "\u00b2", "\0", "\x1b[31m", "\u202e", "9999-12-31", "0000-00-00"),
    *("1.0.*", "1!2+x", "==1", ">=1,<0", f"alpha=={'9' * 5000}", "alpha @ ./x", "pypi:", ":all:"),
    *("../..", "~nobody/x", "http://[::1", "git+ssh://"),
]
VALUES = [
    *("0", "-1", "nan", "1e999", "9" * 5000, "true", "[]", "{}", "[[]]", "[{}]", "[{ a = 1 }]", '["", "a"]'),
    *("0001-01-01", "9999-12-31T23:59:59-12:00", "07:32:00", '"', "[" * 2000, "{ a = {} }"),
]


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from(WRITTEN),
    st.one_of(
        st.sampled_from(VALUES), st.one_of(st.sampled_from(TEXTS), st.text(max_size=20)).map(json.dumps)
    ),
)
def test_any_value_of_any_key(number: int, value: str) -> None:
    key = WHOLE[number].partition(" = ")[0]
    text = "\n".join([*WHOLE[:number], f"{key} = {value}", *WHOLE[number + 1 :]])
    try:
        document = parse_toml(text.encode("utf-8", "replace"), Path("envlock.toml"))
        manifest = decode_manifest(document, "envlock.toml", KNOWLEDGE)
        for name, table in manifest.targets.items():
            decode_target(table, name, ())
    except Exception as error:
        told = error if isinstance(error, EnvlockError) else refusal_of_the_system(error)
        if told is None:
            raise
        assert told.hint, (told, text.splitlines()[number])
