"""What compiled modules look for when they are imported, told by texts inside them; nothing is run."""

NUMPY_1 = "numpy.C_API_1"
"""Stands for the C interface of NumPy 1, as for a name that is read."""

_INITIALISES = b"module compiled against ABI version"
"""What ``import_array`` of NumPy's headers says where NumPy is another; who never calls it has none of it."""

_ELDER = (b"numpy.core._multiarray_umath\0", b"numpy.core.multiarray\0")
_SINCE_2 = b"numpy._core._multiarray_umath\0"


def reads_of_compiled(content: bytes) -> tuple[str, ...]:
    """Names that a shared object reads as a module, so far as its texts tell.

    What was compiled with the headers of NumPy 1 looks for NumPy's own module below ``numpy.core`` alone,
    with those of NumPy 2 below ``numpy._core`` too; and NumPy 2 takes only the latter
    (https://numpy.org/doc/stable/release/2.0.0-notes.html, changes of the binary interface).
    """
    calls = _INITIALISES in content and any(name in content for name in _ELDER)
    return (NUMPY_1,) if calls and _SINCE_2 not in content else ()
