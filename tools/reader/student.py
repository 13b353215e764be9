"""The reader: a small encoder over the token table of the built-in model, its vectors in the teacher's space.

Width, layers and heads are a shape's; the table (vocabulary, 256) stays as it ships. A vector is the unit sum of the encoder's
mean over the tokens and of one matrix over the mean of the table's rows, which alone is the best linear guess.
"""
import pathlib
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

from teacher import EPSILON, Layer, Teacher, pooled

TABLE_WIDTH, OUT, POSITIONS = 256, 384, 256


@dataclass(frozen=True)
class Shape:
    width: int
    layers: int
    heads: int
    inner: int
    # Layers of the teacher that it starts from, where the width is the teacher's.
    start: tuple[int, ...] = ()
    # Weight of the contrast of pairs beside distillation.
    contrast: float = 0.0


SHAPES = {
    "2x256": Shape(256, 2, 8, 1024),
    "2x256-contrast": Shape(256, 2, 8, 1024, contrast=0.2),
    "3x256": Shape(256, 3, 8, 1024),
    "2x384": Shape(384, 2, 12, 1536, start=(0, 5)),
    "3x384": Shape(384, 3, 12, 1536, start=(0, 2, 5)),
    "4x384": Shape(384, 4, 12, 1536, start=(0, 2, 3, 5)),
}


def load_table(model: pathlib.Path, scaled: bool = True) -> torch.Tensor:
    """Rows of the built-in model, divided by their common deviation where they are `scaled`."""
    scales = np.fromfile(model / "scales.f32", "<f4")
    rows = np.fromfile(model / "vectors.int8", np.int8).reshape(len(scales), TABLE_WIDTH) * scales[:, None]
    return torch.from_numpy((rows / rows.std() if scaled else rows).astype(np.float32))


class Reader(nn.Module):
    def __init__(self, table: torch.Tensor, shape: Shape):
        super().__init__()
        self.register_buffer("table", table, persistent=False)
        self.enter = nn.Linear(TABLE_WIDTH, shape.width)
        self.positions = nn.Parameter(torch.randn(POSITIONS, shape.width) * 0.02)
        self.norm = nn.LayerNorm(shape.width, EPSILON)
        self.layers = nn.ModuleList(Layer(shape.width, shape.heads, shape.inner) for _ in range(shape.layers))
        self.leave = nn.Linear(shape.width, OUT)
        self.skip = nn.Linear(TABLE_WIDTH, OUT, bias=False)

    def start_from(self, teacher: Teacher, chosen: tuple[int, ...]) -> None:
        """Layers, positions and norm of the teacher; the table mapped onto its words by least squares."""
        for layer, index in zip(self.layers, chosen):
            layer.load_state_dict(teacher.layers[index].state_dict())
        with torch.no_grad():
            self.positions.copy_(teacher.positions.weight[:POSITIONS])
            self.norm.load_state_dict(teacher.norm.state_dict())
            words = teacher.words.weight.to(self.table.device)
            rows = torch.cat([self.table, torch.ones_like(self.table[:, :1])], 1)
            fit = torch.linalg.lstsq(rows, words).solution
            self.enter.weight.copy_(fit[:-1].T)
            self.enter.bias.copy_(fit[-1])
            self.leave.weight.copy_(torch.eye(OUT))
            self.leave.bias.zero_()

    def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        rows = nn.functional.embedding(ids, self.table)
        x = self.norm(self.enter(rows) + self.positions[: ids.shape[1]])
        for layer in self.layers:
            x = layer(x, mask)
        static = nn.functional.normalize(pooled(rows, mask), dim=-1)
        return nn.functional.normalize((self.leave(pooled(x, mask)) + self.skip(static)).float(), dim=-1)


def ridge(table: torch.Tensor, ids: torch.Tensor, mask: torch.Tensor, targets: torch.Tensor, weight: float = 1.0) -> torch.Tensor:
    """The matrix (384, 256) that maps static vectors nearest to the teacher's."""
    static = nn.functional.normalize(pooled(nn.functional.embedding(ids, table), mask), dim=-1).double()
    eye = torch.eye(TABLE_WIDTH, dtype=torch.double, device=table.device)
    return torch.linalg.solve(static.T @ static + weight * eye, static.T @ targets.double()).T.float()
