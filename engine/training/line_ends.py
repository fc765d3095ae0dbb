"""Rests of lines on projects that training never saw, completed by `hearth` itself: decoding, token healing,
stop rules and all. The same places for every model.

`exact`: the line as it was. `similarity`: one less Levenshtein's distance as a share of the longer text.
`first`: the first word, or sign, is right.
"""

import json
import random
import re
import subprocess
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import packing
from examples import LONG, Example, Window, cut_example

SHORT = Window(1300, 600)
WINDOWS = {"4,500 + 1,500": LONG, "1,300 + 600": SHORT}
FIRST = re.compile(r"\w+|\S")
SEEN_BY_THE_FIRST_ADAPTER = {"python-marshmallow", "cli11"}


@dataclass(frozen=True)
class Score:
    exact: bool
    similarity: float
    first: bool


def print_scores(corpus: Path, hearth: Path, models: list[Path], lines_per_language: int) -> None:
    """Means over the languages' places, by model, window and language."""
    places = draw_places(corpus, lines_per_language)
    count = sum(map(len, places.values()))
    print(f"{count} lines of held-out projects, nothing known of the workspace\n"
          f"{'model':32} {'characters':14} {'language':10} exact  similarity  first")
    for window_name, window in WINDOWS.items():
        for model in models:
            scores = {language: [score(e, c) for e, c in zip(examples, complete(hearth, model, examples, window))]
                      for language, examples in places.items()}
            scores["all"] = [one for own in list(scores.values()) for one in own]
            for language, own in scores.items():
                mean = lambda field: sum(getattr(one, field) for one in own) / len(own)
                print(f"{model.stem:32} {window_name:14} {language:10} {mean('exact'):5.3f}  {mean('similarity'):10.3f}"
                      f"  {mean('first'):5.3f}", flush=True)


def draw_places(corpus: Path, count: int) -> dict[str, list[Example]]:
    """Language -> examples with the whole text; projects by turns, so that none outweighs the others."""
    places = defaultdict(list)
    for language, projects in sorted(packing.load_files(corpus, "holdout").items()):
        rng = random.Random(f"line ends/{language}")
        files = [files for name, files in sorted(projects.items()) if name not in SEEN_BY_THE_FIRST_ADAPTER]
        while len(places[language]) < count:
            for project in files:
                example = cut_example(rng, *rng.choice(project), "rest_of_line")
                if example:
                    places[language].append(example)
        del places[language][count:]
    return places


def complete(hearth: Path, model: Path, examples: list[Example], window: Window) -> list[str]:
    requests = []
    for number, example in enumerate(examples):
        shown = example.within(window)
        requests.append({"id": number, "path": shown.path, "prefix": shown.prefix, "suffix": shown.suffix, "max_tokens": 64})
    command = [str(hearth), "complete", "--batch", "-", "--model", str(model), "--memory", "off", "--index", "off",
               "--stop", "line"]
    done = subprocess.run(command, input="\n".join(map(json.dumps, requests)) + "\n", check=True, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return [json.loads(line)["completion"] for line in done.stdout.splitlines()]


def score(example: Example, completion: str) -> Score:
    said, true = completion.strip(), example.middle.strip()
    longer = max(len(said), len(true), 1)
    first = lambda text: (FIRST.findall(text) or [""])[0]
    return Score(said == true, 1 - edit_distance(said, true) / longer, first(said) == first(true))


def edit_distance(a: str, b: str) -> int:
    row = list(range(len(b) + 1))
    for i, letter in enumerate(a, 1):
        diagonal, row[0] = row[0], i
        for j, other in enumerate(b, 1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (letter != other))
    return row[-1]
