"""One small call with a known answer into each library present (check P9): the child process.

An import proves little: an extension built for another NumPy C interface imports, and then reads the wrong
bytes. All libraries are imported first, so that each call runs in the company that the environment promises.
"""

import contextlib
import importlib
import os
import time
import traceback
from typing import Any, Callable, Dict, List, Tuple

from .back_ends.tensorflow_graphs import graph_interface
from .errors import WrongValueError, described
from .isolation import Reporter
from .plan import Plan

_GENSIM_WITH_VECTOR_SIZE = 4


def _module(name: str) -> Any:
    return importlib.import_module(name)


def _expect(got: Any, wanted: Any, what: str) -> None:
    if got != wanted:
        raise WrongValueError("%s is %r, expected %r" % (what, got, wanted))


def _numpy() -> None:
    numpy = _module("numpy")
    table = numpy.arange(6.0).reshape(2, 3)
    _expect(table.dot(table.T).tolist(), [[5.0, 14.0], [14.0, 50.0]], "a matrix product")


def _scipy() -> None:
    linalg = _module("scipy.linalg")
    solution = linalg.solve([[2.0, 0.0], [0.0, 4.0]], [2.0, 8.0])
    _expect([round(float(x), 9) for x in solution], [1.0, 2.0], "the solution of a linear system")


def _pandas() -> None:
    frame = _module("pandas").DataFrame({"key": ["a", "b", "a"], "value": [1, 2, 3]})
    _expect(frame.groupby("key")["value"].sum().to_dict(), {"a": 4, "b": 2}, "a grouped sum")


def _scikit_learn() -> None:
    array = _module("numpy").array
    tree = _module("sklearn.neighbors").KDTree(array([[0.0, 0.0], [3.0, 4.0]]))
    distance, _ = tree.query(array([[0.0, 0.0]]), k=2)
    _expect(distance.tolist(), [[0.0, 5.0]], "the distances to two neighbours")


def _h5py() -> None:
    with _module("h5py").File("probe.h5", "w", driver="core", backing_store=False) as file:
        file["numbers"] = [1, 2, 3]
        _expect(file["numbers"][:].tolist(), [1, 2, 3], "a data set read back")


def _gensim() -> None:
    word2vec = _module("gensim.models.word2vec")
    size = "size" if _major("gensim") < _GENSIM_WITH_VECTOR_SIZE else "vector_size"
    sentences = [["human", "interface"], ["graph", "trees"], ["graph", "minors"]] * 4
    model = word2vec.Word2Vec(sentences, min_count=1, workers=1, seed=1, **{size: 8})
    vector = model.wv["graph"]
    finite = bool(_module("numpy").isfinite(vector).all())
    _expect((vector.shape, finite), ((8,), True), "a word vector's shape and finiteness")
    _expect(round(float(model.wv.similarity("graph", "graph")), 4), 1.0, "a word's similarity to itself")


def _spacy() -> None:
    document = _module("spacy").blank("en")("Hello, world.")
    _expect([token.text for token in document], ["Hello", ",", "world", "."], "the tokens of a sentence")


def _thinc() -> None:
    numpy = _module("numpy")
    try:
        operations = _module("thinc.api").NumpyOps()
    except (ImportError, AttributeError):  # thinc 7
        operations = _module("thinc.neural.ops").NumpyOps()
    ones = numpy.ones((2, 3), dtype="float32")
    _expect(operations.gemm(ones, ones, trans2=True).tolist(), [[3.0, 3.0], [3.0, 3.0]], "a matrix product")


def _torch() -> None:
    torch = _module("torch")
    table = torch.arange(6, dtype=torch.float32).reshape(2, 3)
    _expect(table.mm(table.t()).tolist(), [[5.0, 14.0], [14.0, 50.0]], "a matrix product")
    image = torch.ones(1, 1, 3, 3)
    _expect(torch.nn.functional.conv2d(image, image).item(), 9.0, "a convolution")
    try:
        numpy = _module("numpy")
    except ImportError:
        return
    _expect(torch.from_numpy(numpy.arange(3)).numpy().tolist(), [0, 1, 2], "a tensor shared with NumPy")


def _tensorflow() -> None:
    tf = _module("tensorflow")
    v1 = graph_interface(tf)
    with tf.Graph().as_default(), tf.device("/cpu:0"):
        table = tf.constant([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]])
        image = tf.ones([1, 3, 3, 1])
        product = tf.matmul(table, table, transpose_b=True)
        convolution = tf.nn.conv2d(image, tf.ones([3, 3, 1, 1]), strides=[1, 1, 1, 1], padding="VALID")
        # without a GPU, all of whose memory a session would take from whatever else is being checked
        with v1.Session(config=v1.ConfigProto(device_count={"GPU": 0})) as session:
            got = session.run([product, convolution])
    _expect(got[0].tolist(), [[5.0, 14.0], [14.0, 50.0]], "a matrix product")
    _expect(float(got[1].sum()), 9.0, "a convolution")


def _jax() -> None:
    # on first use of a device JAX would take three quarters of the memory of a GPU that is present
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    jax, numpy = _module("jax"), _module("numpy")
    processor = _processor(jax)
    table = jax.device_put(numpy.arange(6, dtype="float32").reshape(2, 3), processor)
    product = jax.jit(lambda table: table.dot(table.T))(table)
    _expect(numpy.asarray(product).tolist(), [[5.0, 14.0], [14.0, 50.0]], "a matrix product")
    image = jax.device_put(numpy.ones((1, 1, 3, 3), dtype="float32"), processor)
    _expect(float(jax.lax.conv(image, image, (1, 1), "VALID").sum()), 9.0, "a convolution")


def _processor(jax: Any) -> Any:
    """Return the device to compute on: with JAX_PLATFORMS a site may leave JAX none but its GPUs."""
    try:
        return jax.devices("cpu")[0]
    except RuntimeError:
        return jax.devices()[0]


def _major(module: str) -> int:
    return int(_module(module).__version__.split(".")[0])


EXERCISES: Tuple[Tuple[str, str, Callable[[], None]], ...] = (
    ("numpy", "numpy", _numpy),
    ("scipy", "scipy", _scipy),
    ("pandas", "pandas", _pandas),
    ("scikit-learn", "sklearn", _scikit_learn),
    ("h5py", "h5py", _h5py),
    ("gensim", "gensim", _gensim),
    ("spacy", "spacy", _spacy),
    ("thinc", "thinc", _thinc),
    ("torch", "torch", _torch),
    ("tensorflow", "tensorflow", _tensorflow),
    ("tensorflow-cpu", "tensorflow", _tensorflow),
    ("tensorflow-gpu", "tensorflow", _tensorflow),
    ("tensorflow-rocm", "tensorflow", _tensorflow),
    ("jax", "jax", _jax),
)
"""Distribution, its module, and the call to make."""


def exercised(names: List[str]) -> List[str]:
    """Return those of these distributions that can be exercised, in order."""
    known = {distribution for distribution, _, _ in EXERCISES}
    return [name for name in names if name in known]


def run_exercises(_plan: Plan, given: Dict[str, Any], report: Reporter) -> None:
    """Import all of those given as ``only``, then call each and report the result."""
    names: List[str] = given["only"]
    table = {distribution: (module, call) for distribution, module, call in EXERCISES}
    for name in names:
        report(begins=name, done="imported")
        with contextlib.suppress(Exception):  # its own call below meets and reports the same error
            importlib.import_module(table[name][0])
    for name in names:
        report(begins=name, done="called")
        begin = time.monotonic()
        error = _call(table[name][1])
        report(exercise=name, error=error, seconds=time.monotonic() - begin)


def _call(call: Callable[[], None]) -> Dict[str, str]:
    try:
        call()
    except Exception as error:
        return {"text": described(error), "traceback": traceback.format_exc()[-4000:]}
    return {}
