"""Step 5: contrastive training of the token table (numpy, hand-written gradients).

A text is the L2-normalised sum of (1 + ln count) * E[t], the pooling weight inside E[t]; symmetric InfoNCE in a batch
of one source, duplicates of the query or the passage masked; Adam over the whole table with warm-up and cosine decay.
Dev measures are printed, not used.
"""
import argparse
import json
import pathlib
import time

import numpy as np
import scipy.sparse as sparse

from common import HELD_OUT_DOCUMENTATION, token_rows
from evaluate import Dev

SHORT, LONG, QUERY = 48, 256, 64


class Source:
    """The pairs of one kind of one package."""

    def __init__(self, file: pathlib.Path):
        self.name = file.stem
        data = np.load(file)
        self.q, self.p = (data["q"], data["q_offsets"]), (data["p"], data["p_offsets"])
        self.q_group, self.p_group = data["q_group"], data["p_group"]
        self.size = len(self.q_group)

    def ids(self, side: str, index: np.ndarray) -> list[np.ndarray]:
        flat, offsets = self.q if side == "q" else self.p
        return [flat[offsets[i] : offsets[i + 1]].astype(np.int32) for i in index]

    def prepare(self, size: int) -> "Source":
        self.queries = token_rows(*self.q, QUERY, size)
        self.passages = {limit: token_rows(*self.p, limit, size) for limit in (SHORT, LONG)}
        return self


def unit(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    length = np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-6)
    return x / length, length


def unit_gradient(gradient: np.ndarray, u: np.ndarray, length: np.ndarray) -> np.ndarray:
    return (gradient - u * (gradient * u).sum(axis=1, keepdims=True)) / length


def softmax(x: np.ndarray, axis: int) -> np.ndarray:
    x = np.exp(x - x.max(axis=axis, keepdims=True))
    return x / x.sum(axis=axis, keepdims=True)


def info_nce(u: np.ndarray, v: np.ndarray, masked: np.ndarray, temperature: float):
    """Loss and gradients of symmetric InfoNCE; `masked` marks pairs that are not negatives."""
    logits = (u @ v.T) / temperature
    logits[masked] = -1e4
    n = len(u)
    rows, columns = softmax(logits, 1), softmax(logits, 0)
    diagonal = np.arange(n)
    loss = -0.5 * float(np.mean(np.log(rows[diagonal, diagonal] + 1e-12) + np.log(columns[diagonal, diagonal] + 1e-12)))
    gradient = rows + columns
    gradient[diagonal, diagonal] -= 2.0
    gradient *= 0.5 / (n * temperature)
    return loss, gradient @ v, gradient.T @ u


class Adam:
    """Adam over the whole table: rows a batch does not touch go on along their momentum."""

    def __init__(self, parameter: np.ndarray, trained: np.ndarray, beta1=0.9, beta2=0.999):
        self.trained = trained[:, None].astype(np.float32)  # 0 for special tokens, which stay out of the pooling
        self.p, self.b1, self.b2, self.t = parameter, beta1, beta2, 0
        self.m, self.v, self.scratch = (np.zeros_like(parameter) for _ in range(3))

    def step(self, touched: np.ndarray, gradient: np.ndarray, rate: float) -> None:
        self.t += 1
        gradient = gradient * self.trained[touched]
        self.m *= self.b1
        self.m[touched] += (1 - self.b1) * gradient
        self.v *= self.b2
        self.v[touched] += (1 - self.b2) * gradient**2
        np.divide(self.v, 1 - self.b2**self.t, out=self.scratch)
        np.sqrt(self.scratch, out=self.scratch)
        self.scratch += 1e-8
        np.divide(self.m, self.scratch, out=self.scratch)
        self.scratch *= rate / (1 - self.b1**self.t)
        self.p -= self.scratch


def shares(sources: list[Source], rules: dict) -> np.ndarray:
    """Chance of a source for a step: power of its size, times the factor of the first rule its name contains."""
    size = np.array([min(s.size, rules["cap"]) ** rules["power"] for s in sources])
    factor = np.array([next((f for k, f in rules["factors"].items() if k in s.name), 1.0) for s in sources])
    return size * factor / (size * factor).sum()


def batch(source: Source, a, random: np.random.Generator):
    """Token rows of queries over passages (some tokens dropped), and the pairs that are not negatives."""
    pick = random.choice(source.size, min(a.batch, source.size), replace=False)
    # passages of many lengths: sometimes only the first part
    passages = source.passages[SHORT if random.random() < 0.33 else LONG]
    both = sparse.vstack([source.queries[pick], passages[pick]]).tocsr()
    both.data *= random.random(len(both.data)) >= a.dropout
    masked = np.zeros((len(pick), len(pick)), dtype=bool)
    for group in (source.q_group[pick], source.p_group[pick]):
        masked |= group[:, None] == group[None, :]
    np.fill_diagonal(masked, False)
    return both, masked


def learn(adam: Adam, source: Source, rate: float, a, random: np.random.Generator) -> float:
    """One step; the loss."""
    both, masked = batch(source, a, random)
    touched, column = np.unique(both.indices, return_inverse=True)
    both = sparse.csr_matrix((both.data, column, both.indptr), shape=(both.shape[0], len(touched)))
    vectors, length = unit(np.asarray(both @ adam.p[touched]))
    n = len(masked)
    loss, du, dv = info_nce(vectors[:n], vectors[n:], masked, a.temperature)
    gradient = np.asarray(both.T @ unit_gradient(np.vstack([du, dv]), vectors, length))
    adam.step(touched, gradient, rate)
    return loss


def train(a, sources: list[Source], initial: np.ndarray, dev: Dev | None) -> np.ndarray:
    random = np.random.default_rng(a.seed)
    used = np.abs(initial).sum(axis=1) > 0
    table = (initial / np.linalg.norm(initial[used], axis=1).mean()).astype(np.float32)
    chance = shares(sources, json.loads(a.mix.read_text()))
    adam, losses, begun = Adam(table, used), [], time.time()
    for step in range(1, a.steps + 1):
        source = sources[random.choice(len(sources), p=chance)]
        decay = 0.05 + 0.95 * 0.5 * (1 + np.cos(np.pi * step / a.steps))
        losses.append(learn(adam, source, a.rate * min(1.0, step / 30) * decay, a, random))
        if dev is not None and (step % a.every == 0 or step == a.steps):
            figures = "scifact-train %.4f jira %.4f" % dev.dense(table)
            print(f"step {step} loss {np.mean(losses[-a.every:]):.3f} {figures} {time.time() - begun:.0f} s", flush=True)
    return table


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tokens", type=pathlib.Path, required=True)
    parser.add_argument("--initial", type=pathlib.Path, required=True, help="output of ridge.py")
    parser.add_argument("--mix", type=pathlib.Path, default=pathlib.Path(__file__).with_name("mix.json"))
    parser.add_argument("--data", type=pathlib.Path, help="dev data, to print the dev measures")
    parser.add_argument("--vocabulary", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--steps", type=int, default=750)
    parser.add_argument("--batch", type=int, default=1024)
    parser.add_argument("--temperature", type=float, default=0.05)
    parser.add_argument("--rate", type=float, default=0.0025)
    parser.add_argument("--dropout", type=float, default=0.2)
    parser.add_argument("--every", type=int, default=150)
    return parser.parse_args()


def main() -> None:
    a = arguments()
    initial = np.load(a.initial)
    files = [f for f in sorted(a.tokens.glob("*.npz")) if f.stem.rsplit(".", 1)[0] not in HELD_OUT_DOCUMENTATION]
    sources = [s.prepare(len(initial)) for f in files if (s := Source(f)).size >= 64]
    dev = Dev(a.data, a.vocabulary, len(initial)) if a.data else None
    np.save(a.out, train(a, sources, initial, dev))


if __name__ == "__main__":
    main()
