"""What a ``setup.py`` states for other interpreters than the one that packed its sdist."""

from __future__ import annotations

import pytest

from envlock.analysis.sdists.own_packages import no_packages
from envlock.analysis.sdists.sdist_metadata import read_sdist_metadata

OPENID = """
if sys.version_info[0] >= 3:
    install_requires = ['Flask>=0.10.1', 'python3-openid>=2.0']
else:
    install_requires = ['Flask>=0.3', 'python-openid>=2.0']
setup(install_requires=install_requires)
"""
"""As Flask-OpenID 1.2.5 has it, which was packed by Python 2."""

ADDED = """
PY2 = sys.version_info < (3,)
needed = ['a']
if PY2:
    needed.append('enum34')
if sys.version_info[:2] < (3, 7):
    needed += ['dataclasses']
setup(install_requires=needed)
"""

IN_PLACE = """
setup(install_requires=['a'] + (['enum34'] if sys.version_info < (3, 4) else []))
"""

IN_DICTIONARY = """
options = {'install_requires': ['a']}
if not six.PY3:
    options['install_requires'].extend(['enum34'])
setup(**options)
"""

RETURNED = """
def needed():
    lines = ['a']
    if 'bdist_wheel' not in sys.argv and sys.version_info < (3, 4):
        lines.append('enum34')
    return lines
setup(install_requires=needed())
"""

ALSO_ELSEWHERE = """
needed = ['a', 'enum34']
if sys.version_info < (3, 4):
    needed.append('enum34>=1')
setup(install_requires=needed)
"""

FOR_ANOTHER_REASON = """
needed = ['a']
if sys.platform == 'win32' or sys.version_info < (3, 4):
    needed.append('enum34')
if sys.platform == 'win32':
    needed.append('dataclasses')
setup(install_requires=needed)
"""

TRIED = """
needed = ['a']
try:
    import enum
except ImportError:
    needed.append('enum34')
if sys.version_info < (3, 4):
    needed.append('enum34')
setup(install_requires=needed)
"""

OTHER_LIST = """
tests = []
if sys.version_info < (3, 7):
    tests.append('dataclasses')
setup(install_requires=['a'], tests_require=tests)
"""


@pytest.mark.parametrize(
    ("script", "packed", "stated"),
    [
        (OPENID, "Flask>=0.3\npython-openid>=2.0\n", ["Flask>=0.10.1", "python3-openid>=2.0"]),
        (ADDED, "a\nenum34\n", ["a", 'dataclasses ; (python_version < "3.7")']),
        (IN_PLACE, "a\nenum34\n", ["a"]),
        (IN_DICTIONARY, "a\nenum34\n", ["a"]),
        (RETURNED, "a\nenum34\n", ["a"]),
        (ALSO_ELSEWHERE, "a\nenum34\n", ["a", "enum34"]),
        (FOR_ANOTHER_REASON, "a\nenum34\n", ["a", "enum34"]),
        (TRIED, "a\nenum34\n", ["a", "enum34"]),
        (OTHER_LIST, "a\n", ["a"]),
        (
            OPENID,
            "b\n\n[more]\npython-openid\n",
            ["b", 'python-openid ; extra == "more"', "Flask>=0.10.1", "python3-openid>=2.0"],
        ),
        ("not a script", "a\n", ["a"]),
    ],
)
def test_each_interpreter_gets_what_the_script_states_for_it(script, packed, stated):
    files = {"setup.py": script, "foo.egg-info/PKG-INFO": "", "foo.egg-info/requires.txt": packed}
    fields = read_sdist_metadata(files, "foo", no_packages)
    assert fields is not None
    assert list(fields.requires_dist) == stated
