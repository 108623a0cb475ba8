"""What compiled modules look for when they are imported, told by texts inside them; nothing is run."""

NUMPY_1 = "numpy.C_API_1"
"""Stands for the C interface of NumPy 1, as for a name that is read."""

PYBIND11_OF_NUMPY_1 = "numpy.pybind11_before_2_12"
"""Stands for arrays that are made with pybind11 from before 2.12, likewise."""

_MAKES_ARRAYS = (
    b"__pybind11_internals_v",
    b"NumPy: shape ndim doesn't match strides ndim\0",
    b"numpy.core.multiarray\0",
)
"""What is in all that such a pybind11 has make arrays; later ones put that module's name together."""

_INITIALISES = b"module compiled against ABI version"
"""What ``import_array`` of NumPy's headers says where NumPy is another; who never calls it has none of it."""

_ELDER = (b"numpy.core._multiarray_umath\0", b"numpy.core.multiarray\0")
_SINCE_2 = b"numpy._core._multiarray_umath\0"


def reads_of_compiled(content: bytes) -> tuple[str, ...]:
    """Names that a shared object reads as a module, so far as its texts tell.

    What was compiled with the headers of NumPy 1 looks for NumPy's own module below ``numpy.core`` alone,
    with those of NumPy 2 below ``numpy._core`` too; and NumPy 2 takes only the latter
    (https://numpy.org/doc/stable/release/2.0.0-notes.html, changes of the binary interface).

    pybind11 goes without those headers, by a description of types of its own. Before 2.12 that is NumPy 1's,
    in which items of NumPy 2 have no size, and it puts all items of an array in one place.
    """
    return (*_with_headers(content), *_with_pybind11(content))


def _with_headers(content: bytes) -> tuple[str, ...]:
    calls = _INITIALISES in content and any(name in content for name in _ELDER)
    return (NUMPY_1,) if calls and _SINCE_2 not in content else ()


def _with_pybind11(content: bytes) -> tuple[str, ...]:
    return (PYBIND11_OF_NUMPY_1,) if all(one in content for one in _MAKES_ARRAYS) else ()
