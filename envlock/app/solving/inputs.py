"""The digest of everything that a lock answers, which tells when it no longer does."""

from __future__ import annotations

import hashlib
import json

from envlock.model.project.group import Group
from envlock.model.project.manifest import Manifest


def digest_of_inputs(group: Group, manifest: Manifest) -> str:
    """Return one hash of all that the lock answers: wishes, Python, cut-off, waivers, policy, sources."""
    document = {
        "wishes": sorted(wish.text for wish in group.wishes),
        "python": group.python.text,
        "as-of": str(group.as_of),
        "waivers": sorted(waiver.fact for waiver in manifest.waivers),
        **group.policy.document(),
        **manifest.sources.document(),
    }
    return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()
