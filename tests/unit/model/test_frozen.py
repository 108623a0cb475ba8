"""Our dataclass decorator makes what the standard library's makes."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from typing import Any, ClassVar

import pytest

from envlock.model.frozen import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Ours:
    """Fields of every kind."""

    kind: ClassVar[str] = "kind"
    name: str
    number: int = 3
    table: dict[str, int] = dataclasses.field(default_factory=dict)
    seen: list[int] = dataclasses.field(default_factory=list, compare=False, repr=False)
    made: str = dataclasses.field(init=False, compare=False, repr=False)
    later: dict[str, int] = dataclasses.field(init=False, compare=False, repr=False, default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "made", f"{self.name}!")


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Standard:
    """The same, by the standard library."""

    kind: ClassVar[str] = "kind"
    name: str
    number: int = 3
    table: dict[str, int] = dataclasses.field(default_factory=dict)
    seen: list[int] = dataclasses.field(default_factory=list, compare=False, repr=False)
    made: str = dataclasses.field(init=False, compare=False, repr=False)
    later: dict[str, int] = dataclasses.field(init=False, compare=False, repr=False, default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "made", f"{self.name}!")


@dataclass(frozen=True, slots=True)
class Pair:
    """Positional."""

    left: int
    right: int = 2


@dataclass(slots=True)
class Counter:
    """One that changes."""

    count: int = 0


@dataclass(frozen=True, slots=True)
class Own:
    """Methods of its own."""

    text: str

    def __hash__(self) -> int:
        return 7

    def __repr__(self) -> str:
        return "own"


@dataclass(slots=True, kw_only=True)
class Below(Counter):
    """One that has more than its base."""

    seen: list[str] = dataclasses.field(default_factory=list)
    count: int = 1


@pytest.mark.parametrize("cls", [Ours, Standard])
class TestBothAlike:
    def test_fields_and_defaults(self, cls: Any) -> None:
        one = cls(name="a")

        assert (one.name, one.number, one.table, one.seen, one.made, one.later) == ("a", 3, {}, [], "a!", {})
        assert cls.__slots__ == ("name", "number", "table", "seen", "made", "later")
        assert one.table is not cls(name="a").table
        told = [(each.name, each.type, each.init, each.kw_only) for each in dataclasses.fields(cls)]
        assert told[2:5:2] == [("table", "dict[str, int]", True, True), ("made", "str", False, True)]
        assert [name for name, *_ in told] == list(cls.__slots__)

    def test_the_many_are_as_the_first(self, cls: Any) -> None:
        many = [cls(name="a", number=4) for _ in range(20)]

        assert all(one == many[0] and (one.made, one.later) == ("a!", {}) for one in many)
        assert len({id(one.table) for one in many}) == 20
        with pytest.raises(TypeError, match="name"):
            cls(number=4)

    def test_what_counts_for_equality_and_hash(self, cls: Any) -> None:
        assert cls(name="a", seen=[1]) == cls(name="a", seen=[2])
        assert cls(name="a") != cls(name="b")
        assert cls(name="a") != ("a", 3, {})
        with pytest.raises(TypeError, match="unhashable"):
            hash(cls(name="a"))

    def test_representation(self, cls: Any) -> None:
        assert repr(cls(name="a")) == f"{cls.__name__}(name='a', number=3, table={{}})"

    def test_nothing_can_be_assigned_or_deleted(self, cls: Any) -> None:
        one = cls(name="a")

        with pytest.raises(dataclasses.FrozenInstanceError, match="cannot assign to field 'name'"):
            one.name = "b"
        with pytest.raises(dataclasses.FrozenInstanceError):
            del one.name

    @pytest.mark.parametrize("wrong", [{}, {"name": "a", "nome": 1}, {"name": "a", "made": "b"}])
    def test_wrong_arguments(self, cls: Any, wrong: dict[str, Any]) -> None:
        with pytest.raises(TypeError):
            cls(**wrong)
        with pytest.raises(TypeError):
            cls("a")

    def test_the_librarys_functions_know_it(self, cls: Any) -> None:
        one = cls(name="a", number=4)

        assert dataclasses.is_dataclass(one)
        assert dataclasses.replace(one, name="b") == cls(name="b", number=4)
        assert dataclasses.asdict(one)["number"] == 4
        assert pickle.loads(pickle.dumps(one)) == copy.deepcopy(one) == one
        assert pickle.loads(pickle.dumps(one)).made == "a!"


def test_it_has_slots() -> None:
    with pytest.raises(TypeError, match="has slots"):
        dataclass(slots=False)


def test_positional_fields_can_be_matched() -> None:
    match Pair(1):
        case Pair(left, right):
            assert (left, right) == (1, 2)

    assert len({Pair(1), Pair(1, 2), Pair(2, 1)}) == 2


def test_one_that_is_not_frozen_can_be_changed_and_not_hashed() -> None:
    counter = Counter()
    counter.count += 1

    assert counter == Counter(1)
    with pytest.raises(TypeError, match="unhashable"):
        hash(counter)


@pytest.mark.parametrize("args", [(1, 2, 3), ()])
def test_positional_fields_are_counted(args: tuple[int, ...]) -> None:
    for _ in range(20):
        assert (Pair(1), Pair(1, right=2)) == (Pair(1, 2), Pair(left=1))
    with pytest.raises(TypeError):
        Pair(*args)
    with pytest.raises(TypeError, match="left"):
        Pair(1, left=1)  # type: ignore[call-arg, misc]


def test_a_base_brings_its_fields() -> None:
    one = Below(count=3)
    one.seen.append("a")

    assert repr(one) == "Below(count=3, seen=['a'])"
    assert dataclasses.asdict(Below()) == {"count": 1, "seen": []}
    assert dataclasses.replace(one, seen=[]) == Below(count=3) != Counter(3)
    assert pickle.loads(pickle.dumps(one)) == one
    assert not hasattr(one, "__dict__")


def test_methods_of_its_own_stay() -> None:
    assert hash(Own("a")) == 7
    assert repr(Own("a")) == "own"
    assert Own("a") == Own("a")
