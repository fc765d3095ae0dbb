"""The training loop: resumes where the checkpoint stands, saves on a clock and on a signal.

Each thread takes micro-batches of a step and computes their gradients alone, with no barrier but the
step's end, so the loop loses little when other programs take a core away. A checkpoint is one file,
replaced in one step: parameters, their running mean (what is exported), the optimiser, the place in
the data and a few lines of history.
"""

import fcntl
import json
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from model import CodeModel
from packing import Document

MEAN_DECAY = 0.99  # of the exported running mean of the parameters, per step


@dataclass(frozen=True)
class TrainOptions:
    tokens: int = 20_000_000  # in all; a finished run goes on when this grows
    decay_tokens: int = 0  # the learning rate falls to zero over the last of them
    batch_tokens: int = 4_096  # a step
    row_tokens: int = 1_024  # a micro-batch; one longer document is a micro-batch of its own
    learning_rate: float = 5e-4
    warm_steps: int = 20
    rest_weight: float = 0.15  # loss weight of tokens outside the middle, which has weight 1
    rest_share: float = 0.35  # share of those tokens whose loss is computed at all
    threads: int = 2
    save_seconds: int = 300
    validation_tokens: int = 200_000  # trained between two looks at the validation documents
    seed: int = 1


@dataclass
class Progress:
    step: int = 0
    tokens: int = 0
    document: int = 0  # documents read from the data so far
    next_validation: int = 0  # tokens


@dataclass(frozen=True)
class MicroBatch:
    tokens: Tensor  # (batch, length) int64
    chosen: Tensor  # (n,) places in the flattened batch whose loss counts
    targets: Tensor  # (n,) int64
    weights: Tensor  # (n,) the step's weights add up to one
    in_middle: Tensor  # (n,) bool


class OwnedFolder:
    """A folder that one process at a time trains in."""

    def __init__(self, folder: Path):
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self._lock = (folder / "lock").open("w")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise SystemExit(f"{folder}: another process trains here") from None

    def release(self) -> None:
        self._lock.close()


class Trainer:
    def __init__(self, model: CodeModel, owned: OwnedFolder, options: TrainOptions):
        self.model, self.owned, self.options, self.folder = model, owned, options, owned.folder
        self.parameters = list(model.parameters())
        self.optimiser = torch.optim.AdamW(
            self.parameters, lr=options.learning_rate, betas=(0.9, 0.98), weight_decay=0.0, fused=True)
        self.progress = Progress()
        self.mean = [p.detach().clone() for p in self.parameters]
        self._stopping = threading.Event()
        if checkpoint_path(self.folder).exists():
            self._resume()
        model.merge()

    def run(self, documents_from: Callable[[int], Iterator[Document]], validation: list[Document]) -> None:
        """Trains until the tokens are used up or a signal says stop. documents_from(n) yields from document n on."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: self._stopping.set())
        documents = documents_from(self.progress.document)
        saved = time.monotonic()
        with ThreadPoolExecutor(self.options.threads, initializer=torch.set_num_threads, initargs=(1,)) as pool:
            while self.progress.tokens < self.options.tokens and not self._stopping.is_set():
                if self.progress.tokens >= self.progress.next_validation:
                    self._validate(pool, validation)
                self._step(pool, documents)
                if time.monotonic() - saved > self.options.save_seconds:
                    self._save()
                    saved = time.monotonic()
            looked_at = self.progress.next_validation - self.options.validation_tokens
            if self.progress.tokens > looked_at:
                self._validate(pool, validation)
        self._save()

    def learning_rate(self) -> float:
        left = self.options.tokens - self.progress.tokens
        decay = min(1.0, left / self.options.decay_tokens) if self.options.decay_tokens else 1.0
        return self.options.learning_rate * min(1.0, (self.progress.step + 1) / self.options.warm_steps) * decay

    def _step(self, pool: ThreadPoolExecutor, documents: Iterator[Document]) -> None:
        started, cpu = time.monotonic(), time.process_time()
        batch = take(documents, self.options.batch_tokens)
        rng = np.random.default_rng((self.options.seed, self.progress.step))
        device = self.model.rows.device
        micro_batches = make_micro_batches(batch, rng, self.options)
        gradients = [torch.zeros_like(p) for p in self.parameters]
        adding = threading.Lock()
        sums = torch.zeros(4)  # middle: loss, tokens; rest: loss, tokens

        def compute(micro: MicroBatch) -> None:
            if self._stopping.is_set():
                return
            hidden = self.model(micro.tokens.to(device))[micro.chosen.to(device)]
            loss, losses = self.model.loss(hidden, micro.targets.to(device), micro.weights.to(device))
            own = torch.autograd.grad(loss, self.parameters)
            losses = losses.cpu()
            with adding:
                for total, gradient in zip(gradients, own):
                    total += gradient
                for place, mask in ((0, micro.in_middle), (2, ~micro.in_middle)):
                    sums[place] += losses[mask].sum()
                    sums[place + 1] += mask.sum()

        list(pool.map(compute, micro_batches))
        if self._stopping.is_set():
            return  # an unfinished step is done again on resumption
        for parameter, gradient in zip(self.parameters, gradients):
            parameter.grad = gradient
        norm = torch.nn.utils.clip_grad_norm_(self.parameters, 1.0)
        rate = self.learning_rate()
        self.optimiser.param_groups[0]["lr"] = rate
        self.optimiser.step()
        self.optimiser.zero_grad()
        torch._foreach_lerp_(self.mean, [p.detach() for p in self.parameters],
                             1 - min(MEAN_DECAY, (self.progress.step + 1) / (self.progress.step + 10)))
        self.model.merge()
        tokens = sum(len(d.tokens) for d in batch)
        self.progress.step += 1
        self.progress.tokens += tokens
        self.progress.document += len(batch)
        seconds = time.monotonic() - started
        self._log(step=self.progress.step, tokens=self.progress.tokens, middle=float(sums[0] / sums[1]),
                  rest=float(sums[2] / max(1.0, float(sums[3]))), norm=float(norm), rate=rate,
                  tokens_per_second=tokens / seconds, cores=(time.process_time() - cpu) / seconds)

    @torch.no_grad()
    def _validate(self, pool: ThreadPoolExecutor, documents: list[Document]) -> None:
        """Logs the mean loss of the running mean of the parameters."""
        device = self.model.rows.device
        current = [p.clone() for p in self.parameters]

        def use(values: list[Tensor]) -> None:
            for parameter, value in zip(self.parameters, values):
                parameter.copy_(value)
            self.model.merge()

        @torch.no_grad()
        def compute(micro: MicroBatch) -> tuple[float, float, int]:
            if self._stopping.is_set():
                return 0.0, 0.0, 0
            hidden = self.model(micro.tokens.to(device))[micro.chosen.to(device)]
            _, losses = self.model.loss(hidden, micro.targets.to(device), micro.weights.to(device))
            losses = losses.cpu()
            return float(losses[micro.in_middle].sum()), float(losses[~micro.in_middle].sum()), int(micro.in_middle.sum())

        use(self.mean)
        micro_batches = make_micro_batches(documents, np.random.default_rng(0), self.options)
        middle, rest, tokens = map(sum, zip(*pool.map(compute, micro_batches)))
        use(current)
        if not self._stopping.is_set():
            rest_tokens = sum(len(m.targets) for m in micro_batches) - tokens
            self._log(step=self.progress.step, tokens=self.progress.tokens, validation_middle=middle / tokens,
                      validation_rest=rest / rest_tokens)
            self.progress.next_validation = self.progress.tokens + self.options.validation_tokens

    def _log(self, **values: float) -> None:
        rounded = {k: v if isinstance(v, int) else float(f"{v:.4g}") for k, v in values.items()}
        with (self.folder / "history.jsonl").open("a") as log:
            log.write(json.dumps(rounded | {"time": int(time.time())}) + "\n")
        print(" ".join(f"{k} {v}" for k, v in rounded.items()), flush=True)

    def _save(self) -> None:
        names = [name for name, _ in self.model.named_parameters()]
        state = {
            "parameters": dict(zip(names, (p.detach() for p in self.parameters))),
            "mean": dict(zip(names, self.mean)),
            "optimiser": self.optimiser.state_dict(),
            "progress": vars(self.progress),
            "rank": self.model.options.rank,
        }
        path = checkpoint_path(self.folder)
        torch.save(state, path.with_suffix(".partial"))
        path.with_suffix(".partial").rename(path)

    def _resume(self) -> None:
        state = torch.load(checkpoint_path(self.folder), map_location=self.model.rows.device)
        with torch.no_grad():
            for name, parameter in self.model.named_parameters():
                parameter.copy_(state["parameters"][name])
        self.mean = list(state["mean"].values())
        self.optimiser.load_state_dict(state["optimiser"])
        self.progress = Progress(**state["progress"])


def read_history(folder: Path) -> list[dict[str, float]]:
    return [json.loads(line) for line in (folder / "history.jsonl").read_text().splitlines()]


def checkpoint_path(folder: Path) -> Path:
    return folder / "checkpoint.pt"


def take(documents: Iterator[Document], tokens: int) -> list[Document]:
    batch, total = [], 0
    while total < tokens:
        batch.append(next(documents))
        total += len(batch[-1].tokens)
    return batch


def make_micro_batches(batch: list[Document], rng: np.random.Generator, options: TrainOptions) -> list[MicroBatch]:
    """Documents of like length together, the longest first; the losses that count drawn and weighted."""
    counted = []
    for document in sorted(batch, key=lambda d: -len(d.tokens)):
        places = np.arange(len(document.tokens) - 1)
        in_middle = places + 1 >= document.middle
        drawn = in_middle | (rng.random(len(places)) < options.rest_share)
        weights = np.where(in_middle, 1.0, options.rest_weight / options.rest_share)
        counted.append((document, places[drawn], weights[drawn], in_middle[drawn]))
    total = sum(weights.sum() for _, _, weights, _ in counted)
    micro_batches, start = [], 0
    while start < len(counted):
        length = len(counted[start][0].tokens) - 1
        rows = counted[start:start + max(1, options.row_tokens // length)]
        micro_batches.append(_micro_batch(rows, length, total))
        start += len(rows)
    return micro_batches


def _micro_batch(rows: list, length: int, total: float) -> MicroBatch:
    tokens = np.zeros((len(rows), length), np.int64)
    for i, (document, *_) in enumerate(rows):
        tokens[i, :len(document.tokens) - 1] = document.tokens[:-1]
    join = lambda arrays, dtype: torch.from_numpy(np.concatenate(arrays)).to(dtype)
    return MicroBatch(
        torch.from_numpy(tokens),
        join([places + i * length for i, (_, places, _, _) in enumerate(rows)], torch.int64),
        join([d.tokens[places + 1].astype(np.int64) for d, places, _, _ in rows], torch.int64),
        join([weights / total for _, _, weights, _ in rows], torch.float32),
        join([in_middle for *_, in_middle in rows], torch.bool),
    )
