"""Where does each table of a store stand in a drawing, so that few lines cross?

In layers from left to right, each table to the right of those it points to. A line that passes a layer has a place
among its tables. Tables that nothing is tied to stand in rows below.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from worlds.engine.tables import ForeignKey, Table

#: Sizes, in the drawing's own units: of a line of text, a letter, a box's head; gaps; so many columns of a table.
LINE, LETTER, HEAD, PAD = 18.0, 7.3, 26.0, 10.0
GAP_X, GAP_Y, PASSING = 84.0, 22.0, 14.0
MARGIN = 24
MOST_COLUMNS, LONGEST_NAME = 12, 30
SWEEPS = 16
#: Tables without ties stand in rows of this width.
ISOLATED_WIDTH = 1100.0


@dataclass
class Line:
    """A column in a box."""

    name: str
    y: float
    is_key: bool
    link: str


@dataclass
class Box:
    """A table's place."""

    table: Table
    lines: list[Line]
    more: int
    width: float
    height: float
    x: float = 0.0
    y: float = 0.0

    @property
    def name(self) -> str:
        return short(self.table.name)

    @property
    def more_y(self) -> float:
        """How high it says how many columns are left out."""
        return self.height - PAD

    def port(self, column: str) -> float:
        """How high a line meets the box that is tied to a column."""
        offset = next((line.y for line in self.lines if line.name == short(column)), HEAD / 2)
        return self.y + offset


@dataclass
class Edge:
    """A foreign key, as a path from the table that has it to the one it points to."""

    path: str
    said: str
    child: str
    parent: str


@dataclass
class Diagram:
    """One store, drawn."""

    boxes: list[Box]
    edges: list[Edge]
    width: float
    height: float

    @property
    def view_box(self) -> str:
        return f"{-MARGIN} {-MARGIN} {self.width} {self.height}"


@dataclass(eq=False)
class _Node:
    """A box in its layer, or the place of a line that passes the layer."""

    layer: int
    height: float
    box: Box | None = None
    x: float = 0.0
    y: float = 0.0
    width: float = 0.0
    left: list[_Node] = field(default_factory=list)
    right: list[_Node] = field(default_factory=list)


def short(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"


def drawn(tables: Sequence[Table]) -> Diagram:
    """The drawing of a store's tables."""
    boxes = {table.name: _box(table) for table in tables}
    links = [(table.name, link) for table in tables for link in table.foreign_keys if link.table in boxes]
    tied = {name for child, link in links for name in (child, link.table) if child != link.table}
    parents: dict[str, list[str]] = {name: [] for name in boxes if name in tied}
    for child, link in links:
        if child != link.table and link.table not in parents[child]:
            parents[child].append(link.table)
    layers = _layers(parents)
    rows, ways = _placed(boxes, layers, parents)
    _ordered(rows)
    _settled(rows)
    _set_x(rows)
    height = max((node.y + node.height for row in rows for node in row), default=0.0)
    _place_isolated([box for name, box in boxes.items() if name not in tied], height + GAP_Y if tied else 0.0)
    for box in boxes.values():
        box.x, box.y, box.width, box.height = (round(each) for each in (box.x, box.y, box.width, box.height))
    edges = [_edge(boxes, child, link, ways) for child, link in links]
    width = max((box.x + box.width for box in boxes.values()), default=0)
    height = max((box.y + box.height for box in boxes.values()), default=0)
    return Diagram(list(boxes.values()), edges, width + 2 * MARGIN, height + 2 * MARGIN)


def _box(table: Table) -> Box:
    links = {column: link.table for link in table.foreign_keys for column in link.columns}
    columns = list(table.columns)
    if len(columns) > MOST_COLUMNS:
        telling = [c for c in columns if c["key"] or c["name"] in links]
        rest = [c for c in columns if c not in telling][: max(0, MOST_COLUMNS - len(telling))]
        columns = [column for column in columns if column in telling or column in rest]
    lines = [
        Line(short(column["name"]), HEAD + LINE * (index + 0.5), bool(column["key"]), links.get(column["name"], ""))
        for index, column in enumerate(columns)
    ]
    more = len(table.columns) - len(columns)
    letters = max([len(short(table.name)) + 1, *(len(line.name) + 2 for line in lines), 12])
    return Box(table, lines, more, letters * LETTER + 2 * PAD, HEAD + LINE * (len(lines) + bool(more)) + PAD / 2)


def _layers(parents: dict[str, list[str]]) -> dict[str, int]:
    """The layer of each table: right of what it points to, unless that leads in a circle."""
    layers: dict[str, int] = {}
    open_: set[str] = set()

    def visit(name: str) -> int:
        if name not in layers:
            open_.add(name)
            layers[name] = 1 + max((visit(p) for p in parents[name] if p not in open_), default=-1)
            open_.discard(name)
        return layers[name]

    for name in sorted(parents, key=lambda name: (len(parents[name]), name)):
        visit(name)
    children = defaultdict(list)
    for child, named in parents.items():
        for parent in named:
            children[parent].append(child)
    # What points nowhere stands next to what points to it.
    for name in sorted(layers, key=lambda name: -layers[name]):
        later = [layers[child] for child in children[name] if layers[child] > layers[name]]
        if later and not any(layers[p] < layers[name] for p in parents[name]):
            layers[name] = min(later) - 1
    return layers


Ways = dict[tuple[str, str], list[_Node]]


def _placed(
    boxes: dict[str, Box], layers: dict[str, int], parents: dict[str, list[str]]
) -> tuple[list[list[_Node]], Ways]:
    """The layers with a node for each table and for each line that passes; and the nodes on the way of each line."""
    rows: list[list[_Node]] = [[] for _ in range(max(layers.values(), default=-1) + 1)]
    nodes = {name: _Node(layer, boxes[name].height, boxes[name]) for name, layer in layers.items()}
    for name in sorted(nodes, key=lambda name: (-len(parents[name]), name)):
        rows[nodes[name].layer].append(nodes[name])
    ways: Ways = {}
    for child, named in parents.items():
        for parent in named:
            first, last = nodes[child], nodes[parent]
            way = []
            step = -1 if last.layer < first.layer else 1
            for layer in range(first.layer + step, last.layer, step):
                passing = _Node(layer, PASSING)
                rows[layer].append(passing)
                way.append(passing)
            for one, other in zip([first, *way], [*way, last], strict=True):
                west, east = (other, one) if other.layer <= one.layer else (one, other)
                west.right.append(east)
                east.left.append(west)
            ways[child, parent] = way
    return rows, ways


def _ordered(rows: list[list[_Node]]) -> None:
    """Sort each layer by where its neighbours stand, back and forth, and keep the order with the fewest crossings."""
    best, fewest = [list(row) for row in rows], _crossings(rows)
    for sweep in range(SWEEPS):
        forward = sweep % 2 == 0
        for row in rows[1:] if forward else rows[-2::-1]:
            at = {node: index for other in rows for index, node in enumerate(other)}
            middles = {}
            for index, node in enumerate(row):
                near = [at[other] for other in (node.left if forward else node.right)]
                middles[node] = sum(near) / len(near) if near else float(index)
            row.sort(key=lambda node: middles[node])
        if (found := _crossings(rows)) < fewest:
            best, fewest = [list(row) for row in rows], found
    for row, kept in zip(rows, best, strict=True):
        row[:] = kept


def _crossings(rows: Iterable[list[_Node]]) -> int:
    rows = list(rows)
    total = 0
    for west, east in zip(rows, rows[1:], strict=False):
        at = {node: index for index, node in enumerate(east)}
        ends = [sorted(at[other] for other in node.right if other in at) for node in west]
        seen: list[int] = []
        for each in ends:
            total += sum(1 for end in each for other in seen if other > end)
            seen += each
    return total


def _settled(rows: list[list[_Node]]) -> None:
    """Give each node its height in the drawing: near its neighbours, in the order of its layer."""
    for row in rows:
        y = 0.0
        for node in row:
            node.y = y
            y += node.height + _gap(node)
    tallest = max((row[-1].y + row[-1].height for row in rows if row), default=0.0)
    for row in rows:
        shift = (tallest - row[-1].y - row[-1].height) / 2 if row else 0
        for node in row:
            node.y += shift
    for sweep in range(SWEEPS):
        for row in rows if sweep % 2 == 0 else rows[::-1]:
            wanted = []
            for node in row:
                near = [other.y + other.height / 2 for other in (*node.left, *node.right)]
                wanted.append(sum(near) / len(near) - node.height / 2 if near else node.y)
            _pack(row, wanted)
    least = min((node.y for row in rows for node in row), default=0.0)
    for row in rows:
        for node in row:
            node.y -= least
            if node.box:
                node.box.y = node.y


def _gap(node: _Node) -> float:
    return GAP_Y if node.box else GAP_Y / 2


def _pack(row: list[_Node], wanted: list[float]) -> None:
    """As near as can be to where they want to stand, without touching: neighbours that would are moved as one."""
    groups: list[tuple[float, list[tuple[_Node, float]]]] = []  # where it begins, its members and their offsets
    for node, want in zip(row, wanted, strict=True):
        start, members = want, [(node, 0.0)]
        while groups:
            before, earlier = groups[-1]
            last, offset = earlier[-1]
            end = before + offset + last.height + _gap(last)
            if end <= start:
                break
            length = end - before
            groups.pop()
            start = (before * len(earlier) + (start - length) * len(members)) / (len(earlier) + len(members))
            members = [*earlier, *((each, shift + length) for each, shift in members)]
        groups.append((start, members))
    for start, members in groups:
        for node, shift in members:
            node.y = start + shift


def _set_x(rows: list[list[_Node]]) -> None:
    x = 0.0
    for row in rows:
        widest = max((node.box.width for node in row if node.box), default=40.0)
        for node in row:
            node.x, node.width = x, widest
            if node.box:
                node.box.x, node.box.width = x, widest
        x += widest + GAP_X


def _place_isolated(boxes: list[Box], y: float) -> None:
    x, tallest = 0.0, 0.0
    for box in boxes:
        if x and x + box.width > ISOLATED_WIDTH:
            x, y, tallest = 0.0, y + tallest + GAP_Y, 0.0
        box.x, box.y = x, y
        x += box.width + GAP_Y
        tallest = max(tallest, box.height)


def _edge(boxes: dict[str, Box], child: str, link: ForeignKey, ways: Ways) -> Edge:
    one, other = boxes[child], boxes[link.table]
    said = f"{child}.{', '.join(link.columns)} points to {link.table}.{', '.join(link.to)}"
    start, end = one.port(link.columns[0]), other.port(link.to[0] if link.to else "")
    if one is other:
        x = one.x + one.width
        path = f"M{x:.0f},{start:.0f} C{x + 34:.0f},{start:.0f} {x + 34:.0f},{end:.0f} {x + 3:.0f},{end:.0f}"
        return Edge(path, said, child, link.table)
    leftwards = other.x < one.x
    points = [(one.x if leftwards else one.x + one.width, start)]
    for passing in ways.get((child, link.table), []):
        middle = passing.y + passing.height / 2
        west, east = passing.x, passing.x + passing.width
        points += [(east, middle), (west, middle)] if leftwards else [(west, middle), (east, middle)]
    points.append((other.x + other.width + 3 if leftwards else other.x - 3, end))
    return Edge(_curve(points), said, child, link.table)


def _curve(points: list[tuple[float, float]]) -> str:
    """Straight through a layer, bent between two."""
    pieces = [f"M{points[0][0]:.0f},{points[0][1]:.0f}"]
    for index, ((x, y), (to_x, to_y)) in enumerate(zip(points, points[1:], strict=False)):
        middle = (x + to_x) / 2
        pieces.append(
            f"L{to_x:.0f},{to_y:.0f}"
            if index % 2
            else f"C{middle:.0f},{y:.0f} {middle:.0f},{to_y:.0f} {to_x:.0f},{to_y:.0f}"
        )
    return " ".join(pieces)
