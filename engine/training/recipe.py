#!/usr/bin/env python3
"""Hearth's model recipe: corpus, packing, training, export and evaluation, one command each.

    recipe.py corpus     fetch packages and make the corpus
    recipe.py pack       tokenise the first shards (training packs the others as it needs them)
    recipe.py train      train, or go on from the checkpoint; --background: at the lowest priority
    recipe.py status | pause | resume | stop     of the training in the background
    recipe.py export     write the adapter as GGUF
    recipe.py evaluate   figures on projects that training never saw
    recipe.py projects   write those projects as folders, for `hearth bench quality --projects`
    recipe.py digests    whether a model's digests of files would find related files (--projects, --places)
    recipe.py all        all of them in order; --small: a few packages and 20 steps, in minutes

README.md beside this file says what each step does and what was measured.
"""

import argparse
import os
import re
import shutil
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import background
import corpus
import fetch

HERE = Path(__file__).resolve().parent
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
SMALL_TRAINING = {"tokens": 20 * 1024, "batch_tokens": 1024, "warm_steps": 2}
SMALL_SHARD_TOKENS = 30_000
SMALL_VALIDATION_DOCUMENTS = 8


def main() -> None:
    arguments = parse_arguments()
    commands = {
        "corpus": [run_corpus], "pack": [run_pack], "train": [run_train], "export": [run_export],
        "evaluate": [run_evaluate], "all": [run_corpus, run_pack, run_train, run_export, run_evaluate], "projects": [run_projects],
        "digests": [run_digests],
        "status": [run_status], "pause": [run_pause], "resume": [run_resume], "stop": [run_stop],
    }
    for run in commands[arguments.command]:
        run(arguments)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("corpus", "pack", "train", "export", "evaluate", "projects", "digests", "all",
                                            "status", "pause", "resume", "stop"))
    parser.add_argument("--work", type=Path, default=CACHE / "hearth-training", help="working folder")
    parser.add_argument("--run", default="adapter", help="name of the training run, a folder in the working folder")
    parser.add_argument("--small", action="store_true", help="a few packages and 20 steps: shows that the path works")
    parser.add_argument("--background", action="store_true", help="train: at the lowest priority, restarted on failure")
    parser.add_argument("--projects", type=Path, help="digests: a folder of projects")
    parser.add_argument("--places", type=Path, help="digests: what `hearth bench quality --places` wrote of them")
    parser.add_argument("--start-from", type=Path, help="train, digests: an adapter (GGUF) to begin with")
    parser.add_argument("--out", type=Path, help="export: the file to write")
    parser.add_argument("--rank", type=int, default=64, help="rank of the deltas; 0 trains the weights themselves")
    parser.add_argument("--shape", help="LAYERS,WIDTH,HEADS,KV_HEADS,FFN: train a new model of this shape (rank 0)")
    parser.add_argument("--round-to", choices=("none", "q4_0"), default="none", help="quantisation in the loop")
    parser.add_argument("--device", default="cpu", help="cpu, or cuda (bf16)")
    parser.add_argument("--shards", type=int, default=2, help="pack: how many shards")
    parser.add_argument("--validation-documents", type=int, default=96, help="train: how many are looked at")
    parser.add_argument("--long-share", type=float, help="share of examples with up to 1,800 tokens")
    parser.add_argument("--related-share", type=float, help="share of examples that ask for related files")
    parser.add_argument("--hearth", type=Path, help="the program that lays out related files; else the one in the PATH")
    for name in ("tokens", "decay-tokens", "batch-tokens", "row-tokens", "threads"):
        parser.add_argument(f"--{name}", type=whole_number)
    for name in ("learning-rate", "rest-weight", "rest-share"):
        parser.add_argument(f"--{name}", type=float)
    arguments = parser.parse_args()
    if arguments.small:
        arguments.work = arguments.work / "small"
    arguments.folder = arguments.work / "runs" / arguments.run
    return arguments


def whole_number(text: str) -> int:
    return int(float(text))  # 5e6 too


def run_corpus(arguments: argparse.Namespace) -> None:
    downloads = arguments.work / "downloads"
    downloads.mkdir(parents=True, exist_ok=True)
    fetch.fetch_base(downloads)
    if (arguments.work / "corpus" / "manifest.tsv").exists():
        return
    packages = fetch.listed_packages(arguments.small)
    failed = fetch.fetch_packages(packages, downloads)
    if failed:
        print(f"{len(failed)} of {len(packages)} packages could not be had; the manifest shows those that were")
    corpus.build_corpus(packages, downloads, arguments.work / "corpus")


def run_pack(arguments: argparse.Namespace) -> None:
    documents = documents_of(arguments, load_base(arguments).tokenizer)
    for number in range(arguments.shards):
        print(documents.shard(number))


def run_train(arguments: argparse.Namespace) -> None:
    if arguments.background:
        words = [word for word in sys.argv[1:] if word != "--background"]
        background.start([sys.executable, str(HERE / "recipe.py"), *words], arguments.folder)
        return
    import base_model
    import model
    import trainer

    owned = trainer.OwnedFolder(arguments.folder)
    given = {name: value for name in trainer.TrainOptions.__dataclass_fields__
             if (value := getattr(arguments, name, None)) is not None}
    options = trainer.TrainOptions(**(SMALL_TRAINING if arguments.small else {}) | given)
    base = load_base(arguments)
    code_model = model.CodeModel(base, model_options(arguments))
    if arguments.start_from:
        model.load_parameters(code_model, base_model.load_adapter(arguments.start_from))
    documents = documents_of(arguments, base.tokenizer)
    validation = documents.validation(SMALL_VALIDATION_DOCUMENTS if arguments.small else arguments.validation_documents)
    trainer.Trainer(code_model, owned, options).run(documents.starting_at, validation)


def run_export(arguments: argparse.Namespace) -> None:
    import export

    out = arguments.out or arguments.folder / "hearth-fim-135m-lora.gguf"
    export.export_adapter(arguments.folder, out, "hearth-fim-135m")


def run_evaluate(arguments: argparse.Namespace) -> None:
    import evaluate

    evaluate.print_figures(arguments.work / "corpus", load_base(arguments), arguments.folder, model_options(arguments),
                           lines_per_language=8 if arguments.small else 100)


def run_projects(arguments: argparse.Namespace) -> None:
    import projects

    projects.write_projects(arguments.work / "corpus", arguments.work / "projects")


def run_digests(arguments: argparse.Namespace) -> None:
    import base_model
    import digests
    import model

    base = load_base(arguments)
    code_model = model.CodeModel(base, model_options(arguments))
    if arguments.start_from:
        model.load_parameters(code_model, base_model.load_adapter(arguments.start_from))
    code_model.merge()
    digests.print_recall(arguments.projects, arguments.places, base, code_model)


def run_status(arguments: argparse.Namespace) -> None:
    print(background.state(arguments.folder))
    history = arguments.folder / "history.jsonl"
    if history.exists():
        print("\n".join(history.read_text().splitlines()[-3:]))


def run_pause(arguments: argparse.Namespace) -> None:
    print("paused" if background.send(arguments.folder, signal.SIGSTOP) else "nothing runs")


def run_resume(arguments: argparse.Namespace) -> None:
    print("running" if background.send(arguments.folder, signal.SIGCONT) else "nothing runs")


def run_stop(arguments: argparse.Namespace) -> None:
    print("stopped" if background.stop(arguments.folder) else "nothing stopped")


def load_base(arguments: argparse.Namespace):
    import base_model
    import model

    base = base_model.load_base(arguments.work / "downloads" / "base.gguf")
    if not arguments.shape:
        return base
    layers, width, heads, kv_heads, ffn = map(int, arguments.shape.split(","))
    shape = base_model.Shape(layers, width, heads, kv_heads, ffn, base.shape.vocabulary)
    return model.random_base(shape, base.tokenizer, seed=1)


def model_options(arguments: argparse.Namespace):
    import torch
    from model import ModelOptions

    in_bf16 = arguments.device != "cpu" or multiplies_bf16()
    return ModelOptions(0 if arguments.shape else arguments.rank, arguments.round_to, arguments.device,
                        torch.bfloat16 if in_bf16 else torch.float32)


def multiplies_bf16() -> bool:
    """Whether this CPU has products of bf16, which are twice as fast as fp32's or more."""
    return bool(re.search(r"\b(avx512_bf16|amx_bf16)\b", Path("/proc/cpuinfo").read_text()))


class Documents:
    """All examples of the training corpus, packed shard by shard as they are asked for."""

    def __init__(self, corpus_folder: Path, tokenizer, folder: Path, options, contexts):
        self._corpus, self._tokenizer, self._folder, self._options = corpus_folder, tokenizer, folder, options
        self._contexts = contexts

    def shard(self, number: int, split: str = "train") -> Path:
        import packing

        path = packing.shard_path(self._folder / split, number)
        if path.exists():
            return path
        sampler = packing.FileSampler(corpus.load_files(self._corpus, split))
        packed = packing.pack_shard(sampler, self._tokenizer, self._folder / split, number, self._options, self._contexts)
        if self._contexts:
            self._contexts.close()
        return packed

    def validation(self, count: int) -> list:
        """The first documents, the same at every call; of the hold-out where the corpus is too small to have a validation split."""
        import packing

        filled = (self._corpus / "validation.jsonl").stat().st_size > 0
        return packing.read_shard(self.shard(0, "validation" if filled else "holdout"))[:count]

    def starting_at(self, document: int) -> Iterator:
        import packing

        number = 0
        while True:
            shard = packing.read_shard(self.shard(number))
            yield from shard[document:]
            document = max(0, document - len(shard))
            number += 1


def documents_of(arguments: argparse.Namespace, tokenizer) -> Documents:
    import contexts
    import packing

    given = {name: value for name in ("long_share", "related_share") if (value := getattr(arguments, name)) is not None}
    if arguments.small:
        given["shard_tokens"] = SMALL_SHARD_TOKENS
    hearth = arguments.hearth or shutil.which("hearth")
    folder = arguments.work / "workspaces"
    asked = contexts.Contexts(hearth, arguments.work / "downloads" / "base.gguf", folder) if hearth else None
    if not asked:
        print("no hearth program: the examples have no related files (--hearth PATH)", file=sys.stderr)
    options = packing.PackOptions(**given)
    return Documents(arguments.work / "corpus", tokenizer, arguments.work / "packed", options, asked)


if __name__ == "__main__":
    main()
