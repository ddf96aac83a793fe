"""Writes the typed part of the client from docs/reference/openapi.json: `python -m hindcast.rest.client_code`.

Three modules: the values that answers are made of, the table of calls, and a method for each call, once for the client
that waits and once for the one that is awaited. A test compares what is there with what this would write.
"""

from __future__ import annotations

import json
import keyword
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

JSON = "application/json"
ONCE_HEADER = "Idempotency-Key"
PREFIX = "/api/v1/"
STREAM = "text/event-stream"
# Said once, when the client is made.
_SAID_ALREADY = frozenset({"x-hindcast-space", "space", "x-hindcast-key", "authorization", "x-hindcast-csrf"})
_WRITTEN = '"""{0} Written by `make generate` from docs/reference/openapi.json; not by hand."""\n\n# ruff: noqa\n'

Schema = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a method."""

    # As Python has it, and as the API has it.
    name: str
    said: str
    type: str
    required: bool


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation of the API."""

    id: str
    method: str
    path: str
    places: tuple[Argument, ...]
    query: tuple[Argument, ...]
    headers: tuple[Argument, ...]
    body: tuple[Argument, ...]
    result: str
    accept: str
    summary: str
    # Of which type its body is.
    sends: str = JSON

    @property
    def constant(self) -> str:
        """Its name in the table."""
        return self.id.upper()

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """All of them, those that have to be given first."""
        given = (*self.places, *self.query, *self.body, *self.headers)
        return tuple(sorted(given, key=lambda one: not one.required))


class Document:
    """The API's description, read for what a client needs of it."""

    def __init__(self, document: Schema, *, prefix: str = "") -> None:
        """`prefix` stands before the name of a value, where values are not at home."""
        self._document = document
        self._prefix = prefix
        self._schemas: Schema = document.get("components", {}).get("schemas", {})

    def operations(self) -> tuple[Operation, ...]:
        """Every operation below /api/v1, by name."""
        found = [
            self._operation(path, method, one)
            for path, methods in self._document["paths"].items()
            if path.startswith(PREFIX)
            for method, one in methods.items()
            if method in ("get", "post", "put", "patch", "delete")
        ]
        names = [one.id for one in found]
        twice = sorted({name for name in names if names.count(name) > 1 or not name.isidentifier()})
        if twice:
            raise SystemExit(f"These operation ids are no names, or are there twice: {', '.join(twice)}")
        return tuple(sorted(found, key=lambda one: one.id))

    def shapes(self) -> Iterator[str]:
        """The values, each as a class, in alphabetical order."""
        for name in sorted(self._reached(), key=class_name):
            yield from self._shape(class_name(name), self._schemas[name])

    def _operation(self, path: str, method: str, one: Schema) -> Operation:
        given = [self._resolved(parameter) for parameter in one.get("parameters", ())]
        arguments = {
            where: tuple(self._argument(each) for each in given if each["in"] == where and not _is_said(each))
            for where in ("path", "query", "header")
        }
        taken = {argument.name for some in arguments.values() for argument in some}
        result, accept = self._result(one)
        return Operation(
            id=python_name(one.get("operationId", f"{method}_{path}")),
            method=method.upper(),
            path=path,
            places=arguments["path"],
            query=arguments["query"],
            headers=arguments["header"],
            body=self._body(one, taken),
            result=result,
            accept=accept,
            summary=sentence(one.get("description") or one.get("summary") or "Call it."),
            sends=self._sends(one),
        )

    def _sends(self, one: Schema) -> str:
        content = self._resolved(one.get("requestBody", {})).get("content", {})
        return JSON if JSON in content or not content else str(next(iter(content)))

    def _argument(self, parameter: Schema) -> Argument:
        required = bool(parameter.get("required"))
        kind = self.type_of(parameter.get("schema", {}))
        return Argument(python_name(parameter["name"]), parameter["name"], kind, required)

    def _body(self, one: Schema, taken: set[str]) -> tuple[Argument, ...]:
        """The fields of a JSON body as arguments; the body as one where it is no object or a name is taken."""
        body = self._resolved(one.get("requestBody", {}))
        content = body.get("content", {})
        if not content:
            return ()
        schema = content.get(JSON, next(iter(content.values()))).get("schema", {})
        fields = self._resolved(schema)
        names = fields.get("properties", {})
        if not names or set(map(python_name, names)) & taken or any(python_name(name) != name for name in names):
            return (Argument("body", "body", self.type_of(schema), bool(body.get("required"))),)
        required = set(fields.get("required", ()))
        return tuple(Argument(name, name, self.type_of(of), name in required) for name, of in names.items())

    def _result(self, one: Schema) -> tuple[str, str]:
        """What a successful answer is decoded to, and of which type it is."""
        success = next((code for code in sorted(one["responses"]) if code.startswith("2")), "")
        content = self._resolved(one["responses"].get(success, {})).get("content", {})
        if JSON in content:
            return self.type_of(content[JSON].get("schema", {})), JSON
        if not content or set(content) == {STREAM}:
            return "None", STREAM if content else JSON
        return "bytes", next(iter(content))

    def _resolved(self, schema: Schema) -> Schema:
        while "$ref" in schema:
            part: Any = self._document
            for step in schema["$ref"].removeprefix("#/").split("/"):
                part = part[step]
            schema = part
        return schema

    def _reached(self) -> set[str]:
        """Schemas that some operation's answer or body speaks of, directly or not."""
        waiting = [
            name
            for path, methods in self._document["paths"].items()
            if path.startswith(PREFIX)
            for name in _named({key: _without_failures(one) for key, one in methods.items()})
        ]
        found: set[str] = set()
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                waiting.extend(_named(self._schemas[name]))
        return found

    def _shape(self, name: str, schema: Schema) -> Iterator[str]:
        told = sentence(schema.get("description") or f"{name}.")
        properties: Schema = schema.get("properties", {})
        if schema.get("type") != "object" or not properties:
            yield f"{name}: TypeAlias = {quoted(self.type_of(schema))}\n"
            return
        yield f'class {name}(Struct, frozen=True, kw_only=True):\n    """{told}"""\n'
        required = set(schema.get("required", ()))
        for said, of in properties.items():
            kind, field = self.type_of(of), python_name(said)
            if said not in required:
                kind = optional(kind)
            renamed = "" if field == said else f'name="{said}"'
            default = "" if said in required else "default=None"
            marked = ", ".join(part for part in (renamed, default) if part)
            yield f"    {field}: {kind}" + (f" = field({marked})" if renamed else " = None" if default else "")
        yield ""

    def type_of(self, schema: Schema) -> str:
        """A schema as a Python type."""
        if "$ref" in schema:
            return self._prefix + class_name(schema["$ref"].rpartition("/")[2])
        for several in ("anyOf", "oneOf"):
            if several in schema:
                return self._either(schema[several])
        if "allOf" in schema and len(schema["allOf"]) == 1:
            return self.type_of(schema["allOf"][0])
        if "const" in schema:
            return f"Literal[{schema['const']!r}]"
        if "enum" in schema:
            return f"Literal[{', '.join(map(repr, schema['enum']))}]"
        kind = schema.get("type")
        if isinstance(kind, list):
            return self._either([{**schema, "type": one} for one in kind])
        return self._plain(kind, schema)

    def _plain(self, kind: str | None, schema: Schema) -> str:
        if kind == "array":
            return f"list[{self.type_of(schema.get('items', {}))}]"
        if kind == "object":
            values = schema.get("additionalProperties")
            return f"dict[str, {self.type_of(values) if isinstance(values, Mapping) and values else 'Any'}]"
        if kind == "string":
            return {"date-time": "datetime", "date": "date", "binary": "bytes"}.get(schema.get("format", ""), "str")
        return {"integer": "int", "number": "float", "boolean": "bool", "null": "None"}.get(kind or "", "Any")

    def _either(self, schemas: list[Schema]) -> str:
        kinds = list(dict.fromkeys(self.type_of(one) for one in schemas))
        several = [kind for kind in kinds if kind != "None"]
        plain = {"int", "float", "bool"}
        # What cannot be told apart by its JSON alone is left as it is.
        told_apart = len(several) < 2 or len([kind for kind in several if kind not in plain]) < 2
        if not told_apart or "Any" in kinds:
            return "Any"
        return " | ".join([*several, *(["None"] if "None" in kinds else [])])


def _is_said(parameter: Schema) -> bool:
    """Whether it was said when the client was made."""
    return parameter["in"] != "path" and parameter["name"].lower() in _SAID_ALREADY


def _without_failures(one: Schema) -> Schema:
    """An operation without its failures: those become errors."""
    responses = {code: of for code, of in one.get("responses", {}).items() if code.startswith("2")}
    return {**one, "responses": responses}


def _named(part: object) -> Iterator[str]:
    """The schemas that a part of the document refers to."""
    if isinstance(part, Mapping):
        ref = part.get("$ref")
        if isinstance(ref, str) and ref.startswith("#/components/schemas/"):
            yield ref.rpartition("/")[2]
        for value in part.values():
            yield from _named(value)
    elif isinstance(part, list):
        for value in part:
            yield from _named(value)


def class_name(name: str) -> str:
    """A schema's name as a class is called."""
    return "".join(part[:1].upper() + part[1:] for part in re.split(r"\W|_", name) if part)


def python_name(name: str) -> str:
    """A name of the API as Python can have it."""
    made = re.sub(r"\W", "_", name).lower() if not name.isidentifier() else name
    return f"{made}_" if keyword.iskeyword(made) else made


def optional(kind: str) -> str:
    """A type that may also be None."""
    return kind if kind in ("Any", "None") or kind.endswith("| None") else f"{kind} | None"


def sentence(text: str) -> str:
    """The first sentence of a text, on one line."""
    first = " ".join(text.split("\n\n")[0].split()).replace("\\", "").replace('"""', "'''").rstrip('"')
    return first if first.endswith((".", "?", "!")) else f"{first}."


def quoted(kind: str) -> str:
    """A type in quotes, since it may name classes that come later."""
    return json.dumps(kind) if kind[0] != "L" else kind


def shapes(document: Document) -> str:
    """The module of values."""
    head = _WRITTEN.format("What the API's answers are made of.")
    imports = (
        "from __future__ import annotations\n\nfrom datetime import date, datetime\n"
        "from typing import Any, Literal, TypeAlias\n\nfrom msgspec import Struct, field\n\n"
    )
    return head + imports + "\n".join(document.shapes())


def calls(document: Document) -> str:
    """The module with the table of calls."""
    head = _WRITTEN.format("Every call of the API.")
    imports = (
        "from __future__ import annotations\n\nfrom datetime import date, datetime\nfrom typing import Any, Literal\n\n"
        "from hindcast.client.call import Call\nfrom hindcast.client.generated import shapes\n\n"
    )
    rows, names = [], []
    for one in document.operations():
        parts = [repr(one.id), repr(one.method), repr(one.path)]
        for word, some in (("places", one.places), ("query", one.query)):
            if some:
                parts.append(f"{word}={tuple(argument.said for argument in some)!r}")
        if one.headers:
            parts.append(f"headers={ {argument.name: argument.said for argument in one.headers}!r}")
        if one.body:
            parts.append(f"body={tuple(argument.said for argument in one.body)!r}")
        if one.result != "None":
            parts.append(f"result={one.result}")
        for word, kind in (("accept", one.accept), ("sends", one.sends)):
            if kind != JSON:
                parts.append(f"{word}={kind!r}")
        rows.append(f"{one.constant}: Call[{one.result}] = Call({', '.join(parts)})\n")
        names.append(one.constant)
    table = f"CALLS: tuple[Call[Any], ...] = ({', '.join(names)},)\n"
    return head + imports + "".join(rows) + "\n" + table


def methods(document: Document, name: str, told: str, word: str) -> str:
    """A module with a method for each call: waited for, or awaited where the word is `async`."""
    head = _WRITTEN.format("A method for every call of the API.")
    imports = (
        "from __future__ import annotations\n\nfrom abc import ABC, abstractmethod\n"
        "from collections.abc import Mapping\n"
        "from datetime import date, datetime\nfrom typing import Any, Literal, TypeVar\n\n"
        "from hindcast.client.call import Call\nfrom hindcast.client.generated import calls, shapes\n\n"
        'T = TypeVar("T")\n\n'
    )
    run = (
        f'class {name}(ABC):\n    """{told}"""\n\n    @abstractmethod\n'
        f"    {word}def _run(self, call: Call[T], given: Mapping[str, object]) -> T:\n"
        '        """Make a call and read its answer."""\n\n'
    )
    each = (_method(one, word) for one in document.operations() if one.accept != STREAM)
    return "".join((head, imports, run, *each))


def _method(one: Operation, word: str) -> str:
    positional = [argument for argument in one.arguments if argument in one.places]
    named = [argument for argument in one.arguments if argument not in one.places]
    signature = ["self", *(f"{argument.name}: {argument.type}" for argument in positional)]
    if named:
        signature.append("*")
    for argument in named:
        is_needed = argument.required and argument.said != ONCE_HEADER
        signature.append(f"{argument.name}: {argument.type if is_needed else f'{optional(argument.type)} = None'}")
    given = ", ".join(f'"{_key(one, argument)}": {argument.name}' for argument in one.arguments)
    waited = "await " if word else ""
    return (
        f"    {word}def {one.id}({', '.join(signature)}) -> {one.result}:\n"
        f'        """{one.summary}"""\n'
        f"        return {waited}self._run(calls.{one.constant}, {{{given}}})\n\n"
    )


def _key(one: Operation, argument: Argument) -> str:
    return argument.name if argument in one.headers else argument.said


def written(document: Schema) -> dict[str, str]:
    """Every module that is generated, by file name."""
    outside = Document(document, prefix="shapes.")
    made = {
        "shapes.py": shapes(Document(document)),
        "calls.py": calls(outside),
        "waiting.py": methods(outside, "Calls", "Calls that are waited for.", ""),
        "awaited.py": methods(outside, "AsyncCalls", "Calls that are awaited.", "async "),
    }
    return {name: _formatted(name, text) for name, text in made.items()}


def _formatted(name: str, text: str) -> str:
    command = [sys.executable, "-m", "ruff", "format", "--stdin-filename", name, "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    return done.stdout


def main(root: Path) -> None:
    """Write them."""
    document = json.loads((root / "docs" / "reference" / "openapi.json").read_text())
    for name, text in written(document).items():
        (root / "src" / "hindcast" / "client" / "generated" / name).write_text(text)


if __name__ == "__main__":
    main(Path(__file__).parents[3])
