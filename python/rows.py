"""Writes package/spyhop/_rows.py: a class for each schema of a reply in docs/openapi.json, whose schemas are those of the Rust types.

    python3 python/rows.py
"""

from __future__ import annotations

import json
import keyword
import re
import textwrap
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent
SCHEMAS: dict[str, Any] = json.loads((ROOT.parent / "docs" / "openapi.json").read_text(encoding="utf-8"))["components"]["schemas"]
OUT = ROOT / "package" / "spyhop" / "_rows.py"

# The replies that the package gives; their parts follow.
REPLIES = [
    "Checkup", "EntriesReply", "Explanation", "FileGraphReply", "FilesReply", "GraphReply", "GrepReply", "Languages", "MapReply",
    "NotesReply", "PackReply", "ReadReply", "SearchReply", "SkippedReply", "Status", "SymbolsReply", "ViewsReply", "WhyNot",
]
# The classes to which `_results` adds something.
ADDED = set(re.findall(r"^class (\w+)\(_rows\.", (OUT.parent / "_results.py").read_text(encoding="utf-8"), re.M))
# The fields that a reply is iterated over, the first one that it has.
ROWS = ["results", "entries"]
SCALARS = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}

HEAD = '''"""The rows of replies, by the schemas of docs/openapi.json. python/rows.py writes this file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional, Union

from ._row import Field, Reply, Row

if TYPE_CHECKING:
    from . import _results
'''


def named(schema: dict[str, Any]) -> str | None:
    """The name of the schema that is referred to."""
    if "$ref" not in schema:
        return None
    name: str = schema["$ref"].rsplit("/", 1)[-1]
    return "OverriddenRule" if name == "Exception" else name


# `Exception` is a name of Python.
SCHEMAS = {("OverriddenRule" if name == "Exception" else name): schema for name, schema in SCHEMAS.items()}


def shown(name: str) -> str:
    """The class that stands for a schema in types."""
    return f"_results.{name}" if name in ADDED else name


def is_row(name: str) -> bool:
    return "properties" in SCHEMAS[name]


def type_of(schema: dict[str, Any]) -> str:
    name = named(schema)
    if name is not None:
        return shown(name) if is_row(name) else type_of(SCHEMAS[name])
    if "anyOf" in schema:
        return union([type_of(choice) for choice in schema["anyOf"]])
    kind = schema.get("type")
    if isinstance(kind, list):
        return union([type_of({**schema, "type": one}) for one in kind])
    if kind == "array":
        if schema.get("minItems") and schema.get("minItems") == schema.get("maxItems"):
            return f"tuple[{', '.join([type_of(schema.get('items', {}))] * schema['minItems'])}]"
        item = type_of(schema.get("items", {}))
        return f"tuple[{item}, ...]" if row_of(schema.get("items", {})) else f"list[{item}]"
    if kind == "object":
        return "dict[str, Any]"
    return SCALARS.get(kind or "", "Any")


def union(types: list[str]) -> str:
    known = list(dict.fromkeys(types))
    if known[-1] == "None" or "None" in known:
        known.remove("None")
        return f"Optional[{known[0]}]" if len(known) == 1 else f"Optional[Union[{', '.join(known)}]]"
    return known[0] if len(known) == 1 else f"Union[{', '.join(known)}]"


def row_of(schema: dict[str, Any]) -> str | None:
    """The class of the row or of the rows that a value is."""
    name = named(schema)
    if name is not None:
        return name if is_row(name) else row_of(SCHEMAS[name])
    for choice in schema.get("anyOf", []):
        if row_of(choice):
            return row_of(choice)
    return row_of(schema["items"]) if isinstance(schema.get("items"), dict) else None


def reached() -> list[str]:
    """The schemas of the replies and of their parts, parts first."""
    seen: list[str] = []

    def visit(name: str) -> None:
        if name in seen:
            return
        seen.append(name)
        for own in SCHEMAS[name].get("properties", {}).values():
            part = row_of(own)
            if part:
                visit(part)

    for reply in REPLIES:
        visit(reply)
    return sorted(seen)


def class_of(name: str) -> str:
    schema = SCHEMAS[name]
    fields: dict[str, Any] = schema["properties"]
    rows = next((own for own in ROWS if name in REPLIES and row_of(fields.get(own, {}))), None)
    base = f'Reply["{shown(row_of(fields[rows]) or "")}"]' if rows else "Row"
    about = textwrap.wrap(schema.get("description", name), 124, break_on_hyphens=False)
    lines = [f"class {name}({base}):", *textwrap.indent('"""' + "\n".join(about) + '"""', "    ").split("\n"), ""]
    if rows and rows != "results":
        lines.append(f'    _rows = "{rows}"')
    for field, own in fields.items():
        kind = type_of(own)
        if field not in schema.get("required", []) and not kind.startswith("Optional"):
            kind = f"Optional[{kind}]"
        part = row_of(own)
        name = f"{field}_" if keyword.iskeyword(field) else field
        lines.append(f"    {name}: Field[{kind}] = Field({json.dumps(part) if part else ''})")
    return "\n".join(lines)


def written() -> str:
    names = reached()
    every = ", ".join(f'"{name}"' for name in names)
    listed = "\n".join(textwrap.wrap(f"__all__ = [{every}]", 124, subsequent_indent="    "))
    classes = "\n\n\n".join(class_of(name) for name in names)
    uses = ["TYPE_CHECKING", *(name for name in ("Any", "Optional", "Union") if re.search(rf"\b{name}\b", classes))]
    head = HEAD.replace("from typing import TYPE_CHECKING, Any, Optional, Union", f"from typing import {', '.join(uses)}")
    return f"{head}\n{listed}\n\n\n{classes}\n"


if __name__ == "__main__":
    OUT.write_text(written(), encoding="utf-8")
