"""Rows: frozen, comparable and picklable objects over the JSON of a reply. A value becomes an object when it is first asked for."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Iterator, Mapping, Optional, TypeVar, Union, overload

if TYPE_CHECKING:
    import pandas

T = TypeVar("T")


class Field(Generic[T]):
    """A field of the JSON as an attribute; `None` if the JSON leaves the field out. `row` is the class of the rows in the field."""

    def __init__(self, row: Optional[str] = None) -> None:
        self.row = row

    def __set_name__(self, owner: type[Row], name: str) -> None:
        # A name that is a keyword of Python has `_` at its end.
        self.name, self.key = name, name.rstrip("_")

    @overload
    def __get__(self, row: None, owner: type[Row]) -> Field[T]: ...

    @overload
    def __get__(self, row: Row, owner: type[Row]) -> T: ...

    def __get__(self, row: Optional[Row], owner: type[Row]) -> Union[Field[T], T]:
        if row is None:
            return self
        made = row._made
        if self.key not in made:
            made[self.key] = _made(row._data.get(self.key), self.row)
        value: T = made[self.key]
        return value


class Row:
    """A part of a reply. Its attributes are the fields of the JSON."""

    __slots__ = ("_given", "_made")

    _given: Union[bytes, dict[str, Any]]
    _made: dict[str, Any]
    _fields: ClassVar[Mapping[str, Field[Any]]] = {}
    _classes: ClassVar[dict[str, type[Row]]] = {}

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        own = {value.key: value for value in vars(cls).values() if isinstance(value, Field)}
        cls._fields = {**cls._fields, **own}
        # A class that adds to a generated class stands in for it.
        Row._classes[cls.__name__] = cls

    def __init__(self, given: Union[bytes, dict[str, Any]]) -> None:
        object.__setattr__(self, "_given", given)
        object.__setattr__(self, "_made", {})

    @property
    def _data(self) -> dict[str, Any]:
        given = self._given
        if isinstance(given, bytes):
            given = json.loads(given)
            # The time at which the tree was compared is no part of an answer: equal answers are equal.
            given.get("snapshot", {}).pop("checked_at", None)
            object.__setattr__(self, "_given", given)
        data: dict[str, Any] = given
        return data

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen: {name} cannot be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen: {name} cannot be deleted")

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and isinstance(other, Row) and self._data == other._data

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (json.dumps(self._data, ensure_ascii=False).encode(),))

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._about()}>"

    def _about(self) -> str:
        """What tells the row from others."""
        known = [str(self._data[name]).strip()[:60] for name in _TELLING if self._data.get(name) is not None]
        return " ".join(known[:3])

    def to_dict(self) -> dict[str, Any]:
        """The JSON as a dictionary of its own."""
        copy: dict[str, Any] = json.loads(json.dumps(self._data))
        return copy


_TELLING = ("path", "line", "name", "symbol", "state", "verdict", "generation", "signal", "text")


def _made(value: Any, row: Optional[str]) -> Any:
    """A value as attributes show it."""
    if row is None or value is None:
        return value
    if isinstance(value, list):
        return tuple(_made(item, row) for item in value)
    return Row._classes[row](value) if isinstance(value, (dict, bytes)) else value


class Reply(Row, Generic[T]):
    """A reply with rows. `len(reply)`, `reply[0]` and iteration are those of its rows."""

    __slots__ = ()

    #: The field of the rows.
    _rows: ClassVar[str] = "results"

    def _all(self) -> tuple[T, ...]:
        rows: tuple[T, ...] = getattr(self, self._rows)
        return rows

    def __len__(self) -> int:
        return len(self._all())

    @overload
    def __getitem__(self, at: int) -> T: ...

    @overload
    def __getitem__(self, at: slice) -> tuple[T, ...]: ...

    def __getitem__(self, at: Union[int, slice]) -> Union[T, tuple[T, ...]]:
        return self._all()[at]

    def __iter__(self) -> Iterator[T]:
        return iter(self._all())

    def _about(self) -> str:
        of = next((self._data[name] for name in ("query", "pattern", "target", "path") if name in self._data), "")
        total = self._data.get("total", self._data.get("total_lines", len(self)))
        return f"{of!r}: {len(self)} of {total} rows"

    def _table(self) -> tuple[list[str], list[tuple[Any, ...]]]:
        """The columns and the rows of a data frame: the fields that are neither rows nor lists."""
        rows = self._all()
        fields = type(rows[0])._fields if rows else {}  # type: ignore[attr-defined]
        columns = [name for name, field in fields.items() if field.row is None and not _is_list(rows, field)]
        return columns, [tuple(row._data.get(name) for name in columns) for row in rows]  # type: ignore[attr-defined]

    def to_pandas(self) -> pandas.DataFrame:
        """A pandas data frame with a row for each row of the reply."""
        import pandas

        columns, rows = self._table()
        frame: pandas.DataFrame = pandas.DataFrame.from_records(rows, columns=columns)
        return frame

    def to_polars(self) -> Any:
        """A polars data frame with a row for each row of the reply."""
        import importlib

        columns, rows = self._table()
        return importlib.import_module("polars").DataFrame(rows, schema=columns, orient="row")


def _is_list(rows: tuple[Any, ...], field: Field[Any]) -> bool:
    return any(isinstance(row._data.get(field.key), (list, dict)) for row in rows[:1])
