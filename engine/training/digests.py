"""Whether a model's digests of files would find the files that a line leans on. They would not, so Hearth makes none.

A digest: the signs of 512 mean hidden states of a layer, over a window of tokens, less their mean over all windows. The
twelve lines before the cursor are compared with every window of every other file of the project. Recall at 5: of
the names that the line takes from other files, how many are defined in one of the five best files. Beside it the words
that query and file share, weighted by their rarity in the project, both together, and chance.
"""

import json
import math
import random
import re
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

import base_model
from model import CodeModel

LAYERS = (7, 15, 22)  # of 30, from 0
WINDOW, WINDOWS = 160, 3  # tokens; of a file
SIGNS = 512
QUERY_LINES = 12
PLACES = 14  # of a project
MOST_FILES = 130  # of a project
WEIGHTS = (0.25, 0.5, 1.0)  # of a digest beside words
WORD = re.compile(r"[A-Za-z_]\w{2,}")

Scores = dict[str, float]  # by file


@dataclass(frozen=True)
class Place:
    path: str
    query: str
    definers: list[list[str]]


def print_recall(projects: Path, places: Path, base: base_model.BaseModel, model: CodeModel) -> None:
    """`places` as `hearth bench quality --projects PROJECTS --places PLACES` wrote them."""
    recall = defaultdict(list)
    for name, drawn in sorted(read_places(projects, places).items()):
        files = [path for path in sorted((projects / name).rglob("*")) if path.is_file()]
        texts = {str(path.relative_to(projects / name)): path.read_text(errors="replace") for path in files}
        if len(texts) > MOST_FILES:
            continue
        drawn = random.Random(name).sample(drawn, min(PLACES, len(drawn)))
        for row in recall_of(texts, drawn, lambda tokens: states(model, tokens), base):
            for signal, value in row.items():
                recall[signal].append(value)
        print(f"{name}: {len(texts)} files, {len(drawn)} lines", flush=True)
    for signal, values in recall.items():
        print(f"{signal:24} {np.mean(values):.3f} +- {np.std(values) / math.sqrt(len(values)):.3f}")


def read_places(projects: Path, places: Path) -> dict[str, list[Place]]:
    """By project; only those that take a name from another file."""
    by_project = defaultdict(list)
    for line in places.read_text(errors="replace").splitlines():
        drawn = json.loads(line)
        if drawn["definers"]:
            before = (projects / drawn["project"] / drawn["path"]).read_bytes()[:drawn["offset"]].decode(errors="replace")
            query = "\n".join(before.split("\n")[-1 - QUERY_LINES:])
            by_project[drawn["project"]].append(Place(drawn["path"], query, drawn["definers"]))
    return by_project


def recall_of(texts: dict[str, str], places: list[Place], states_of: Callable, base: base_model.BaseModel) -> list[Scores]:
    windows = [(file, window) for file, text in texts.items() for window in windows_of(base, text)]
    queries = [windows_of(base, place.query)[-1] for place in places]
    found = states_of([window for _, window in windows] + queries)
    words = {file: set(WORD.findall(text)) for file, text in texts.items()}
    count = Counter(word for own in words.values() for word in own)
    rarity = lambda shared: sum(math.log(len(texts) / count[word]) for word in shared)
    rng, rows = random.Random(1), []
    for number, place in enumerate(places):
        others = [file for file in texts if file != place.path]
        own = set(WORD.findall(place.query))
        shared = {file: rarity(own & words[file]) for file in others}
        signals = {"chance": {file: rng.random() for file in others}, "words": shared}
        for layer, states in found.items():
            signs = np.sign(states - states[:len(windows)].mean(0))[:, :SIGNS]
            alike = signs[:len(windows)] @ signs[len(windows) + number] / SIGNS
            best = defaultdict(lambda: -1.0)
            for (file, _), value in zip(windows, alike):
                best[file] = max(best[file], float(value))
            signals[f"layer {layer}"] = {file: best[file] for file in others}
            ours, theirs = standard(shared), standard(signals[f"layer {layer}"])
            for weight in WEIGHTS:
                signals[f"words, {weight} layer {layer}"] = {f: ours[f] + weight * theirs[f] for f in others}
        rows.append({name: recall_at_5(scores, place) for name, scores in signals.items()})
    return rows


def windows_of(base: base_model.BaseModel, text: str) -> list[list[int]]:
    """Of equal length, what is short repeated."""
    ids = base.tokenizer.encode(text, add_special_tokens=False).ids[:WINDOW * WINDOWS] or [base_model.END_OF_TEXT]
    pieces = [ids[start:start + WINDOW] for start in range(0, len(ids), WINDOW)]
    return [(piece * WINDOW)[:WINDOW] for piece in pieces]


@torch.no_grad()
def states(model: CodeModel, windows: list[list[int]], batch: int = 8) -> dict[int, np.ndarray]:
    """Layer -> (windows, width): its states, normed, their mean over the tokens."""
    found = defaultdict(list)
    for start in range(0, len(windows), batch):
        tokens = torch.tensor(windows[start:start + batch])
        hidden = F.embedding(tokens.reshape(-1), model.embedding).float()
        for number, layer in enumerate(model.layers[:LAYERS[-1] + 1]):
            hidden = layer(hidden, *tokens.shape, model.rotations_to(tokens.shape[1]))
            if number in LAYERS:
                found[number].append(F.rms_norm(hidden, hidden.shape[-1:]).view(*tokens.shape, -1).mean(1))
    return {number: torch.cat(parts).numpy() for number, parts in found.items()}


def standard(scores: Scores) -> Scores:
    values = np.array(list(scores.values()))
    return {file: (value - values.mean()) / (values.std() + 1e-9) for file, value in scores.items()}


def recall_at_5(scores: Scores, place: Place) -> float:
    best = sorted(scores, key=lambda file: -scores[file])[:5]
    return float(np.mean([any(file in best for file in files) for files in place.definers]))
