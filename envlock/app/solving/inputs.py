"""What a lock is an answer to: the digest that tells when it no longer is."""

from __future__ import annotations

import hashlib
import json

from envlock.model.project.group import Group
from envlock.model.project.manifest import Manifest


def digest_of_inputs(group: Group, manifest: Manifest) -> str:
    """What the lock is an answer to, as one hash: wishes, Python, cut-off, waivers."""
    document = {
        "wishes": sorted(wish.text for wish in group.wishes),
        "python": group.python.text,
        "as-of": str(group.as_of),
        "waivers": sorted(waiver.fact for waiver in manifest.waivers),
        **group.policy.document(),
        **manifest.sources.document(),
    }
    return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()
