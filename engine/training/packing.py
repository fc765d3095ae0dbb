"""Packs a corpus into shards of tokenised examples, each a file that training reads front to back.

An example is one document: `<file_sep>PATH\\n<fim_prefix><fim_suffix>SUFFIX<fim_middle>PREFIX` MIDDLE
`<end of text>`. Prefix and middle are tokenised together, as a completion with token healing sees them;
the middle begins with the token that holds its first character. Shard N of a corpus and a seed is
always the same.
"""

import json
import random
from bisect import bisect
from collections import defaultdict
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

import base_model as base
from examples import Example, cut_example, random_window

LANGUAGE_SHARES = {"python": 0.34, "cpp": 0.20, "javascript": 0.18, "go": 0.16, "rust": 0.12}


@dataclass(frozen=True)
class PackOptions:
    shard_tokens: int = 500_000
    long_share: float = 0.10
    max_tokens: int = 1_800
    seed: int = 1


@dataclass(frozen=True)
class Document:
    tokens: np.ndarray  # (n,) uint16
    middle: int  # index of the first token of the middle


def load_files(corpus: Path, split: str) -> dict[str, dict[str, list[tuple[str, str]]]]:
    """language -> project -> (path, text) of a split."""
    files = defaultdict(lambda: defaultdict(list))
    with (corpus / f"{split}.jsonl").open() as lines:
        for line in lines:
            file = json.loads(line)
            files[file["language"]][file["project"]].append((file["path"], file["text"]))
    return files


class FileSampler:
    """Draws files: a language by its share, a project by the root of its size, a file evenly."""

    def __init__(self, files: dict[str, dict[str, list[tuple[str, str]]]]):
        self._languages = [language for language in LANGUAGE_SHARES if files.get(language)]
        self._shares = [LANGUAGE_SHARES[language] for language in self._languages]
        self._projects = {language: list(files[language].values()) for language in self._languages}
        self._cumulated = {
            language: list(accumulate(sum(len(text) for _, text in project) ** 0.5 for project in projects))
            for language, projects in self._projects.items()
        }

    def draw(self, rng: random.Random) -> tuple[str, str]:
        language = rng.choices(self._languages, self._shares)[0]
        cumulated = self._cumulated[language]
        return rng.choice(self._projects[language][bisect(cumulated, rng.random() * cumulated[-1])])


def encode_example(tokenizer: Tokenizer, example: Example) -> Document:
    ids = lambda text: tokenizer.encode(text, add_special_tokens=False).ids
    head = [base.FILE_SEPARATOR, *ids(example.path + "\n"), base.PREFIX, base.SUFFIX, *ids(example.suffix), base.MIDDLE]
    body = tokenizer.encode(example.prefix + example.middle, add_special_tokens=False)
    before = sum(end <= len(example.prefix) for _, end in body.offsets)
    return Document(np.array([*head, *body.ids, base.END_OF_TEXT], dtype=np.uint16), len(head) + before)


def shard_path(folder: Path, number: int) -> Path:
    return folder / f"shard-{number:04}.npz"


def pack_shard(sampler: FileSampler, tokenizer: Tokenizer, folder: Path, number: int, options: PackOptions) -> Path:
    path = shard_path(folder, number)
    if path.exists():
        return path
    folder.mkdir(parents=True, exist_ok=True)
    rng = random.Random(f"{options.seed}/{number}")
    documents, total = [], 0
    while total < options.shard_tokens:
        example = cut_example(rng, *sampler.draw(rng), random_window(rng, options.long_share))
        document = example and encode_example(tokenizer, example)
        if document and len(document.tokens) <= options.max_tokens:
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
