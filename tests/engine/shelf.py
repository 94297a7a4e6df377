"""How do tests make a fixture with all that is awkward in it, and damage it?"""

import hashlib
import json

import yaml

from tests.worlds.lab.models import Box, Item, Tag
from worlds.engine import installed

lab = installed.get("lab")
NOW = "2026-06-01T09:00:00.000Z"


def awkward(inst):
    """Rows that a careless format would lose."""
    inst.call("make_box", name="plain", price="12345.67")
    inst.call(
        "make_box", name="line\u2028separator \u0085 \x00 nul \r\n \t 🦀", facts={"b": [1, 2.5, None, "é"], "a": {}}
    )
    for label in ("one", "two", "three"):
        inst.call("put_item", box="plain", label=label, weight=None if label == "one" else 2)
    inst.call("tag_box", box="plain", code="red")
    inst.call("close_later", name="plain", after_s=3600)
    with inst.bulk():
        Item.objects.filter(label="three").delete()
        Box.objects.filter(name="plain").update(luck=float("inf"))
        Tag.objects.create(code="")


def freeze(fixture_id="small", **options):
    """The awkward rows as a fixture on the shelf."""
    with lab.instance(now=NOW, seed=1) as inst:
        awkward(inst)
        return inst.freeze(fixture_id, "A box with things in it.", **options)


def edit_sidecar(fixture, **changes):
    """Change fields of `fixture.yaml`; `main__x` is the field x of the node main."""
    file = fixture.folder / "fixture.yaml"
    data = yaml.safe_load(file.read_text())
    for name, value in changes.items():
        place = data["nodes"]["main"] if name.startswith("main__") else data
        place[name.removeprefix("main__")] = value
    file.write_text(yaml.safe_dump(data, sort_keys=False))


def edit_rows(fixture, change):
    """Pass the rows (a list of dictionaries or lines) through `change`, and make the checksum fit."""
    file = fixture.folder / "main.jsonl"
    before = file.read_bytes().decode().split("\n")[:-1]
    as_they_were = {json.dumps(json.loads(line)): line for line in before}
    rows = change([json.loads(line) for line in before])
    lines = [row if isinstance(row, str) else as_they_were.get(json.dumps(row), json.dumps(row)) for row in rows]
    file.write_text("".join(f"{line}\n" for line in lines), newline="")
    counts: dict[str, int] = {}
    for row in rows:
        if isinstance(row, dict):
            counts[str(row.get("model"))] = counts.get(str(row.get("model")), 0) + 1
    edit_sidecar(fixture, main__sha256=hashlib.sha256(file.read_bytes()).hexdigest(), main__counts=counts)
