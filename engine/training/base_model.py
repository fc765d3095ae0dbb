"""Reads model files: the base's weights, shape and tokenizer, and adapters in Hearth's form."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from gguf import GGUFReader, GGUFValueType, dequantize
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

END_OF_TEXT, REPO_NAME, FILE_SEPARATOR, PREFIX, SUFFIX, MIDDLE = 0, 3, 5, 8, 9, 10
MARKERS = (REPO_NAME, FILE_SEPARATOR, PREFIX, SUFFIX, MIDDLE)  # their rows are trained; the base never learned them
LINEARS = ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down")


@dataclass(frozen=True)
class Shape:
    layers: int
    width: int
    heads: int
    kv_heads: int
    ffn: int
    vocabulary: int
    rope_base: float = 100_000.0
    norm_epsilon: float = 1e-5

    @property
    def head_width(self) -> int:
        return self.width // self.heads

    def linear(self, name: str) -> tuple[int, int]:
        """(outputs, inputs) of a linear layer."""
        kv = self.kv_heads * self.head_width
        return {
            "attn_q": (self.width, self.width), "attn_k": (kv, self.width), "attn_v": (kv, self.width),
            "attn_output": (self.width, self.width), "ffn_gate": (self.ffn, self.width),
            "ffn_up": (self.ffn, self.width), "ffn_down": (self.width, self.ffn),
        }[name]


@dataclass(frozen=True)
class BaseModel:
    shape: Shape
    weights: dict[str, torch.Tensor]  # by GGUF name, float32
    tokenizer: Tokenizer


def load_base(path: Path) -> BaseModel:
    reader = GGUFReader(path)
    weights = _tensors(reader)
    field = lambda name: field_value(reader, f"llama.{name}")
    shape = Shape(
        layers=field("block_count"), width=field("embedding_length"), heads=field("attention.head_count"),
        kv_heads=field("attention.head_count_kv"), ffn=field("feed_forward_length"),
        vocabulary=weights["token_embd.weight"].shape[0], rope_base=field("rope.freq_base"),
        norm_epsilon=field("attention.layer_norm_rms_epsilon"),
    )
    return BaseModel(shape, weights, _tokenizer(reader))


def load_adapter(path: Path) -> dict[str, torch.Tensor]:
    """Tensors of an adapter, dequantised: `blk.N.NAME.lora_a` and `.lora_b`, and `rows.ID` for each token row."""
    reader = GGUFReader(path)
    tensors = _tensors(reader)
    scale = field_value(reader, "adapter.lora.alpha")
    rows = tensors.pop("hearth.rows.token_embd")
    adapter = {f"rows.{token}": rows[i] for i, token in enumerate(field_value(reader, "hearth.rows.ids"))}
    for name, tensor in tensors.items():
        part = name.rsplit(".", 1)[1]
        rank = tensor.shape[0] if part == "lora_a" else tensor.shape[1]
        adapter[name.replace(".weight.", ".")] = tensor * (scale / rank) if part == "lora_b" else tensor
    return adapter


def field_value(reader: GGUFReader, name: str):
    if name not in reader.fields:
        raise KeyError(f"{reader.data.filename}: no field {name!r}")
    field = reader.fields[name]
    read = (lambda i: bytes(field.parts[i]).decode()) if field.types[-1] == GGUFValueType.STRING else (
        lambda i: field.parts[i].tolist()[0])
    values = [read(i) for i in field.data]
    return values if field.types[0] == GGUFValueType.ARRAY else values[0]


def _tensors(reader: GGUFReader) -> dict[str, torch.Tensor]:
    tensors = {}
    for t in reader.tensors:
        shape = [int(n) for n in reversed(t.shape)]
        values = np.ascontiguousarray(dequantize(t.data, t.tensor_type).reshape(shape), dtype=np.float32)
        tensors[t.name] = torch.from_numpy(values.copy())
    return tensors


def _tokenizer(reader: GGUFReader) -> Tokenizer:
    tokens = field_value(reader, "tokenizer.ggml.tokens")
    merges = [tuple(m.split(" ")) for m in field_value(reader, "tokenizer.ggml.merges")]
    tokenizer = Tokenizer(models.BPE({token: i for i, token in enumerate(tokens)}, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)])
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer
