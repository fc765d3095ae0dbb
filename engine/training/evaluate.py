"""Figures on projects that training never saw, from one forward pass an example.

Line ends: the rest of a line from a random column, with 4,500 characters of prefix and 1,500 of
suffix. `exact` counts those where the greedy choice is right at every token from the one that holds
the cursor and the line then ends, which is when greedy decoding would give exactly that line; so it
needs no decoding, and no token healing (it is stricter: the typed part of that token is not given).
`bits a byte` is of plain files, with their path before them. Figures of the shipped file, with
decoding, edit similarity and healing, come from `hearth`.
"""

import math
import random
from pathlib import Path

import numpy as np
import torch

import base_model
import packing
from corpus import load_files
from examples import LONG, cut_example
from model import CodeModel, ModelOptions
from trainer import checkpoint_path

PLAIN_TOKENS, PLAIN_FILES = 1_024, 12


def print_figures(corpus: Path, base: base_model.BaseModel, folder: Path, options: ModelOptions,
                  lines_per_language: int) -> None:
    model = CodeModel(base, options)
    state = torch.load(checkpoint_path(folder), map_location=options.device)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            parameter.copy_(state["mean"][name])
    model.merge()
    print(f"{state['progress']['tokens']} tokens trained; held-out projects:")
    print("language    lines  exact  nats a token of the line  bits a byte")
    for language, figures in figures_by_language(model, base, corpus, "holdout", lines_per_language).items():
        print(f"{language:10} {figures['lines']:6} {figures['exact']:6.3f} {figures['nats']:25.3f} {figures['bits']:12.3f}",
              flush=True)


def figures_by_language(model: CodeModel, base: base_model.BaseModel, corpus: Path, split: str,
                        lines_per_language: int) -> dict[str, dict[str, float]]:
    figures = {}
    for language, projects in sorted(load_files(corpus, split).items()):
        files = [file for project in projects.values() for file in project]
        exact, nats = line_ends(model, base, files, lines_per_language)
        figures[language] = {"lines": len(exact), "exact": float(np.mean(exact)), "nats": float(np.mean(nats)),
                             "bits": bits_a_byte(model, base, files)}
    return figures


@torch.no_grad()
def line_ends(model: CodeModel, base: base_model.BaseModel, files: list[tuple[str, str]],
              count: int) -> tuple[list[bool], list[float]]:
    rng = random.Random(7)
    newline_first = newline_tokens(base)
    exact, nats = [], []
    while len(exact) < count:
        example = cut_example(rng, *rng.choice(files), "rest_of_line")
        document = example and packing.encode_example(base.tokenizer, example.within(LONG))
        if not document or len(document.tokens) > packing.PackOptions.max_tokens + 300:
            continue
        tokens = torch.from_numpy(document.tokens.astype(np.int64)).to(model.rows.device)
        states = model(tokens[None, :-1])[document.middle - 1:]
        logits = (states @ model.embedding.T).float()
        line, ending = tokens[document.middle:-1], int(logits[-1].argmax())
        losses = torch.nn.functional.cross_entropy(logits[:-1], line, reduction="none")
        nats += losses.tolist()
        right = bool((logits[:-1].argmax(1) == line).all())
        exact.append(right and (ending == base_model.END_OF_TEXT or ending in newline_first))
    return exact, nats


@torch.no_grad()
def bits_a_byte(model: CodeModel, base: base_model.BaseModel, files: list[tuple[str, str]]) -> float:
    rng = random.Random(7)
    nats = size = 0.0
    for path, text in rng.sample(files, min(PLAIN_FILES, len(files))):
        head = [base_model.FILE_SEPARATOR, *base.tokenizer.encode(path + "\n", add_special_tokens=False).ids]
        body = base.tokenizer.encode(text, add_special_tokens=False).ids[:PLAIN_TOKENS]
        tokens = torch.tensor([*head, *body], device=model.rows.device)
        logits = (model(tokens[None, :-1])[len(head) - 1:] @ model.embedding.T).float()
        nats += float(torch.nn.functional.cross_entropy(logits, tokens[len(head):], reduction="sum"))
        size += len(base.tokenizer.decode(body).encode())
    return nats / math.log(2) / max(1.0, size)


def newline_tokens(base: base_model.BaseModel) -> set[int]:
    """Tokens whose text begins with a newline."""
    return {i for token, i in base.tokenizer.get_vocab().items() if token.startswith("Ċ")}
