"""Step 4: the token table whose pooled texts are nearest to the teacher's vectors of the same texts.

Least squares with a ridge towards the teacher's table of single tokens: min |A E - Y|^2 + penalty |E - E0|^2, where a
row of A is a text's token weights (log term frequency times a power of the background idf, length 1) and Y the
teacher's vectors, centred and rotated to their first 256 principal axes. Conjugate gradients, Jacobi preconditioner.
"""
import argparse
import pathlib

import numpy as np
import scipy.sparse as sparse

from common import DIMENSIONS, HELD_OUT_DOCUMENTATION, normalised, token_rows


def lessons(tokens: pathlib.Path, pair_vectors: pathlib.Path | None, texts: list[pathlib.Path], size: int):
    """Token counts (sparse) and teacher vectors of every text the teacher has read."""
    matrices, vectors = [], []
    for file in sorted(pair_vectors.glob("*.npz")) if pair_vectors else []:
        if file.stem.rsplit(".", 1)[0] in HELD_OUT_DOCUMENTATION:
            continue
        known, source = np.load(file), np.load(tokens / file.name)
        for side in "qp":
            matrices.append(token_rows(source[side], source[f"{side}_offsets"], 62, size)[known["index"]])
            vectors.append(known[side].astype(np.float32))
    for file in texts:
        known = np.load(file)
        matrices.append(token_rows(known["t"], known["offsets"], 62, size))
        vectors.append(known["vectors"].astype(np.float32))
    return matrices, vectors


def principal_axes(centred: np.ndarray, dimensions: int) -> np.ndarray:
    _, axes = np.linalg.eigh(np.cov(centred.T.astype(np.float64)))
    axes = axes[:, ::-1][:, :dimensions]
    # the sign of an eigenvector is arbitrary: fix it, so that a rerun gives the same table
    return axes * np.sign(axes[np.abs(axes).argmax(axis=0), np.arange(dimensions)])


def conjugate_gradients(a: sparse.csr_matrix, target: np.ndarray, penalty: float, iterations: int) -> np.ndarray:
    transposed = a.T.tocsr()
    inverse = (1.0 / (np.asarray(a.multiply(a).sum(axis=0)).ravel() + penalty)).astype(np.float32)[:, None]
    residual = transposed @ target
    solution = np.zeros_like(residual)
    direction = inverse * residual
    energy = (residual * direction).sum(axis=0)
    for _ in range(iterations):
        image = transposed @ (a @ direction) + penalty * direction
        length = energy / np.maximum((direction * image).sum(axis=0), 1e-12)
        solution += length * direction
        residual -= length * image
        scaled = inverse * residual
        following = (residual * scaled).sum(axis=0)
        direction = scaled + (following / np.maximum(energy, 1e-12)) * direction
        energy = following
    return solution


def fit(token_table: np.ndarray, idf: np.ndarray, matrices: list, vectors: list, a) -> np.ndarray:
    size = len(token_table)
    known = np.flatnonzero(np.abs(token_table).sum(axis=1) > 0)
    single = normalised(token_table[known])
    alone = sparse.csr_matrix((np.ones(len(known), np.float32), (np.arange(len(known)), known)), shape=(len(known), size))
    counts, teacher = sparse.vstack([*matrices, alone]).tocsr(), np.vstack([*vectors, single])
    mean = teacher.mean(axis=0)
    axes = principal_axes(teacher - mean, DIMENSIONS)
    target = ((teacher - mean) @ axes).astype(np.float32)
    weight = ((np.maximum(idf, 0.05) / idf.max()) ** a.idf_power).astype(np.float32)
    weighted = counts @ sparse.diags(weight)
    length = np.sqrt(np.asarray(weighted.multiply(weighted).sum(axis=1)).ravel())
    weighted = (sparse.diags((1 / np.maximum(length, 1e-6)).astype(np.float32)) @ weighted).tocsr().astype(np.float32)
    initial = np.zeros((size, DIMENSIONS), np.float32)
    initial[known] = (single - mean) @ axes
    table = initial + conjugate_gradients(weighted, target - weighted @ initial, a.penalty, a.iterations)
    return table * weight[:, None]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--token-table", type=pathlib.Path, required=True)
    parser.add_argument("--idf", type=pathlib.Path, required=True)
    parser.add_argument("--tokens", type=pathlib.Path, required=True)
    parser.add_argument("--pair-vectors", type=pathlib.Path, help="output of teacher_vectors.py")
    parser.add_argument("--texts", type=pathlib.Path, nargs="*", default=[], help="outputs of teacher_texts.py and word_vectors.py")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--penalty", type=float, default=0.1)
    parser.add_argument("--idf-power", type=float, default=0.5)
    parser.add_argument("--iterations", type=int, default=9)
    a = parser.parse_args()
    table = np.load(a.token_table)
    files = [f for given in a.texts for f in (sorted(given.glob("part-*.npz")) if given.is_dir() else [given])]
    np.save(a.out, fit(table, np.load(a.idf), *lessons(a.tokens, a.pair_vectors, files, len(table)), a))


if __name__ == "__main__":
    main()
