"""Step 2: PCA of the token table to 256 dimensions, times a Zipf/SIF weight by vocabulary rank."""
import argparse
import pathlib

import numpy as np

from common import DIMENSIONS


def reduce(table: np.ndarray, dimensions: int = DIMENSIONS) -> np.ndarray:
    used = np.abs(table).sum(axis=1) > 0
    mean = table[used].mean(axis=0)
    _, axes = np.linalg.eigh(np.cov((table[used] - mean).T.astype(np.float64)))
    axes = axes[:, ::-1][:, :dimensions]
    # the sign of an eigenvector is arbitrary: fix it, so that a rerun gives the same table
    axes = axes * np.sign(axes[np.abs(axes).argmax(axis=0), np.arange(dimensions)])
    out = np.zeros((len(table), dimensions), dtype=np.float32)
    out[used] = (table[used] - mean) @ axes
    return out


def sif(size: int, a: float = 1e-4) -> np.ndarray:
    """a / (a + p), p by Zipf's law: the vocabulary is in order of frequency."""
    p = 1.0 / (np.arange(size) + 2)
    p /= p.sum()
    return (a / (a + p)).astype(np.float32)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--token-table", type=pathlib.Path, required=True)
    parser.add_argument("--weight", choices=["sif", "none"], default="sif", help="none: input of the training")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    a = parser.parse_args()
    table = reduce(np.load(a.token_table))
    np.save(a.out, table * sif(len(table))[:, None] if a.weight == "sif" else table)


if __name__ == "__main__":
    main()
