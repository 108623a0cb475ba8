"""TensorFlow's interface of release 1: graphs and sessions, which release 2 has as well."""

from typing import Any


def graph_interface(tf: Any) -> Any:
    """Return the module with ``Session`` and all that goes with it; before 1.13, TensorFlow itself."""
    return getattr(tf.compat, "v1", tf)
