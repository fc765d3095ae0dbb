"""The trained model and the loop, on a tiny model of random weights. Skipped (77) where PyTorch is not installed."""

import re
import sys
import tempfile
import types
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "engine" / "training"))
from support import rerun_with_torch

rerun_with_torch(__file__)

import numpy as np
import torch
import torch.nn.functional as F

import base_model
import contexts
import model
import packing
import trainer
from examples import Example
from packing import Document

SHAPE = base_model.Shape(layers=2, width=64, heads=4, kv_heads=2, ffn=96, vocabulary=64)
OPTIONS = trainer.TrainOptions(tokens=2000, batch_tokens=200, row_tokens=90, learning_rate=5e-3, warm_steps=1,
                               validation_tokens=600, threads=2)


def tiny_model(rank: int = 4, **options) -> model.CodeModel:
    torch.manual_seed(3)
    made = model.CodeModel(model.random_base(SHAPE, None, seed=1), model.ModelOptions(rank, **options))
    with torch.no_grad():
        for parameter in made.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.05)
    made.merge()
    return made


def documents(count: int) -> list[Document]:
    rng = np.random.default_rng(5)
    made = []
    for _ in range(count):
        body = (rng.integers(16, 40) + np.arange(rng.integers(20, 60))) % 24 + 16
        tokens = np.array([base_model.FILE_SEPARATOR, base_model.PREFIX, base_model.SUFFIX, base_model.MIDDLE, *body,
                           base_model.END_OF_TEXT], dtype=np.uint16)
        made.append(Document(tokens, len(tokens) - 8))
    return made


class Model(unittest.TestCase):
    def test_gradients_through_merged_weights_are_those_of_explicit_deltas(self):
        group = tiny_model().layers[0].groups["attn_q"]
        x = torch.randn(10, SHAPE.width, requires_grad=True)
        out = torch.randn(10, sum(group.sizes))
        wanted = [x, group.down, *group.ups]
        merged = torch.autograd.grad((group(x) * out).sum(), wanted)
        deltas = torch.cat([up @ down for up, down in zip(group.ups, group.down.split(4))])
        explicit = torch.autograd.grad((F.linear(x, group.weight + deltas) * out).sum(), wanted)
        for one, other in zip(merged, explicit):
            torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-4)

    def test_the_heads_loss_and_gradient_are_those_of_cross_entropy(self):
        tiny = tiny_model()
        hidden = torch.randn(7, SHAPE.width, requires_grad=True)
        targets, weights = torch.randint(0, SHAPE.vocabulary, (7,)), torch.rand(7)
        loss, _ = tiny.loss(hidden, targets, weights)
        own = torch.autograd.grad(loss, (hidden, tiny.rows))
        head = tiny.embedding.index_copy(0, torch.tensor(base_model.MARKERS), tiny.rows)
        plain = (F.cross_entropy(hidden @ head.T, targets, reduction="none") * weights).sum()
        torch.testing.assert_close(loss, plain)
        for one, other in zip(own, torch.autograd.grad(plain, (hidden, tiny.rows))):
            torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-5)

    def test_a_document_is_read_alike_alone_and_padded_beside_others(self):
        tiny = tiny_model()
        long, short = torch.randint(11, 64, (20,)), torch.randint(11, 64, (12,))
        together = torch.zeros(2, 20, dtype=torch.long)
        together[0], together[1, :12] = long, short
        torch.testing.assert_close(tiny(together)[20:32], tiny(short[None]), rtol=1e-4, atol=1e-4)

    def test_attention_in_blocks_of_queries_is_causal_attention(self):
        for length in (1, model.ATTENTION_BLOCK, 2 * model.ATTENTION_BLOCK + 37):
            query, key, value = (torch.randn(2, 3, length, 16, requires_grad=True) for _ in range(3))
            weights = torch.randn(2, 3, length, 16)
            own = model._attention(query, key, value)
            plain = F.scaled_dot_product_attention(query, key, value, is_causal=True)
            torch.testing.assert_close(own, plain, rtol=1e-4, atol=1e-5)
            for one, other in zip(torch.autograd.grad((own * weights).sum(), (query, key, value)),
                                  torch.autograd.grad((plain * weights).sum(), (query, key, value))):
                torch.testing.assert_close(one, other, rtol=1e-3, atol=1e-4)

    def test_rounding_to_q4_0_keeps_sixteen_steps_a_block_and_its_largest_value(self):
        weights = torch.randn(3, 64)
        rounded = model.round_q4_0(weights)
        for block, original in zip(rounded.view(-1, 32), weights.view(-1, 32)):
            largest = original[original.abs().argmax()]
            torch.testing.assert_close(block[original.abs().argmax()], largest, rtol=1e-3, atol=0)
            steps = block / (largest / -8)
            torch.testing.assert_close(steps, steps.round(), rtol=0, atol=0.02)
            self.assertLessEqual((block - original).abs().max(), 1.02 * largest.abs() / 8)
        self.assertFalse(model.round_q4_0(torch.zeros(1, 32)).any())


class Packed(unittest.TestCase):
    def test_what_the_planner_says_stands_before_the_file(self):
        class Words:
            def encode(self, text, add_special_tokens):
                places = [(m.start(), m.end()) for m in re.finditer(r"\w+|\W", text)]
                return types.SimpleNamespace(ids=[20 + len(text[a:b]) for a, b in places], offsets=places)

        example = Example("a.py", "x = ", "first", "\n")
        alone = packing.encode_example(Words(), example)
        said = [contexts.Said("manifests", "shop\n"), contexts.Said("related", "b.py\ndef first()")]
        whole = packing.encode_example(Words(), example, said)
        head = whole.tokens[:len(whole.tokens) - len(alone.tokens)]
        self.assertEqual(list(whole.tokens[len(head):]), list(alone.tokens))
        self.assertEqual(whole.middle, len(head) + alone.middle)
        self.assertEqual([t for t in head if t < 20], [base_model.REPO_NAME, base_model.FILE_SEPARATOR])


class Loop(unittest.TestCase):
    def test_it_learns_and_a_resumed_run_ends_where_an_unbroken_one_does(self):
        with tempfile.TemporaryDirectory() as name:
            unbroken = self.train(Path(name) / "unbroken", [2000])
            resumed = self.train(Path(name) / "resumed", [900, 2000])
            self.assertEqual(resumed.progress, unbroken.progress)
            for one, other in zip(resumed.parameters, unbroken.parameters):
                torch.testing.assert_close(one, other, rtol=1e-3, atol=1e-3)
            history = trainer.read_history(unbroken.folder)
            checked = [line["validation_middle"] for line in history if "validation_middle" in line]
            self.assertGreater(len(checked), 2)
            self.assertLess(checked[-1], checked[0])

    def test_two_processes_do_not_train_in_one_folder(self):
        with tempfile.TemporaryDirectory() as name:
            owned = trainer.OwnedFolder(Path(name))
            with self.assertRaises(SystemExit):
                trainer.OwnedFolder(owned.folder)
            owned.release()
            trainer.OwnedFolder(owned.folder).release()

    def test_each_middle_token_is_a_target_once_and_the_weights_add_up_to_one(self):
        batch = documents(9)
        micro_batches = trainer.make_micro_batches(batch, np.random.default_rng(1), OPTIONS)
        self.assertEqual(sum(int(m.in_middle.sum()) for m in micro_batches), 8 * len(batch))
        self.assertAlmostEqual(sum(float(m.weights.sum()) for m in micro_batches), 1, places=5)
        for micro in micro_batches:
            following = torch.cat([micro.tokens.reshape(-1)[1:], torch.tensor([0])])
            inside = micro.targets != base_model.END_OF_TEXT
            self.assertTrue(torch.equal(following[micro.chosen][inside], micro.targets[inside]))

    def train(self, folder: Path, stops: list[int]) -> trainer.Trainer:
        data = documents(300)
        for tokens in stops:
            options = trainer.TrainOptions(**vars(OPTIONS) | {"tokens": tokens})
            loop = trainer.Trainer(tiny_model(), trainer.OwnedFolder(folder), options)
            loop.run(lambda start: iter(data[start:]), data[-12:])
            loop.owned.release()
        return loop


if __name__ == "__main__":
    unittest.main()
