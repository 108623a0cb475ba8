"""A lock as a CycloneDX bill of materials: distributions with hashes and licences, and system components."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterable, Mapping

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model import HashAlgorithm, HashType, Property
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.model.contact import OrganizationalEntity
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL

from envlock.model.component import Layer
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.locked.lock import Lock
from envlock.model.locked.pins import DistributionPin, SystemPin
from envlock.model.project.package_sources import REPOSITORY


def sbom(
    lock: Lock,
    knowledge: Knowledge,
    licences: Mapping[str, str],
    *,
    serial: str,
    made: dt.datetime,
    wheels: Mapping[str, str] | None = None,
) -> str:
    """Return the bill of materials as JSON text (CycloneDX 1.6); the same arguments give the same text.

    What the node decides (driver, GPU, C library, and the interpreter) is a platform, all else a library. A
    component's ``hashes`` are those of the file that the lock pins; for what was built, the property
    ``envlock:wheel-sha256`` holds the hash of the resulting wheel.

    Args:
        lock: the lock.
        knowledge: names the owner of each system component.
        licences: component -> its licence, as in its metadata.
        serial: the document's serial number, a UUID.
        made: its timestamp.
        wheels: component -> sha256 of the wheel built for it, if one is available.
    """
    factory, built = LicenseFactory(), wheels or {}
    python = Component(name="python", version=lock.python, type=ComponentType.PLATFORM, bom_ref="python")
    systems = {pin.component: _system(pin, knowledge) for pin in lock.systems if not pin.distribution}
    made_of = {pin.component: _distribution(pin, factory, licences, built) for pin in lock.distributions}
    bom = Bom(components=[python, *systems.values(), *made_of.values()])
    bom.metadata.timestamp = made
    bom.metadata.component = root = Component(
        name=lock.group, type=ComponentType.APPLICATION, bom_ref=f"group:{lock.group}"
    )
    every = {**systems, **made_of}
    bom.register_dependency(root, [python, *every.values()])
    for pin in lock.distributions:
        needs = {*pin.dependencies, *(pin.build.systems if pin.build else ())}
        bom.register_dependency(
            made_of[pin.component], [python, *(every[n] for n in sorted(needs) if n in every)]
        )
    document = json.loads(JsonV1Dot6(bom).output_as_string())
    document["serialNumber"] = f"urn:uuid:{serial}"  # Bom would choose a random one
    return json.dumps(document, indent=1, sort_keys=True) + "\n"


def _distribution(
    pin: DistributionPin, factory: LicenseFactory, licences: Mapping[str, str], wheels: Mapping[str, str]
) -> Component:
    own = {"envlock:file": pin.file.filename}
    if pin.component in wheels:
        own["envlock:wheel-sha256"] = wheels[pin.component]
    for name, version in (pin.build.systems if pin.build else {}).items():
        own[f"envlock:built-against:{name}"] = version
    licence = licences.get(pin.component, "")
    return Component(
        name=pin.name,
        version=pin.version,
        type=ComponentType.LIBRARY,
        bom_ref=f"{pin.name}=={pin.version}",
        purl=_purl(pin),
        hashes=[HashType(alg=HashAlgorithm.SHA_256, content=pin.file.sha256)] if pin.file.sha256 else [],
        licenses=[factory.make_from_string(licence)] if licence else [],
        properties=_properties(own),
    )


def _purl(pin: DistributionPin) -> PackageURL:
    """Return the package URL for scanners; a group's own sources are not the index's project of that name.

    What no registry has gets the type ``generic`` (package-url/purl-spec, its types and qualifiers).
    """
    if pin.file.is_folder:
        return PackageURL("generic", name=pin.name, version=pin.version)
    if pin.file.direct and pin.file.url.startswith(REPOSITORY):
        return PackageURL("generic", name=pin.name, version=pin.version, qualifiers={"vcs_url": pin.file.url})
    return PackageURL("pypi", name=pin.name, version=pin.version)


def _system(pin: SystemPin, knowledge: Knowledge) -> Component:
    known = knowledge.systems.get(pin.component)
    own = {"envlock:origin": pin.origin.value}
    if pin.prefix:
        own["envlock:prefix"] = pin.prefix
    if pin.modules:
        own["envlock:modules"] = " ".join(pin.modules)
    owner = known.layer.value if known else Layer.CORE.value
    return Component(
        name=pin.component,
        version=pin.version,
        type=ComponentType.PLATFORM if known and known.fixed else ComponentType.LIBRARY,
        bom_ref=f"system:{pin.component}",
        supplier=OrganizationalEntity(name=f"the site ({owner} layer)"),
        properties=_properties(own),
    )


def _properties(values: Mapping[str, str]) -> Iterable[Property]:
    return [Property(name=name, value=value) for name, value in sorted(values.items())]
