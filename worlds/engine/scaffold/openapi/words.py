"""How are the words of an API document written in Python, and in the plural?"""

from __future__ import annotations

import builtins
import keyword
import re
import unicodedata
from collections.abc import Collection, Container

from django.db import models
from pydantic import BaseModel

_UNCOUNTED = frozenset(
    {"data", "equipment", "feedback", "information", "media", "news", "series", "software", "status"}
)
#: Words of a model's own, and of the class bodies that are generated.
_OF_MODELS = frozenset(dir(models.Model)) | {
    "Any", "DoesNotExist", "Meta", "MultipleObjectsReturned", "Roles", "as_dict", "choices", "dict", "instant", "int",
    "list", "models", "objects", "one_of", "place", "pk", "self", "str",
}  # fmt: skip
#: Words of the functions that are generated.
_OF_TOOLS = frozenset(dir(BaseModel)) | {
    "Annotated", "Any", "Ctx", "Field", "Literal", "bool", "changes", "cls", "ctx", "date", "datetime", "dict",
    "errors", "float", "found", "int", "isinstance", "len", "list", "listing", "more", "now", "records", "row", "rows",
    "self", "start", "str", "sum", "tool", "total", "type", "uuid",
}  # fmt: skip


#: What no tool may be called, since its module has the word already.
NO_TOOLS = _OF_TOOLS | frozenset(dir(builtins))


def words(name: str) -> list[str]:
    """The words of a name in lower case ASCII: "photoUrls" and "photo-urls" are photo, urls."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    plain = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", plain)
    return [word.lower() for word in re.split(r"[^A-Za-z0-9]+", plain) if word]


def snake(name: str, fallback: str = "value") -> str:
    """A name as Python writes it: not a keyword, no digit first, no _ doubled or at an end."""
    found = "_".join(words(name)) or fallback
    if found[0].isdigit():
        found = f"{fallback}_{found}"
    return f"{found}_{fallback}" if keyword.iskeyword(found) or keyword.issoftkeyword(found) else found


def camel(name: str, fallback: str = "Thing") -> str:
    """A name as Python writes a class's."""
    found = "".join(word[:1].upper() + word[1:] for word in words(name)) or fallback
    if found[0].isdigit():
        found = fallback + found
    return f"{found}Row" if keyword.iskeyword(found) or hasattr(builtins, found) or found in _CLASSES else found


#: Classes that are imported where the models are.
_CLASSES = frozenset({"Annotated", "Any", "Ctx", "Field", "Instance", "Literal", "Meta", "Roles", "ToolError", "World"})


def column_name(name: str, taken: Container[str]) -> str:
    """A free name for a model's field."""
    return free(_apart(snake(name), _OF_MODELS, "value"), taken)


def argument_name(name: str, taken: Container[str]) -> str:
    """A free name for a tool's parameter."""
    return free(_apart(snake(name), _OF_TOOLS, "value"), taken)


def _apart(name: str, reserved: Collection[str], suffix: str) -> str:
    if name.endswith("_id") and name.removesuffix("_id") in reserved:
        return name
    return f"{name}_{suffix}" if name in reserved else name


def free(name: str, taken: Container[str]) -> str:
    """The name, or the name with the first number that nobody has."""
    if name not in taken:
        return name
    number = 2
    while f"{name}_{number}" in taken:
        number += 1
    return f"{name}_{number}"


def singular(name: str) -> str:
    """One of them, in snake case: "companies" is company."""
    *rest, last = snake(name, "thing").split("_")
    if last in _UNCOUNTED or last.endswith(("ss", "us", "is")) or len(last) < 3:
        one = last
    elif last.endswith("ies") and len(last) > 4:
        one = f"{last[:-3]}y"
    elif last.endswith(("ches", "shes", "sses", "xes", "zes")):
        one = last[:-2]
    else:
        one = last.removesuffix("s")
    return "_".join([*rest, one])


def plural(name: str) -> str:
    """Several of them, in snake case."""
    *rest, last = snake(name, "thing").split("_")
    if last in _UNCOUNTED:
        many = last
    elif last.endswith("y") and last[-2:-1] not in ("a", "e", "i", "o", "u", ""):
        many = f"{last[:-1]}ies"
    elif last.endswith(("ch", "sh", "s", "x", "z")):
        many = f"{last}es"
    else:
        many = f"{last}s"
    return "_".join([*rest, many])


def sentence(*candidates: object, most: int = 400) -> str:
    """The first of some descriptions that says something, on one line, cut at a sentence where it is long."""
    for each in candidates:
        if not isinstance(each, str):
            continue
        line = " ".join(re.sub(r"<[^<>]{1,200}>", " ", _printable(each)).split())
        if not line:
            continue
        if len(line) > most:
            cut = line[:most].rfind(". ")
            line = line[: cut + 1] if cut > 40 else f"{line[:most].rsplit(' ', 1)[0]}…"
        line = line[0].upper() + line[1:]
        return line if line[-1] in ".!?…:" else f"{line}."
    return ""


def _printable(value: str) -> str:
    return "".join(char if char.isprintable() else " " for char in value)


def one(noun: str) -> str:
    """A noun with its article: "an owner"."""
    has_vowel = noun[0] in "aeiou" and not noun.startswith(_SAID_YOU)
    return f"{'an' if has_vowel else 'a'} {noun.replace('_', ' ')}"


#: Written with a vowel first, and not said so.
_SAID_YOU = ("eu", "one", "uni", "ur", "usa", "use", "usu", "uti", "uuid")
