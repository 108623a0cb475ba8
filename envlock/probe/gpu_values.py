"""A product and a convolution with known values on the GPU in each framework (P10): the child process.

A framework that has no code for a GPU, or cannot start on its driver, often says so only when it first
computes; some older ones compute wrong values. All numbers are small integers, so that every precision used
by tensor cores (TF32 has 11 bits) represents them exactly.
"""

import importlib
import os
from typing import Any, Callable, Dict, List, Tuple

from .back_ends.base import NotApplicableError
from .back_ends.gpus import any_here, why_none
from .back_ends.tensorflow_graphs import graph_interface
from .errors import WrongValueError, described
from .isolation import Reporter
from .modules import installed_distributions
from .plan import Plan
from .verdict import NO_GPU, not_applicable, verdict

_NAME = "values on the GPU"
_WIDTH = 256
_PERIOD = 7
_TERMS = {"float16": 8, "float32": _WIDTH, "float64": _WIDTH}
"""Type -> terms of a product; half precision represents all integers only up to 2048."""


def check_gpu_values(plan: Plan, _given: Dict[str, Any], report: Reporter) -> None:
    """Check each framework of the plan on each GPU that is visible to this process."""
    if not any_here(plan, dict(os.environ)):
        report(check=not_applicable("P10", _NAME, NO_GPU))
        return
    right: List[str] = []
    wrong: List[str] = []
    absent: List[str] = []
    for name, compute in FRAMEWORKS:
        if name not in plan.names():
            continue
        report(begins="%s on the GPU" % name)
        try:
            right.append("%s: %s" % (name, compute()))
        except NotApplicableError as reason:
            absent.append("%s: %s" % (name, reason))
        except Exception as error:
            wrong.append("%s: %s" % (name, described(error)))
    details = {"right": right, "wrong": wrong, "absent": absent}
    if wrong:
        report(check=verdict("P10", _NAME, "failed", "; ".join(wrong), details))
    elif right:
        report(check=verdict("P10", _NAME, "passed", "; ".join(right), details))
    else:
        told = "; ".join(absent) or "no framework that computes on GPUs"
        report(check=not_applicable("P10", _NAME, "not applicable: %s" % told))


def _rows() -> List[List[float]]:
    """Return a square of integers, all smaller than the period."""
    return [[float((row * 3 + column) % _PERIOD) for column in range(_WIDTH)] for row in range(_WIDTH)]


def _product(rows: List[List[float]], terms: int = _WIDTH) -> List[List[float]]:
    """Return the first two rows of its product with itself, of this many terms each, by plain arithmetic."""
    columns = list(zip(*rows[:terms]))
    return [[sum(a * b for a, b in zip(row, column)) for column in columns] for row in rows[:2]]


def _expect(got: Any, wanted: Any, what: str) -> None:
    if got != wanted:
        raise WrongValueError("%s differs from what arithmetic gives" % what)


def _torch() -> str:
    torch: Any = importlib.import_module("torch")
    if not torch.cuda.is_available():
        raise why_none(torch)
    rows = _rows()
    for number in range(torch.cuda.device_count()):
        device = "cuda:%d" % number
        for dtype, terms in _TERMS.items():
            table = torch.tensor(rows, dtype=getattr(torch, dtype), device=device)
            got = table[:2, :terms].mm(table[:terms]).double().cpu().tolist()
            _expect(got, _product(rows, terms), "a product in %s on GPU %d" % (dtype, number))
        image = torch.ones(1, 8, 9, 9, device=device)
        kernel = torch.ones(4, 8, 3, 3, device=device)
        convolved = torch.nn.functional.conv2d(image, kernel)
        _expect(set(convolved.reshape(-1).cpu().tolist()), {72.0}, "a convolution on GPU %d" % number)
    told = sorted({torch.cuda.get_device_name(number) for number in range(torch.cuda.device_count())})
    return "products and a convolution right on %d x %s" % (torch.cuda.device_count(), ", ".join(told))


def _tensorflow() -> str:
    tf: Any = importlib.import_module("tensorflow")
    rocm = getattr(tf.test, "is_built_with_rocm", None)
    if not (tf.test.is_built_with_cuda() or (rocm and rocm())):
        raise NotApplicableError("this TensorFlow was built without CUDA")
    v1 = graph_interface(tf)
    options = v1.ConfigProto(gpu_options=v1.GPUOptions(allow_growth=True))
    if not hasattr(tf, "config"):
        raise NotApplicableError("this TensorFlow does not tell its GPUs")
    count = len(tf.config.experimental.list_physical_devices("GPU"))
    if not count:
        raise RuntimeError("TensorFlow sees no GPU; its messages name the library that it lacks")
    rows = _rows()
    for number in range(count):
        with tf.Graph().as_default(), tf.device("/gpu:%d" % number):
            table = tf.constant(rows)
            product = tf.matmul(table[:2], table)
            # channels last: independent of cuDNN's other layouts, and supported by every release
            convolution = tf.nn.conv2d(
                tf.ones([1, 9, 9, 8]), tf.ones([3, 3, 8, 4]), strides=[1, 1, 1, 1], padding="VALID"
            )
            with v1.Session(config=options) as session:
                got, convolved = session.run([product, convolution])
        _expect(got.tolist(), _product(rows), "a product on GPU %d" % number)
        _expect(set(convolved.reshape(-1).tolist()), {72.0}, "a convolution on GPU %d" % number)
    return "a product and a convolution right on %d GPUs" % count


def _jax() -> str:
    # or it takes three quarters of the memory from whatever else is being checked
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    jax: Any = importlib.import_module("jax")
    devices = [device for device in jax.devices() if device.platform in ("gpu", "cuda", "rocm")]
    if not devices:
        if not _jax_has_gpus():
            raise NotApplicableError("this JAX was installed without CUDA")
        raise RuntimeError("JAX sees no GPU; its messages name what it lacks")
    return compute_with_jax(jax, devices)


def compute_with_jax(jax: Any, devices: List[Any]) -> str:
    """Compute a product and a convolution on each of these JAX devices."""
    numpy, rows = importlib.import_module("numpy"), _rows()
    for device in devices:
        table = jax.device_put(numpy.asarray(rows, dtype="float32"), device)
        got = numpy.asarray(table[:2].dot(table)).tolist()
        _expect(got, _product(rows), "a product on %s" % device)
        image = jax.device_put(numpy.ones((1, 8, 9, 9), dtype="float32"), device)
        kernel = jax.device_put(numpy.ones((4, 8, 3, 3), dtype="float32"), device)
        convolved = numpy.asarray(jax.lax.conv(image, kernel, (1, 1), "VALID"))
        _expect(set(convolved.reshape(-1).tolist()), {72.0}, "a convolution on %s" % device)
    told = sorted({device.device_kind for device in devices})
    return "products and convolutions right on %d x %s" % (len(devices), ", ".join(told))


def _jax_has_gpus() -> bool:
    """Whether JAX came with support for GPUs: plug-ins since 0.4.17, before that jaxlib itself."""
    names = installed_distributions()
    if any(name.startswith(("jax-cuda", "jax-rocm")) for name in names):
        return True
    return "cuda" in str(getattr(importlib.import_module("jaxlib.version"), "__version__", ""))


FRAMEWORKS: Tuple[Tuple[str, Callable[[], str]], ...] = (
    ("torch", _torch),
    ("tensorflow", _tensorflow),
    ("tensorflow-gpu", _tensorflow),
    ("tensorflow-rocm", _tensorflow),
    ("jax", _jax),
)
"""Distribution, and the function that computes with it on every GPU and returns a message."""
