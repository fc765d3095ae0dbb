"""Packs a corpus into shards of tokenised examples, each a file that training reads front to back.

An example is one document: `<file_sep>PATH\\n<fim_prefix><fim_suffix>SUFFIX<fim_middle>PREFIX` MIDDLE
`<end of text>`, some with what the planner says of the project before them. Prefix and middle are
tokenised together, as a completion with token healing sees them; the middle begins with the token
that holds its first character. Shard N of a corpus and a seed is always the same.
"""

import random
from bisect import bisect
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

import base_model as base
from contexts import Contexts, Said, names_only_in
from examples import Example, cut_example, random_window

LANGUAGE_SHARES = {"python": 0.34, "cpp": 0.20, "javascript": 0.18, "go": 0.16, "rust": 0.12}


@dataclass(frozen=True)
class PackOptions:
    shard_tokens: int = 500_000
    long_share: float = 0.10
    related_share: float = 0.3  # for which the project is asked
    unused_share: float = 0.2  # of those that it helps with no name, how many keep what it said
    max_tokens: int = 1_800
    seed: int = 1


@dataclass(frozen=True)
class Document:
    tokens: np.ndarray  # (n,) uint16
    middle: int  # index of the first token of the middle


@dataclass(frozen=True)
class Drawn:
    project: str
    path: str
    text: str


class FileSampler:
    """Draws files: a language by its share, a project by the root of its size, a file evenly."""

    def __init__(self, files: dict[str, dict[str, list[tuple[str, str]]]]):
        self._languages = [language for language in LANGUAGE_SHARES if files.get(language)]
        self._shares = [LANGUAGE_SHARES[language] for language in self._languages]
        self._projects = {language: list(files[language].items()) for language in self._languages}
        self._cumulated = {
            language: list(accumulate(sum(len(text) for _, text in project) ** 0.5 for _, project in projects))
            for language, projects in self._projects.items()
        }
        self._files = defaultdict(list)
        for projects in files.values():
            for name, project in projects.items():
                self._files[name] += project

    def draw(self, rng: random.Random) -> Drawn:
        language = rng.choices(self._languages, self._shares)[0]
        cumulated = self._cumulated[language]
        name, files = self._projects[language][bisect(cumulated, rng.random() * cumulated[-1])]
        return Drawn(name, *rng.choice(files))

    def files_of(self, project: str) -> list[tuple[str, str]]:
        """(path, text) in all languages."""
        return self._files[project]


def encode_example(tokenizer: Tokenizer, example: Example, context: Sequence[Said] = ()) -> Document:
    ids = lambda text: tokenizer.encode(text, add_special_tokens=False).ids
    said = [token for one in context
            for token in (base.REPO_NAME if one.kind == "manifests" else base.FILE_SEPARATOR, *ids(one.text))]
    head = [*said, base.FILE_SEPARATOR, *ids(example.path + "\n"), base.PREFIX, base.SUFFIX, *ids(example.suffix), base.MIDDLE]
    body = tokenizer.encode(example.prefix + example.middle, add_special_tokens=False)
    before = sum(end <= len(example.prefix) for _, end in body.offsets)
    return Document(np.array([*head, *body.ids, base.END_OF_TEXT], dtype=np.uint16), len(head) + before)


def shard_path(folder: Path, number: int) -> Path:
    return folder / f"shard-{number:04}.npz"


def draw_document(rng: random.Random, sampler: FileSampler, tokenizer: Tokenizer, options: PackOptions,
                  contexts: Contexts | None) -> Document | None:
    drawn = sampler.draw(rng)
    example = cut_example(rng, drawn.path, drawn.text)
    window, asks, keeps_unused = random_window(rng, options.long_share), rng.random(), rng.random()
    if not example:
        return None
    shown, context = example.within(window), []
    if contexts and asks < options.related_share:
        context = contexts.of(drawn.project, sampler.files_of(drawn.project), example)
        if keeps_unused >= options.unused_share and not any(names_only_in(context, shown)):
            context = []
    document = encode_example(tokenizer, shown, context)
    return document if len(document.tokens) <= options.max_tokens else None


def pack_shard(sampler: FileSampler, tokenizer: Tokenizer, folder: Path, number: int, options: PackOptions,
               contexts: Contexts | None) -> Path:
    path = shard_path(folder, number)
    if path.exists():
        return path
    folder.mkdir(parents=True, exist_ok=True)
    rng = random.Random(f"{options.seed}/{number}")
    documents, total = [], 0
    while total < options.shard_tokens:
        document = draw_document(rng, sampler, tokenizer, options, contexts)
        if document:
            documents.append(document)
            total += len(document.tokens)
    partial = path.with_suffix(".partial.npz")
    np.savez(partial, tokens=np.concatenate([d.tokens for d in documents]),
             lengths=np.array([len(d.tokens) for d in documents], np.int32),
             middles=np.array([d.middle for d in documents], np.int32))
    partial.rename(path)
    return path


def read_shard(path: Path) -> list[Document]:
    with np.load(path) as shard:
        tokens, lengths, middles = shard["tokens"], shard["lengths"], shard["middles"]
    pieces = np.split(tokens, np.cumsum(lengths)[:-1])
    return [Document(piece, int(middle)) for piece, middle in zip(pieces, middles)]
