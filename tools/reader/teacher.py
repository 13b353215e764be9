"""The teacher: all-MiniLM-L6-v2 read from its ONNX file into torch, int8 weights made floats again.

`load(folder)` gives a module whose call takes ids and a mask, both (batch, tokens), and gives unit vectors (batch, 384):
mean of the last layer over the tokens, L2-normalised, as sentence-transformers does.
"""
import pathlib

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import nn

WIDTH, HEADS, LAYERS, EPSILON = 384, 12, 6, 1e-12


class Layer(nn.Module):
    def __init__(self, width: int, heads: int, inner: int):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.norm = nn.LayerNorm(width, EPSILON)
        self.up = nn.Linear(width, inner)
        self.down = nn.Linear(inner, width)
        self.last_norm = nn.LayerNorm(width, EPSILON)

    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        batch, tokens, width = x.shape
        q, k, v = self.qkv(x).view(batch, tokens, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        mixed = nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=mask[:, None, None, :])
        x = self.norm(x + self.out(mixed.transpose(1, 2).reshape(batch, tokens, width)))
        return self.last_norm(x + self.down(nn.functional.gelu(self.up(x))))


def pooled(x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
    """Mean over the tokens of a mask."""
    weights = mask.to(x.dtype).unsqueeze(-1)
    return (x * weights).sum(1) / weights.sum(1).clamp(min=1)


class Teacher(nn.Module):
    def __init__(self, words: int, positions: int):
        super().__init__()
        self.words = nn.Embedding(words, WIDTH)
        self.positions = nn.Embedding(positions, WIDTH)
        self.norm = nn.LayerNorm(WIDTH, EPSILON)
        self.layers = nn.ModuleList(Layer(WIDTH, HEADS, 4 * WIDTH) for _ in range(LAYERS))

    def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        x = self.norm(self.words(ids) + self.positions.weight[: ids.shape[1]])
        for layer in self.layers:
            x = layer(x, mask)
        return nn.functional.normalize(pooled(x.float(), mask), dim=-1)


PARTS = ("query", "key", "value", "out", "up", "down")


def tensors(file: pathlib.Path) -> dict[str, np.ndarray]:
    """Weights as floats, by name; those of matrices, which have none in the file, by layer and part, in the order of their use."""
    raw = {t.name: numpy_helper.to_array(t) for t in onnx.load(file).graph.initializer}
    whole = lambda stem: raw[f"{stem}_q"].astype(np.float32) * raw[f"{stem}_scale"]
    stems = [name.removesuffix("_q") for name in raw if name.endswith("_q")]
    matrices = [whole(stem).T for stem in stems if stem.startswith("val_")]
    found = {name.removeprefix("inner."): value for name, value in raw.items()}
    found |= {stem.removeprefix("inner."): whole(stem) for stem in stems if not stem.startswith("val_")}
    return found | {f"{at // len(PARTS)}.{PARTS[at % len(PARTS)]}": value for at, value in enumerate(matrices)}


def load(folder: pathlib.Path) -> Teacher:
    found = tensors(folder / "onnx/model_quantized.onnx")
    get = lambda name: torch.from_numpy(np.ascontiguousarray(found[name].astype(np.float32)))
    words, positions = get("embeddings.word_embeddings.weight"), get("embeddings.position_embeddings.weight")
    teacher = Teacher(*words.shape[:1], *positions.shape[:1])
    with torch.no_grad():
        teacher.words.weight.copy_(words)
        teacher.positions.weight.copy_(positions + get("embeddings.token_type_embeddings.weight")[0])
        for kind in ("weight", "bias"):
            getattr(teacher.norm, kind).copy_(get(f"embeddings.LayerNorm.{kind}"))
        for index, layer in enumerate(teacher.layers):
            at = f"encoder.layer.{index}."
            layer.qkv.weight.copy_(torch.cat([get(f"{index}.{part}") for part in PARTS[:3]]))
            layer.qkv.bias.copy_(torch.cat([get(f"{at}attention.self.{part}.bias") for part in PARTS[:3]]))
            for part, name in (("out", "attention.output.dense"), ("up", "intermediate.dense"), ("down", "output.dense")):
                getattr(layer, part).weight.copy_(get(f"{index}.{part}"))
                getattr(layer, part).bias.copy_(get(f"{at}{name}.bias"))
            for part, name in (("norm", "attention.output.LayerNorm"), ("last_norm", "output.LayerNorm")):
                for kind in ("weight", "bias"):
                    getattr(getattr(layer, part), kind).copy_(get(f"{at}{name}.{kind}"))
    return teacher.eval()
