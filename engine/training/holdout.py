"""The hold-out: projects that no training set may contain, under any of their names."""

import re
from dataclasses import dataclass
from pathlib import Path

TABLE = Path(__file__).with_name("holdout.tsv")
SEEN_BY_THE_FIRST_ADAPTER = {"python-marshmallow", "cli11"}  # so nothing is compared on them


@dataclass(frozen=True)
class Project:
    client: str
    name: str
    other_names: tuple[str, ...]


def projects() -> list[Project]:
    rows = [line.split("\t") for line in TABLE.read_text().splitlines() if line and not line.startswith("#")]
    return [Project(client, name, tuple(others.split())) for client, name, others in rows]


def normalised(name: str) -> str:
    """What the names of one project have in common: python3-foo, python-foo, foo; libfoo-dev, foo."""
    name = name.lower().replace("_", "-").replace("@", "").replace("/", "-")
    name = re.sub(r"^(python3?|node|librust|rust|golang)-", "", name)
    name = re.sub(r"^github(\.com)?-", "", name)
    return re.sub(r"-dev$", "", name)


_NAMES = {normalised(n) for p in projects() for n in (p.name, *p.other_names)}


def is_held_out(name: str) -> bool:
    return normalised(name) in _NAMES
