"""Decoding of a group's policy: constraints, overrides, exclusions, pre-releases, agreement."""

from __future__ import annotations

from packaging.requirements import InvalidRequirement, Requirement

from envlock.model.component import DISTRIBUTION_PREFIX, Range
from envlock.model.decode import Table
from envlock.model.knowing.knowledge import Knowledge
from envlock.model.project.policy import ALL, Constraint, Exclusion, Forms, Override, Policy


def decode_policy(table: Table, group: str, knowledge: Knowledge) -> Policy:
    """Decode one group's own policy; names of system components are those of the knowledge base.

    Raises:
        RequestError: a text is not a requirement or a name, or two overrides are for one distribution.
    """
    overrides: dict[str, Override] = {}
    for one in table.tables("overrides"):
        override = _override(one, group, knowledge)
        if override.component in overrides:
            raise one.error(
                f"there are two overrides of {override.component!r}",
                key="requirement",
                hint="combine them into one",
            )
        overrides[override.component] = override
    exclusions = [
        Exclusion(component=_distribution(table, text, "exclude", knowledge), group=group)
        for text in table.texts("exclude")
    ]
    prereleases = [
        _distribution(table, text, "prereleases", knowledge) for text in table.texts("prereleases")
    ]
    return Policy(
        constraints=tuple(_constraint(table, text, group, knowledge) for text in table.texts("constraints")),
        overrides=tuple(overrides.values()),
        exclusions=tuple(exclusions),
        prereleases=frozenset(prereleases),
        prefer_same_as=table.text("prefer-same-as", ""),
        forms=_forms(table, knowledge),
    )


def _constraint(table: Table, text: str, group: str, knowledge: Knowledge) -> Constraint:
    requirement = _requirement(table, text, "constraints", 'write constraints = ["numpy<2"]')
    if requirement.extras or requirement.url:
        raise table.error(
            f"{text!r} asks for more than versions",
            key="constraints",
            hint="extras and files belong in requires = [...]",
        )
    component = knowledge.component(requirement.name)
    system = component in knowledge.systems and not text.startswith(DISTRIBUTION_PREFIX)
    return Constraint(
        component=component if system else knowledge.distribution(requirement.name),
        range=Range.versions(str(requirement.specifier)),
        requirement=None if system else requirement,
        text=text,
        group=group,
    )


def _override(table: Table, group: str, knowledge: Knowledge) -> Override:
    text = table.text("requirement")
    requirement = _requirement(table, text, "requirement", 'write requirement = "numpy>=2"')
    override = Override(
        component=knowledge.distribution(requirement.name),
        requirement=requirement,
        reason=table.text("reason"),
        group=group,
    )
    if not override.reason.strip():
        raise table.error(
            "an override needs a reason", key="reason", hint="say what is wrong in the metadata"
        )
    if requirement.url:
        raise table.error(
            f"{text!r} names a file", key="requirement", hint="put the file into requires = [...]"
        )
    table.done()
    return override


def _forms(table: Table, knowledge: Knowledge) -> Forms:
    no_binary, only_binary = (
        frozenset(
            text if text == ALL else _distribution(table, text, key, knowledge) for text in table.texts(key)
        )
        for key in ("no-binary", "only-binary")
    )
    if both := sorted(no_binary & only_binary):
        raise table.error(
            f"{both[0]!r} may come neither as a wheel nor as an sdist",
            key="only-binary",
            hint="keep it in one of no-binary and only-binary; a name takes precedence over :all:",
        )
    return Forms(no_binary=no_binary, only_binary=only_binary)


def _distribution(table: Table, text: str, key: str, knowledge: Knowledge) -> str:
    requirement = _requirement(table, text, key, f'write {key} = ["tensorboard"]')
    if str(requirement) != requirement.name:
        raise table.error(f"{text!r} is more than a name", key=key, hint=f'write "{requirement.name}"')
    return knowledge.distribution(requirement.name)


def _requirement(table: Table, text: str, key: str, hint: str) -> Requirement:
    try:
        return Requirement(text.removeprefix(DISTRIBUTION_PREFIX))
    except InvalidRequirement as error:
        message = str(error).splitlines()[0]
        raise table.error(f"{text!r} is not a valid requirement: {message}", key=key, hint=hint) from None
