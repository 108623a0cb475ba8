"""Recorded changes of much-used libraries: lines that fail are named, and ported ones are not."""

import pytest

from envlock.lifecycle.breaks import Rename
from envlock.lifecycle.code_breaks import Moved, find_code_breaks
from envlock.model.published.api import Api, ApiState
from tests.programs import read_program
from tests.shipped import KNOWLEDGE

HEAD = """
import bokeh.plotting, jwt, lightgbm, nibabel, openai, polars, skimage.measure, xgboost, zarr
from PIL import Image, ImageDraw, ImageFont
from imblearn.over_sampling import SMOTE
from jinja2 import Environment
import pkg_resources
model = xgboost.XGBClassifier()
image = nibabel.load("x")
"""


def replacements(distribution: str, source: str) -> list[str]:
    renames = tuple(
        Rename(
            old=one.old,
            new=one.new,
            since=one.version,
            breaking=True,
            note="",
            sources=one.sources,
            of=one.of,
        )
        for one in KNOWLEDGE.changes[distribution]
    )
    api = Api(state=ApiState.COMPARED, packages=(), changes=())
    moved = Moved(component=distribution, api=api, renames=renames)
    return [one.new for one in find_code_breaks([read_program(source, "a.py")], [moved])]


@pytest.mark.parametrize(
    ("distribution", "line", "new"),
    [
        ("pillow", "Image.open('x').resize((3, 3), Image.ANTIALIAS)", "PIL.Image.LANCZOS"),
        ("pillow", "ImageDraw.Draw(Image.new('L', (9, 9))).textsize('a')", "draw.textbbox((0, 0), text)"),
        ("pillow", "f = ImageFont.truetype('x.ttf')\nf.getsize('a')", "font.getbbox(text)"),
        ("scikit-image", "skimage.measure.compare_ssim(a, b)", "skimage.metrics.structural_similarity"),
        (
            "lightgbm",
            "lightgbm.train({}, d, early_stopping_rounds=5)",
            "lightgbm.train(callbacks=[lightgbm.early_stopping(rounds)])",
        ),
        (
            "xgboost",
            "model.fit(X, y, early_stopping_rounds=5)",
            "xgboost.XGBClassifier(early_stopping_rounds=...)",
        ),
        ("imbalanced-learn", "SMOTE().fit_sample(X, y)", "sampler.fit_resample(X, y)"),
        ("nibabel", "image.get_data()", "image.get_fdata()"),
        ("polars", "polars.read_csv('x').groupby('a')", "frame.group_by(by)"),
        ("openai", "openai.ChatCompletion.create(model='x')", "openai.OpenAI().chat.completions.create(...)"),
        ("pyjwt", "jwt.decode(token, verify=False)", 'jwt.decode(options={"verify_signature": False})'),
    ],
)
def test_a_line_that_fails_is_told_with_what_to_write(distribution: str, line: str, new: str) -> None:
    assert new in replacements(distribution, HEAD + line)


@pytest.mark.parametrize(
    ("distribution", "line"),
    [
        ("pillow", "Image.open('x').resize((3, 3), Image.LANCZOS)\nImageFont.truetype('x.ttf').getbbox('a')"),
        ("lightgbm", "lightgbm.train({}, d, callbacks=[lightgbm.early_stopping(5)])"),
        ("xgboost", "model.fit(X, y)\nmodel.predict(X)\nxgboost.XGBClassifier(early_stopping_rounds=5)"),
        ("imbalanced-learn", "SMOTE().fit_resample(X, y)"),
        ("nibabel", "image.get_fdata()"),
        ("polars", "polars.read_csv('x').group_by('a')\n{}.get('groupby')"),
        ("pyjwt", "jwt.decode(token, key, algorithms=['HS256'])"),
        ("bokeh", "bokeh.plotting.figure(width=3, height=3)"),
        ("zarr", "zarr.open('x')\nzarr.storage.LocalStore('x')"),
        ("jinja2", "Environment().from_string('x')"),
    ],
)
def test_a_ported_line_is_no_alarm(distribution: str, line: str) -> None:
    assert replacements(distribution, HEAD + line) == []
