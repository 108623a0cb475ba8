"""What compiled modules look for on import, judging by strings inside them; nothing is run."""

NUMPY_1 = "numpy.C_API_1"
"""Stands for the C API of NumPy 1, as if it were a name that is read."""

PYBIND11_OF_NUMPY_1 = "numpy.pybind11_before_2_12"
"""Stands for arrays made with pybind11 from before 2.12, likewise."""

_MAKES_ARRAYS = (
    b"__pybind11_internals_v",
    b"NumPy: shape ndim doesn't match strides ndim\0",
    b"numpy.core.multiarray\0",
)
"""Found in every module that makes arrays with such a pybind11; later ones assemble the last name."""

_INITIALISES = b"module compiled against ABI version"
"""The message of ``import_array`` in NumPy's headers for another NumPy; absent if that is never called."""

_ELDER = (b"numpy.core._multiarray_umath\0", b"numpy.core.multiarray\0")
_SINCE_2 = b"numpy._core._multiarray_umath\0"


def reads_of_compiled(content: bytes) -> tuple[str, ...]:
    """Return names that stand for what a shared object reads as a module, as far as its strings tell.

    A module compiled with NumPy 1's headers looks for NumPy's own module only below ``numpy.core``, one
    compiled with NumPy 2's also below ``numpy._core``; and NumPy 2 accepts only the latter
    (https://numpy.org/doc/stable/release/2.0.0-notes.html, changes of the binary interface).

    pybind11 does without those headers and has its own description of types. Before 2.12 it is that of NumPy
    1, in which NumPy 2's items have no size, so that all items of an array are put in one place.
    """
    return (*_with_headers(content), *_with_pybind11(content))


def _with_headers(content: bytes) -> tuple[str, ...]:
    calls = _INITIALISES in content and any(name in content for name in _ELDER)
    return (NUMPY_1,) if calls and _SINCE_2 not in content else ()


def _with_pybind11(content: bytes) -> tuple[str, ...]:
    return (PYBIND11_OF_NUMPY_1,) if all(one in content for one in _MAKES_ARRAYS) else ()
