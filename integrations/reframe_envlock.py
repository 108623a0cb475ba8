"""A ReFrame test that verifies an environment with envlock, for sites whose nodes ReFrame watches.

Derive from ``EnvlockVerify`` in a file of your own, once for each group:

    import reframe as rfm
    from reframe_envlock import EnvlockVerify

    @rfm.simple_test
    class Stack(EnvlockVerify):
        group = "stack"
        project = "/projects/lab"

ReFrame allocates the nodes; inside the allocation ``envlock verify`` starts the ranks itself, with the
launcher that belongs to the environment's MPI. What failed is named by check. Latency, bus bandwidth and the
time of the imports become performance variables (``mpi4py_8_bytes`` ...), for ``reference`` to hold them.
"""

import json
import os
import re

import reframe as rfm
import reframe.utility.sanity as sn
from reframe.core.backends import getlauncher
from reframe.core.builtins import run_before, sanity_function, variable

_GOOD = ("passed", "warned", "not-applicable")


class EnvlockVerify(rfm.RunOnlyRegressionTest):
    """Runs ``envlock verify`` on one group; abstract until ``group`` is set and it is marked as a test."""

    group = variable(str)
    """The group of envlock.toml."""
    project = variable(str, value=".")
    """The folder with envlock.toml."""
    target = variable(str, value="local")
    """The target, as envlock knows it."""
    ranks = variable(int, value=0)
    """How many ranks; 0: one for each node of the allocation."""
    options = variable(list, value=[])
    """Further options of ``envlock verify``."""

    descr = "envlock verify: imports, libraries and exact sums among ranks"
    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    executable = "envlock"
    tags = {"envlock"}

    @run_before("run")
    def _ask(self):
        self.job.launcher = getlauncher("local")()
        self.executable_opts = ["verify", self.group, "--json", "--project", os.path.abspath(self.project)]
        self.executable_opts += ["--target", self.target, *self.options]
        if self.ranks:
            self.executable_opts += ["--ranks", str(self.ranks)]

    @sanity_function
    def _verified(self):
        document = self._document()
        checks = document.get("report", {}).get("checks", [])
        bad = ["%(id)s %(name)s: %(message)s" % one for one in checks if one["outcome"] not in _GOOD]
        error = document.get("error", {})
        told = "; ".join(bad) or error.get("message", "") or "no report was printed"
        return sn.assert_true(document.get("passed", False), msg=told)

    @run_before("performance")
    def _measure(self):
        for metric in self._document().get("metrics", []):
            name = re.sub(r"\W+", "_", metric["name"]) + ("_bus" if metric["unit"] == "GB/s" else "")
            self.perf_variables[name] = sn.make_performance_function(
                sn.defer(metric["value"]), metric["unit"]
            )

    def _document(self):
        with open(os.path.join(self.stagedir, sn.evaluate(self.stdout)), encoding="utf-8") as stream:
            text = stream.read()
        try:
            return json.loads(text)
        except ValueError:
            return {}
