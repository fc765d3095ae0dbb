"""The base with trainable low-rank deltas (or trained in full), as a plain PyTorch module.

The deltas are merged into the weights once a step, so a linear layer costs one product forward and
one backward, and what runs is exactly the merged file: rounding the merged weights to the blocks of
a file type puts that quantisation into training (its gradient passes straight through). Documents
of a batch are padded at their end, which causal attention never looks at, so there is no mask.
"""

import math
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from base_model import MARKERS, BaseModel, Shape

GROUPS = (("attn_q", "attn_k", "attn_v"), ("attn_output",), ("ffn_gate", "ffn_up"), ("ffn_down",))
HEAD_CHUNK = 256  # rows of logits at a time
ATTENTION_BLOCK = 256  # queries at a time


@dataclass(frozen=True)
class ModelOptions:
    rank: int = 64  # 0: no deltas, the weights themselves are trained
    round_to: str = "none"  # "q4_0": the merged weights are rounded to its blocks
    device: str = "cpu"
    dtype: torch.dtype = torch.float32


class CodeModel(nn.Module):
    def __init__(self, base: BaseModel, options: ModelOptions):
        super().__init__()
        self.shape, self.options = base.shape, options
        embedding = base.weights["token_embd.weight"].to(options.device)
        full = options.rank == 0
        self.layers = nn.ModuleList(Layer(base, i, options) for i in range(base.shape.layers))
        self.register_buffer("final_gain", base.weights["output_norm.weight"].to(options.device), persistent=False)
        self.trained_rows = tuple(range(embedding.shape[0])) if full else MARKERS
        self.rows = nn.Parameter(embedding.clone() if full else embedding[list(MARKERS)].clone())
        self.register_buffer("embedding", embedding.clone().to(options.dtype), persistent=False)
        row_of = torch.full((embedding.shape[0],), -1, device=options.device)
        row_of[list(self.trained_rows)] = torch.arange(len(self.trained_rows), device=options.device)
        self.register_buffer("row_of", row_of, persistent=False)
        self._rotations: Tensor | None = None

    @torch.no_grad()
    def merge(self) -> None:
        """Brings what the forward pass reads up to date with the parameters. Call after each change of them."""
        self.embedding[list(self.trained_rows)] = self.rows.to(self.embedding.dtype)
        for layer in self.layers:
            layer.merge()

    def forward(self, tokens: Tensor) -> Tensor:
        """(batch, length) ids to the (batch * length, width) states that the head reads."""
        batch, length = tokens.shape
        rotations = self.rotations_to(length)
        hidden = F.embedding(tokens.reshape(-1), self.embedding).float()
        rows = self.row_of[tokens.reshape(-1)]
        trained = (rows >= 0).nonzero().squeeze(1)
        hidden = hidden.index_put((trained,), self.rows[rows[trained]])
        for layer in self.layers:
            hidden = layer(hidden, batch, length, rotations)
        return _norm(hidden, self.final_gain, self.shape.norm_epsilon, self.options.dtype)

    def loss(self, hidden: Tensor, targets: Tensor, weights: Tensor) -> tuple[Tensor, Tensor]:
        """The weighted sum of the targets' losses, and each one's, in nats."""
        return _HeadLoss.apply(hidden, self.rows, self.embedding, self.trained_rows, targets, weights)

    def rotations_to(self, length: int) -> Tensor:
        if self._rotations is None or self._rotations.shape[0] < length:
            half = self.shape.head_width // 2
            exponents = torch.arange(half, device=self.rows.device).float() / half
            positions = torch.arange(max(length, 2048), device=self.rows.device).float()
            angles = torch.outer(positions, self.shape.rope_base ** -exponents)
            self._rotations = torch.polar(torch.ones_like(angles), angles)
        return self._rotations[:length, None]


class Layer(nn.Module):
    def __init__(self, base: BaseModel, index: int, options: ModelOptions):
        super().__init__()
        self.shape, self.options = base.shape, options
        self.groups = nn.ModuleDict({group[0]: LinearGroup(base, index, group, options) for group in GROUPS})
        for name in ("attn_norm", "ffn_norm"):
            self.register_buffer(name, base.weights[f"blk.{index}.{name}.weight"].to(options.device), persistent=False)

    def merge(self) -> None:
        for group in self.groups.values():
            group.merge()

    def forward(self, hidden: Tensor, batch: int, length: int, rotations: Tensor) -> Tensor:
        shape, dtype = self.shape, self.options.dtype
        qkv = self.groups["attn_q"](_norm(hidden, self.attn_norm, shape.norm_epsilon, dtype))
        qkv = qkv.view(batch, length, shape.heads + 2 * shape.kv_heads, shape.head_width)
        rotated = _rotate(qkv[:, :, :shape.heads + shape.kv_heads], rotations).to(dtype).transpose(1, 2)
        share = shape.heads // shape.kv_heads
        query = rotated[:, :shape.heads]
        key = rotated[:, shape.heads:].repeat_interleave(share, 1)
        value = qkv[:, :, shape.heads + shape.kv_heads:].transpose(1, 2).repeat_interleave(share, 1)
        mixed = _attention(query, key, value)
        mixed = mixed.transpose(1, 2).reshape(batch * length, shape.width)
        hidden = hidden + self.groups["attn_output"](mixed)
        gate_up = self.groups["ffn_gate"](_norm(hidden, self.ffn_norm, shape.norm_epsilon, dtype))
        gate, up = gate_up.chunk(2, 1)
        return hidden + self.groups["ffn_down"](F.silu(gate) * up)


class LinearGroup(nn.Module):
    """Linear layers that share their input, as one product."""

    def __init__(self, base: BaseModel, layer: int, names: tuple[str, ...], options: ModelOptions):
        super().__init__()
        self.names, self.options = names, options
        weight = torch.cat([base.weights[f"blk.{layer}.{name}.weight"] for name in names]).to(options.device)
        self.sizes = [base.shape.linear(name)[0] for name in names]
        inputs = weight.shape[1]
        if options.rank == 0:
            self.weight = nn.Parameter(weight)
            return
        self.register_buffer("weight", weight, persistent=False)
        self.register_buffer("merged", weight.to(options.dtype, copy=True), persistent=False)
        spread = torch.randn(len(names) * options.rank, inputs, device=options.device) / math.sqrt(inputs)
        self.down = nn.Parameter(spread)  # (layers * rank, inputs): lora_a of each, stacked
        self.ups = nn.ParameterList(torch.zeros(n, options.rank, device=options.device) for n in self.sizes)  # lora_b

    @torch.no_grad()
    def merge(self) -> None:
        if self.options.rank == 0:
            return
        downs = self.down.split(self.options.rank)
        deltas = [up @ down for up, down in zip(self.ups, downs)]
        merged = self.weight + torch.cat(deltas)
        self.merged.copy_(round_q4_0(merged) if self.options.round_to == "q4_0" else merged)

    def forward(self, x: Tensor) -> Tensor:
        if self.options.rank == 0:
            return F.linear(x, self.weight.to(x.dtype))
        return _MergedProduct.apply(x, self.merged, self.down, *self.ups)


class _MergedProduct(torch.autograd.Function):
    """x times the merged weights; the gradient goes to the deltas' factors without a full weight gradient."""

    @staticmethod
    def forward(ctx, x: Tensor, merged: Tensor, down: Tensor, *ups: Tensor) -> Tensor:
        ctx.save_for_backward(x, merged, down, *ups)
        return x @ merged.T

    @staticmethod
    def backward(ctx, gradient: Tensor):
        x, merged, down, *ups = ctx.saved_tensors
        gradient = gradient.contiguous()
        parts = gradient.split([up.shape[0] for up in ups], 1)
        inner = (x @ down.to(x.dtype).T).split(ups[0].shape[1], 1)
        d_inner = torch.cat([part @ up.to(x.dtype) for part, up in zip(parts, ups)], 1)
        d_ups = [(part.T @ u).to(up.dtype) for part, u, up in zip(parts, inner, ups)]
        return gradient @ merged, None, (d_inner.T @ x).to(down.dtype), *d_ups


class _HeadLoss(torch.autograd.Function):
    """Cross entropy over the vocabulary in chunks of rows; the gradients are made on the way forward."""

    @staticmethod
    def forward(ctx, hidden, rows, embedding, trained_rows, targets, weights):
        losses = torch.empty(len(targets), device=hidden.device)
        d_hidden = torch.empty_like(hidden)
        d_rows = torch.zeros_like(rows)
        for start in range(0, len(targets), HEAD_CHUNK):
            chunk = slice(start, start + HEAD_CHUNK)
            logits = (hidden[chunk] @ embedding.T).float()
            target = targets[chunk, None]
            logits -= logits.logsumexp(1, keepdim=True)
            losses[chunk] = -logits.gather(1, target).squeeze(1)
            gradient = logits.exp_().scatter_add_(1, target, -torch.ones_like(target, dtype=logits.dtype))
            gradient *= weights[chunk, None]
            d_hidden[chunk] = gradient.to(hidden.dtype) @ embedding
            touched = gradient if len(trained_rows) == gradient.shape[1] else gradient[:, list(trained_rows)]
            d_rows += touched.T @ hidden[chunk].float()
        ctx.save_for_backward(d_hidden, d_rows)
        ctx.mark_non_differentiable(losses)
        return (losses * weights).sum(), losses

    @staticmethod
    def backward(ctx, gradient, _):
        d_hidden, d_rows = ctx.saved_tensors
        return d_hidden * gradient, d_rows * gradient, None, None, None, None


def round_q4_0(weights: Tensor) -> Tensor:
    """Each block of 32 inputs as Q4_0 stores it: 4-bit steps of an fp16 scale, the largest value at -8."""
    blocks = weights.unflatten(-1, (-1, 32))
    largest = blocks.gather(-1, blocks.abs().argmax(-1, keepdim=True))
    scale = largest / -8
    inverse = torch.where(scale == 0, 0.0, 1 / scale)
    steps = (blocks * inverse + 8.5).floor().clamp(0, 15) - 8
    return (steps * scale.half().float()).flatten(-2)


def _norm(x: Tensor, gain: Tensor, epsilon: float, dtype: torch.dtype) -> Tensor:
    return F.rms_norm(x, (x.shape[-1],), gain, epsilon).to(dtype)


def _attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Causal attention of (batch, heads, length, width); on a CPU as products of blocks of queries with all keys up to them."""
    if query.device.type != "cpu":
        return F.scaled_dot_product_attention(query, key, value, is_causal=True)
    query = query * query.shape[-1] ** -0.5
    mixed = []
    for start in range(0, query.shape[2], ATTENTION_BLOCK):
        block = query[:, :, start:start + ATTENTION_BLOCK]
        end = start + block.shape[2]
        scores = (block @ key[:, :, :end].transpose(2, 3)).float()
        later = torch.ones(block.shape[2], block.shape[2], dtype=torch.bool).triu(1)
        scores[..., start:].masked_fill_(later, -math.inf)
        mixed.append(scores.softmax(-1).to(value.dtype) @ value[:, :, :end])
    return torch.cat(mixed, 2)


def _rotate(x: Tensor, rotations: Tensor) -> Tensor:
    """RoPE on adjacent pairs."""
    pairs = torch.view_as_complex(x.float().unflatten(-1, (-1, 2)).contiguous())
    return torch.view_as_real(pairs * rotations).flatten(-2)


def load_parameters(model: CodeModel, adapter: dict[str, Tensor]) -> None:
    """Copies an adapter's factors and rows into the model; its rank must be the model's."""
    with torch.no_grad():
        for i, token in enumerate(MARKERS):
            if f"rows.{token}" in adapter:
                model.rows[i].copy_(adapter[f"rows.{token}"])
        for index, layer in enumerate(model.layers):
            for group in layer.groups.values():
                downs = [adapter[f"blk.{index}.{name}.lora_a"] for name in group.names]
                if downs[0].shape[0] != model.options.rank:
                    raise ValueError(f"the adapter's rank is {downs[0].shape[0]}, the model's {model.options.rank}")
                group.down.copy_(torch.cat(downs))
                for up, name in zip(group.ups, group.names):
                    up.copy_(adapter[f"blk.{index}.{name}.lora_b"])


def random_base(shape: Shape, tokenizer, seed: int) -> BaseModel:
    """A model of the given shape that has learned nothing."""
    generator = torch.Generator().manual_seed(seed)
    weights = {"token_embd.weight": torch.randn(shape.vocabulary, shape.width, generator=generator) * 0.02,
               "output_norm.weight": torch.ones(shape.width)}
    for i in range(shape.layers):
        weights[f"blk.{i}.attn_norm.weight"] = torch.ones(shape.width)
        weights[f"blk.{i}.ffn_norm.weight"] = torch.ones(shape.width)
        for name in (n for group in GROUPS for n in group):
            outputs, inputs = shape.linear(name)
            weights[f"blk.{i}.{name}.weight"] = torch.randn(outputs, inputs, generator=generator) / math.sqrt(inputs)
    return BaseModel(shape, weights, tokenizer)
