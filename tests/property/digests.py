"""Prints a hash of each answer over a range of universes; run in processes of their own."""

from __future__ import annotations

import hashlib
import sys
from random import Random

from tests.property.test_solver import answer_to, bytes_of
from tests.property.universes import restrained

for number in range(int(sys.argv[1]), int(sys.argv[2])):
    answer = bytes_of(answer_to(restrained(Random(number))))
    sys.stdout.write(f"{hashlib.sha256(answer).hexdigest()}\n")
