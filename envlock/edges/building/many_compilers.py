"""A plug-in for setuptools that compiles the files of an extension several at a time, as make does.

distutils compiles them one after another, so that Horovod before 0.21 takes minutes with one processor at
work. This file is copied into build environments and runs there: it imports nothing of ours and keeps to the
syntax of Python 3.6. setuptools calls what an installed distribution registers under ``ENTRY_POINTS``, from
42.0 on (https://setuptools.pypa.io/en/latest/userguide/extension.html); older ones do not look for it.
"""

import os
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from typing import Any

AT_A_TIME = "ENVLOCK_COMPILERS"
"""The variable that says how many compilers may run at a time."""
ENTRY_POINTS = "setuptools.finalize_distribution_options"


def use_many(_distribution: Any) -> None:
    """Let distutils start several compilers at a time; setuptools calls this with the distribution."""
    base = import_module("distutils.ccompiler").CCompiler  # setuptools' own distutils, where it has one
    one_by_one = base.compile
    if one_by_one.__module__ in (__name__, "numpy.distutils.ccompiler"):
        return  # done before; or numpy's, which starts several itself

    def compile_many(self: Any, sources: Any, *arguments: Any, **options: Any) -> Any:
        if len(sources) == 1 or not _is_plain(self):
            return one_by_one(self, sources, *arguments, **options)
        with ThreadPoolExecutor(int(os.environ.get(AT_A_TIME, "1"))) as pool:
            running = [pool.submit(one_by_one, self, [source], *arguments, **options) for source in sources]
            try:
                return [name for future in running for name in future.result()]
            except BaseException:
                for future in running:
                    future.cancel()
                raise

    base.compile = compile_many


def _is_plain(compiler: Any) -> bool:
    """Whether compiling changes nothing of the compiler: PyTorch's way puts nvcc into it for a file."""
    return "_compile" not in vars(compiler) and "distutils" in type(compiler)._compile.__module__  # noqa: SLF001
