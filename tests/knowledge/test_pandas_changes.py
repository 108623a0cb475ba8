"""Recorded changes of pandas: lines that failed when they were run are named, and ported ones are not."""

import pytest

from envlock.lifecycle.breaks import Rename
from envlock.lifecycle.code_breaks import Moved, find_code_breaks
from envlock.model.published.api import Api, ApiState
from tests.programs import read_program
from tests.shipped import KNOWLEDGE

HEAD = "import pandas as pd\ndf = pd.DataFrame({'a': [1]})\ns = df['a']\nt = pd.read_csv('x')\n"


def breaks(source: str, since: str) -> list[str]:
    changes = [one for one in KNOWLEDGE.changes["pandas"] if one.version == since]
    assert changes
    renames = tuple(
        Rename(old=one.old, new=one.new, since=since, breaking=True, note="", sources=one.sources, of=one.of)
        for one in changes
    )
    api = Api(state=ApiState.COMPARED, packages=("pandas",), changes=())
    moved = Moved(component="pandas", api=api, renames=renames)
    return [one.new for one in find_code_breaks([read_program(HEAD + source, "a.py")], [moved])]


@pytest.mark.parametrize(
    ("since", "line", "new"),
    [
        ("1.0.0", "df.ix[0]", "data.loc"),
        ("2.0.0", "df.append({}, ignore_index=True)", "pandas.concat([data, other])"),
        ("2.0.0", "s.append(s)", "pandas.concat([data, other])"),
        ("2.0.0", "for name, column in t.iteritems(): pass", "data.items()"),
        ("2.0.0", "t['b'].iteritems()", "data.items()"),
        ("2.0.0", "t.to_csv(line_terminator='x')", "data.to_csv(lineterminator=...)"),
        ("2.0.0", "isinstance(df.index, pd.Int64Index)", "pandas.Index(values, dtype=...)"),
        ("2.0.0", "s.mean(level=0)", "data.groupby(level=...)"),
        ("2.0.0", "pd.read_csv('x', error_bad_lines=False)", 'pandas.read_csv(on_bad_lines="skip")'),
        ("2.0.0", "pd.np.nan", "numpy"),
        ("3.0.0", "df.applymap(str)", "frame.map(function)"),
        ("3.0.0", "t['b'].fillna(method='ffill')", "data.ffill()"),
        ("3.0.0", "df.groupby('a', axis=1)", "data.T"),
        ("3.0.0", "df.index.is_integer()", "pandas.api.types.is_integer_dtype(index)"),
    ],
)
def test_a_line_that_fails_is_told_with_what_to_write(since: str, line: str, new: str) -> None:
    assert breaks(line, since) == [new]


@pytest.mark.parametrize("since", ["1.0.0", "2.0.0", "3.0.0"])
@pytest.mark.parametrize(
    "line",
    [
        "rows = []\nrows.append({})\nframes = {'x': []}\nframes['x'].append(df)",
        "pd.concat([df, t]).items()",
        "g = df.groupby('a')\ng.first()\ng.last()\ng.mean()",
        "df.to_csv(lineterminator='x')\ns.mean()\ndf.to_numpy().ravel()",
        "df.fillna(0)\ndf.ffill()\ndf.map(str)\ndf.loc[0]\ndf.T",
    ],
)
def test_ported_lines_are_no_alarm(line: str, since: str) -> None:
    assert breaks(line, since) == []
