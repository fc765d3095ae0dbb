"""Writes a checkpoint as GGUF: an adapter that `hearth model merge` (or llama.cpp) puts on the base."""

from pathlib import Path

import numpy as np
import torch
from gguf import GGMLQuantizationType, GGUFWriter, quantize

import base_model as base
from trainer import checkpoint_path

BASE_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
MARKER_FIELDS = {
    "fim_pre": base.PREFIX, "fim_suf": base.SUFFIX, "fim_mid": base.MIDDLE,
    "fim_sep": base.FILE_SEPARATOR, "fim_rep": base.REPO_NAME, "eos": base.END_OF_TEXT,
}


def export_adapter(folder: Path, out: Path, name: str) -> None:
    """The running mean of the parameters, factors in Q8_0, rows in F16."""
    state = torch.load(checkpoint_path(folder), map_location="cpu", mmap=True)
    rank, mean = state["rank"], state["mean"]
    if rank == 0:
        raise SystemExit(f"{folder}: the weights were trained in full, there is no adapter to write")
    out.parent.mkdir(parents=True, exist_ok=True)
    partial = out.with_suffix(".partial")
    writer = GGUFWriter(partial, "llama")
    writer.add_string("general.type", "adapter")
    writer.add_string("adapter.type", "lora")
    writer.add_float32("adapter.lora.alpha", float(rank))
    writer.add_string("general.name", name)
    writer.add_string("general.license", "apache-2.0")
    writer.add_string("hearth.base.sha256", BASE_SHA256)
    writer.add_string("hearth.fim.order", "spm")
    writer.add_uint64("hearth.training.tokens", state["progress"]["tokens"])
    writer.add_array("hearth.rows.ids", list(base.MARKERS))
    for field, token in MARKER_FIELDS.items():
        writer.add_uint32(f"tokenizer.ggml.{field}_token_id", token)
    writer.add_tensor("hearth.rows.token_embd", mean["rows"].numpy().astype(np.float16))
    for tensor_name, tensor in factors(mean, rank):
        data = quantize(tensor.contiguous().numpy(), GGMLQuantizationType.Q8_0)
        writer.add_tensor(tensor_name, data, raw_dtype=GGMLQuantizationType.Q8_0)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    partial.rename(out)
    print(f"{out}: {out.stat().st_size} bytes, {state['progress']['tokens']} tokens trained")


def factors(parameters: dict[str, torch.Tensor], rank: int):
    """(GGUF name, tensor) of each factor, from the parameters of the model's groups of layers."""
    from model import GROUPS

    for layer in range(1 + max(int(n.split(".")[1]) for n in parameters if n.startswith("layers."))):
        for group in GROUPS:
            prefix = f"layers.{layer}.groups.{group[0]}"
            downs = parameters[f"{prefix}.down"].split(rank)
            for i, name in enumerate(group):
                yield f"blk.{layer}.{name}.weight.lora_a", downs[i]
                yield f"blk.{layer}.{name}.weight.lora_b", parameters[f"{prefix}.ups.{i}"]
