"""Step 3c: contrastive training of the token table (numpy, hand-written gradients).

A text is the L2-normalised sum of (1 + ln count) * exp(w[t]) * E[t]; symmetric InfoNCE in a batch of one source,
duplicates of the query or the passage masked; sparse Adam with warm-up and cosine decay; stops on the dev measure
by keeping the best step. With `--teacher-vectors`, part of the target is the teacher's softmax over the batch.
"""
import argparse
import json
import pathlib
import time

import numpy as np
import scipy.sparse as sparse

from common import DIMENSIONS, bag
from evaluate import Dev


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


def matrix(id_lists: list[np.ndarray], size: int, dropout: float, random: np.random.Generator) -> sparse.csr_matrix:
    indices, values, indptr = [], [], [0]
    for ids in id_lists:
        distinct, weight = bag(ids)
        if dropout and len(distinct) > 3:
            keep = random.random(len(distinct)) >= dropout
            if keep.any():
                distinct, weight = distinct[keep], weight[keep]
        indices.append(distinct)
        values.append(weight)
        indptr.append(indptr[-1] + len(distinct))
    return sparse.csr_matrix(
        (np.concatenate(values), np.concatenate(indices), np.array(indptr)), shape=(len(id_lists), size), dtype=np.float32
    )


def unit(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    length = np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-6)
    return x / length, length


def unit_gradient(gradient: np.ndarray, u: np.ndarray, length: np.ndarray) -> np.ndarray:
    return (gradient - u * (gradient * u).sum(axis=1, keepdims=True)) / length


def softmax(x: np.ndarray, axis: int) -> np.ndarray:
    x = np.exp(x - x.max(axis=axis, keepdims=True))
    return x / x.sum(axis=axis, keepdims=True)


def info_nce(u, v, masked, temperature, soft=None, alpha=0.0):
    """Loss and gradients of symmetric InfoNCE; `masked` marks pairs that are not negatives; `soft` holds teacher
    similarities whose softmax takes the share `alpha` of the target."""
    logits = (u @ v.T) / temperature
    logits[masked] = -1e4
    n = len(u)
    rows, columns = softmax(logits, 1), softmax(logits, 0)
    diagonal = np.arange(n)
    loss = -0.5 * float(np.mean(np.log(rows[diagonal, diagonal] + 1e-12) + np.log(columns[diagonal, diagonal] + 1e-12)))
    gradient = rows + columns
    if soft is not None and alpha:
        soft = np.where(masked, -1e4, soft)
        gradient -= alpha * (softmax(soft, 1) + softmax(soft, 0))
        gradient[diagonal, diagonal] -= 2.0 * (1 - alpha)
    else:
        gradient[diagonal, diagonal] -= 2.0
    gradient *= 0.5 / (n * temperature)
    return loss, gradient @ v, gradient.T @ u


def matching(u, target, temperature):
    """Distillation of a batch of texts: cross entropy of the student's softmax over its neighbours in the batch and
    the teacher's (`target`: teacher similarities over their temperature). Loss and gradient."""
    logits = (u @ u.T) / temperature
    np.fill_diagonal(logits, -1e4)
    target = target.copy()
    np.fill_diagonal(target, -1e4)
    ours, theirs = softmax(logits, 1), softmax(target, 1)
    loss = float(np.mean(np.sum(theirs * (np.log(theirs + 1e-9) - np.log(ours + 1e-9)), axis=1)))
    gradient = (ours - theirs) / (len(u) * temperature)
    return loss, (gradient + gradient.T) @ u


class Lessons:
    """Texts with teacher vectors, a group for each source: words, queries and cut passages."""

    def __init__(self, words, teacher: dict, sources: list[Source], limit: int):
        self.groups = []
        if words is not None:
            data = np.load(words)
            o = data["offsets"]
            self.groups.append(([data["t"][o[i] : o[i + 1]].astype(np.int32) for i in range(len(o) - 1)], data["vectors"]))
        for source in sources:
            if source.name in teacher:
                known = teacher[source.name]
                ids = source.ids("q", known["index"]) + source.ids("p", known["index"])
                self.groups.append(([x[:limit] for x in ids], np.concatenate([known["q"], known["p"]])))
        share = np.array([len(ids) ** 0.5 for ids, _ in self.groups])
        self.chance = share / share.sum() if self.groups else share

    def batch(self, n: int, random):
        ids, vectors = self.groups[random.choice(len(self.groups), p=self.chance)]
        pick = random.choice(len(ids), min(n, len(ids)), replace=False)
        known = vectors[pick].astype(np.float32)
        known /= np.maximum(np.linalg.norm(known, axis=1, keepdims=True), 1e-6)
        return [ids[i] for i in pick], known @ known.T


class SparseAdam:
    """Adam that moves only the rows a batch touches."""

    def __init__(self, parameter: np.ndarray, row_warm_up: int = 0, beta1=0.9, beta2=0.99):
        self.row_warm_up = row_warm_up  # a row seen rarely moves less: its steps are mostly noise
        self.p, self.b1, self.b2 = parameter, beta1, beta2
        self.m, self.v = np.zeros_like(parameter), np.zeros_like(parameter)
        self.steps = np.zeros(len(parameter), dtype=np.int64)

    def step(self, touched: np.ndarray, gradient: np.ndarray, rate: float) -> None:
        self.steps[touched] += 1
        t = self.steps[touched].astype(np.float32)
        t = t.reshape((-1,) + (1,) * (self.p.ndim - 1))
        m = self.b1 * self.m[touched] + (1 - self.b1) * gradient
        v = self.b2 * self.v[touched] + (1 - self.b2) * gradient**2
        self.m[touched], self.v[touched] = m, v
        if self.row_warm_up:
            rate = rate * np.minimum(1.0, t / self.row_warm_up)
        self.p[touched] -= rate * (m / (1 - self.b1**t)) / (np.sqrt(v / (1 - self.b2**t)) + 1e-8)


def start(initial: np.ndarray, idf: np.ndarray, idf_power: float) -> tuple[np.ndarray, np.ndarray]:
    """E scaled to a mean row norm of 1 and log weights from the background idf; special tokens stay out."""
    used = np.abs(initial).sum(axis=1) > 0
    table = initial / np.linalg.norm(initial[used], axis=1).mean()
    weight = np.where(used, idf_power * np.log(np.maximum(idf, 0.05) / idf[used].max()), -np.inf)
    return table.astype(np.float32), weight.astype(np.float32)


def shares(sources: list[Source], rules: dict) -> np.ndarray:
    """Chance of a source for a step: power of its size, times the factor of the first rule its name starts with."""
    size = np.array([min(s.size, rules["cap"]) ** rules["power"] for s in sources])
    factor = np.array([next((f for k, f in rules["factors"].items() if k in s.name), 1.0) for s in sources])
    return size * factor / (size * factor).sum()


def train(a, sources: list[Source], initial: np.ndarray, idf: np.ndarray, dev, log=print):
    random = np.random.default_rng(a.seed)
    table, weight = start(initial, idf, a.idf_power)
    size = len(table)
    rules = json.loads(pathlib.Path(a.mix).read_text())
    chance = shares(sources, rules)
    adam_table, adam_weight = SparseAdam(table, a.row_warm_up), SparseAdam(weight, a.row_warm_up)
    teacher = {f.stem: np.load(f) for f in sorted(a.teacher_vectors.glob("*.npz"))} if a.teacher_vectors else {}
    lessons = Lessons(a.words, teacher, sources, a.teacher_limit) if teacher or a.words else None
    full = lambda: np.where(np.isfinite(weight), np.exp(weight), 0)[:, None].astype(np.float32) * table
    best, kept, losses, begun = -1.0, full(), [], time.time()
    for step in range(1, a.steps + 1):
        source = sources[random.choice(len(sources), p=chance)]
        soft, parts, lesson = None, [], None
        if lessons is not None and random.random() < a.distil:
            lesson = lessons.batch(a.batch, random)
        elif source.name in teacher and random.random() < a.teacher_share:
            known = teacher[source.name]
            n = min(a.batch, len(known["index"]))
            pick = random.choice(len(known["index"]), n, replace=False)
            parts = [(source, known["index"][pick])]
            soft = (known["q"][pick].astype(np.float32) @ known["p"][pick].astype(np.float32).T) / a.teacher_temperature
        elif random.random() < a.mixed:
            share = a.batch // 16
            for i in random.choice(len(sources), 16, replace=False, p=chance):
                parts.append((sources[i], random.choice(sources[i].size, min(share, sources[i].size), replace=False)))
        else:
            parts = [(source, random.choice(source.size, min(a.batch, source.size), replace=False))]
        # passages of many lengths: sometimes only the first part
        limit = int(random.choice([48, 128, 256])) if soft is None else int(a.teacher_limit)
        if lesson is None:
            left = matrix([x for s, index in parts for x in s.ids("q", index)], size, a.dropout, random)
            right = matrix([x[:limit] for s, index in parts for x in s.ids("p", index)], size, a.dropout, random)
            both = sparse.vstack([left, right]).tocsr()
        else:
            both = matrix(lesson[0], size, 0.0, random)
        touched, column = np.unique(both.indices, return_inverse=True)
        usable = np.isfinite(weight[touched])
        both = sparse.csr_matrix((both.data, column, both.indptr), shape=(both.shape[0], len(touched)))
        factor = np.where(usable, np.exp(weight[touched]), 0).astype(np.float32)[:, None]
        pooled = np.asarray(both @ (factor * table[touched]))
        vectors, length = unit(pooled)
        if lesson is None:
            n = left.shape[0]
            q_group, p_group = (np.concatenate([getattr(s, g)[i] for s, i in parts]) for g in ("q_group", "p_group"))
            masked = (q_group[:, None] == q_group[None, :]) | (p_group[:, None] == p_group[None, :])
            np.fill_diagonal(masked, False)
            loss, du, dv = info_nce(vectors[:n], vectors[n:], masked, a.temperature, soft, a.alpha)
            losses.append(loss)
            outer = np.vstack([du, dv])
        else:
            _, outer = matching(vectors, lesson[1] / a.teacher_temperature, a.temperature)
        gradient = np.asarray(both.T @ unit_gradient(outer, vectors, length))
        warm = min(1.0, step / 30)
        decay = 0.05 + 0.95 * 0.5 * (1 + np.cos(np.pi * step / a.steps))
        touched, gradient, factor = touched[usable], gradient[usable], factor[usable]
        row_gradient = gradient * factor
        adam_weight.step(touched, (row_gradient * table[touched]).sum(axis=1), a.weight_rate * warm * decay)
        adam_table.step(touched, row_gradient, a.rate * warm * decay)
        if dev is not None and (step % a.every == 0 or step == a.steps):
            table_now = full()
            scifact, jira = dev.dense(table_now)
            score = 0.5 * (scifact + jira)
            mark = ""
            if score > best:
                best, kept, mark = score, table_now, " *"
            log(f"step {step} loss {np.mean(losses[-a.every:]):.3f} scifact-train {scifact:.4f} jira {jira:.4f} {time.time() - begun:.0f} s{mark}", flush=True)
    return kept if dev is not None else full()


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tokens", type=pathlib.Path, required=True)
    parser.add_argument("--initial", type=pathlib.Path, required=True, help="output of initial.py --weight none")
    parser.add_argument("--idf", type=pathlib.Path, required=True)
    parser.add_argument("--mix", type=pathlib.Path, default=pathlib.Path(__file__).with_name("mix.json"))
    parser.add_argument("--data", type=pathlib.Path, help="dev data; without it the last step is kept")
    parser.add_argument("--vocabulary", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--steps", type=int, default=1200)
    parser.add_argument("--batch", type=int, default=1024)
    parser.add_argument("--temperature", type=float, default=0.05)
    parser.add_argument("--rate", type=float, default=0.006)
    parser.add_argument("--weight-rate", type=float, default=0.01)
    parser.add_argument("--idf-power", type=float, default=0.5)
    parser.add_argument("--row-warm-up", type=int, default=0, help="steps until a token's row moves at the full rate")
    parser.add_argument("--dropout", type=float, default=0.2)
    parser.add_argument("--every", type=int, default=150)
    parser.add_argument("--mixed", type=float, default=0.0, help="share of steps whose batch mixes 16 sources")
    parser.add_argument("--teacher-vectors", type=pathlib.Path)
    parser.add_argument("--words", type=pathlib.Path, help="output of word_vectors.py")
    parser.add_argument("--distil", type=float, default=0.0, help="share of steps that match teacher similarities")
    parser.add_argument("--teacher-share", type=float, default=0.5)
    parser.add_argument("--teacher-temperature", type=float, default=0.05)
    parser.add_argument("--teacher-limit", type=int, default=62)
    parser.add_argument("--alpha", type=float, default=0.5)
    return parser.parse_args()


def main() -> None:
    a = arguments()
    sources = [s for f in sorted(a.tokens.glob("*.npz")) if (s := Source(f)).size >= 64]
    initial, idf = np.load(a.initial), np.load(a.idf)
    dev = Dev(a.data, a.vocabulary, len(initial)) if a.data else None
    np.save(a.out, train(a, sources, initial, idf, dev))


if __name__ == "__main__":
    main()
