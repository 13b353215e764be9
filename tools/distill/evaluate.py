"""Dev measures of a table (.npy) or an exported model folder; fusion weights on dev data.

SciFact: nDCG@10 on the TRAIN claims (`--scifact-split train`, the default). `--scifact-split test` is a look at
the test split: note it in the list of looks of the model's README.
Jira: title -> own description, nDCG@10 over each held-out project; never trained on.
Documentation (`--pairs`): heading -> own section, nDCG@10 over each held-out package; never trained on.
"""
import argparse
import csv
import json
import math
import pathlib
import re
from collections import Counter, defaultdict

import numpy as np
import scipy.sparse as sparse
import snowballstemmer

from common import HELD_OUT_DOCUMENTATION, MAX_INPUT_TOKENS, dequantise, embed, load_model, ndcg, quantise, rows, token_ids, tokenizer

HELD_OUT_JIRA = ["moodle", "mesos", "usergrid", "springxd", "bamboo", "duracloud"]
STOP_WORDS = set(
    """a an and are as at be but by for if in into is it no not of on or such that the their then there these they
    this to was will with""".split()
)
stem = snowballstemmer.stemmer("english")


def words(text: str) -> list[str]:
    return stem.stemWords([w for w in re.findall(r"[a-z0-9]+", text.lower()) if w not in STOP_WORDS])


class Bm25:
    """Lucene's BM25 as one sparse matrix."""

    def __init__(self, documents: list[str], k1: float = 1.2, b: float = 0.75):
        self.ids: dict[str, int] = {}
        row, column, count, lengths = [], [], [], []
        for d, text in enumerate(documents):
            terms = Counter(words(text))
            lengths.append(sum(terms.values()))
            for term, n in terms.items():
                row.append(d)
                column.append(self.ids.setdefault(term, len(self.ids)))
                count.append(n)
        row, column, tf = np.array(row), np.array(column), np.array(count, dtype=np.float64)
        length = np.array(lengths, dtype=np.float64)
        df = np.bincount(column, minlength=len(self.ids))
        idf = np.log(1 + (len(documents) - df + 0.5) / (df + 0.5))
        weight = idf[column] * tf / (tf + k1 * (1 - b + b * length[row] / length.mean()))
        self.matrix = sparse.csc_matrix((weight, (row, column)), shape=(len(documents), len(self.ids)))

    def scores(self, query: str) -> np.ndarray:
        terms = [self.ids[t] for t in words(query) if t in self.ids]
        return np.asarray(self.matrix[:, terms].sum(axis=1)).ravel() if terms else np.zeros(self.matrix.shape[0])


class Collection:
    def __init__(self, queries: list[str], documents: list[str], relevant: list[dict[int, float]]):
        self.queries, self.documents, self.relevant = queries, documents, relevant
        self._bm25: list[np.ndarray] | None = None

    def encode(self, tokens, size: int) -> None:
        self.query_rows = rows(token_ids(tokens, self.queries, MAX_INPUT_TOKENS), size)
        self.document_rows = rows(token_ids(tokens, self.documents, MAX_INPUT_TOKENS), size)

    def dense(self, table: np.ndarray) -> np.ndarray:
        return embed(self.query_rows, table) @ embed(self.document_rows, table).T

    def bm25(self) -> list[np.ndarray]:
        if self._bm25 is None:
            index = Bm25(self.documents)
            self._bm25 = [index.scores(q) for q in self.queries]
        return self._bm25


def top(scores: np.ndarray, k: int) -> np.ndarray:
    k = min(k, len(scores))
    best = np.argpartition(-scores, k - 1)[:k]
    return best[np.lexsort((best, -scores[best]))]


def scifact(folder: pathlib.Path, split: str) -> Collection:
    name = {"train": "queries-train.jsonl", "test": "queries.jsonl"}[split]
    read = lambda f: [json.loads(line) for line in (folder / f).read_text(encoding="utf-8").splitlines()]
    documents, queries = read("corpus.jsonl"), {str(q["_id"]): q["text"] for q in read(name)}
    position = {str(d["_id"]): i for i, d in enumerate(documents)}
    relevant: dict[str, dict[int, float]] = defaultdict(dict)
    for line in (folder / "qrels" / f"{split}.tsv").read_text().splitlines()[1:]:
        q, d, score = line.split("\t")
        if float(score) > 0 and q in queries:
            relevant[q][position[d]] = float(score)
    keys = sorted(relevant)
    return Collection(
        [queries[k] for k in keys], [f"{d['title']} {d['text']}" for d in documents], [relevant[k] for k in keys]
    )


def read_jira(file: pathlib.Path) -> list[tuple[str, str]]:
    with file.open(newline="", encoding="utf-8", errors="replace") as stream:
        return [(r["title"] or "", r["description"] or "") for r in csv.DictReader(stream)]


def jira(folder: pathlib.Path, project: str) -> Collection:
    pairs = [(t, d) for t, d in read_jira(folder / f"{project}.csv") if len(t) > 10 and len(d) > 40]
    return Collection([t for t, _ in pairs], [d for _, d in pairs], [{i: 1.0} for i in range(len(pairs))])


def documentation(pairs: pathlib.Path, package: str, limit: int = 2500) -> Collection:
    """Heading -> section of a package that nothing is trained on; what occurs twice is left out."""
    read = [json.loads(line) for line in (pairs / f"{package}.jsonl").read_text(encoding="utf-8").splitlines()]
    read = [(q, p) for kind, q, p in read if kind == "heading"]
    queries, passages = (Counter(x.lower() for x in side) for side in zip(*read))
    kept = [(q, p) for q, p in read if queries[q.lower()] == 1 and passages[p.lower()] == 1][:limit]
    return Collection([q for q, _ in kept], [p for _, p in kept], [{i: 1.0} for i in range(len(kept))])


def measure(c: Collection, scores: list[np.ndarray] | np.ndarray) -> float:
    return float(np.mean([ndcg([int(x) for x in top(s, 10)], r) for s, r in zip(scores, c.relevant)]))


def convex(lexical: np.ndarray, dense: np.ndarray, weight: float, depth: int = 100) -> np.ndarray:
    """`weight` of BM25, the rest dense; min-max over each lane's first `depth`, 0 for what a lane did not return."""
    total = np.full(len(dense), -1.0)
    pool = []
    for scores, share in ((lexical, weight), (dense, 1 - weight)):
        best = top(scores, depth)
        best = best[scores[best] > 0]
        if not len(best):
            continue
        low, high = scores[best].min(), scores[best].max()
        pool.append((best, share * (scores[best] - low) / (high - low if high > low else 1.0)))
    for best, value in pool:
        total[best] = np.where(total[best] < 0, 0, total[best]) + value
    return total


def rrf(lexical: np.ndarray, dense: np.ndarray, k: int = 60, depth: int = 100) -> np.ndarray:
    total = np.full(len(dense), -1.0)
    for scores in (lexical, dense):
        best = top(scores, depth)
        best = best[scores[best] > 0]
        total[best] = np.where(total[best] < 0, 0, total[best]) + 1 / (k + 1 + np.arange(len(best)))
    return total


class Dev:
    """The dev measures, encoded once and asked often."""

    def __init__(self, data: pathlib.Path, vocabulary: pathlib.Path, size: int, split: str = "train"):
        tokens = tokenizer(vocabulary)
        self.scifact = scifact(data / "retrieval" / "scifact", split)
        self.jira = {p: jira(data / "fixtures" / "jira-issues", p) for p in HELD_OUT_JIRA}
        for c in [self.scifact, *self.jira.values()]:
            c.encode(tokens, size)

    def dense(self, table: np.ndarray) -> tuple[float, float]:
        found = [measure(c, c.dense(table)) for c in self.jira.values()]
        return measure(self.scifact, self.scifact.dense(table)), float(np.mean(found))


def fusion_report(c: Collection, table: np.ndarray) -> dict[str, float]:
    dense, lexical = c.dense(table), c.bm25()
    report = {"bm25": measure(c, lexical), "dense": measure(c, dense)}
    for weight in (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9):
        report[f"convex {weight}"] = measure(c, [convex(l, d, weight) for l, d in zip(lexical, dense)])
    report["rrf"] = measure(c, [rrf(l, d) for l, d in zip(lexical, dense)])
    return {k: round(v, 4) for k, v in report.items()}


def print_fusion(name: str, collections: dict[str, Collection], table: np.ndarray) -> None:
    macro = Counter()
    for part, c in collections.items():
        report = fusion_report(c, table)
        print(name, part, len(c.queries), report)
        macro.update(report)
    print(name, "macro", {k: round(v / len(collections), 4) for k, v in macro.items()})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, required=True)
    parser.add_argument("--vocabulary", type=pathlib.Path, required=True)
    parser.add_argument("--model", type=pathlib.Path, help="exported folder")
    parser.add_argument("--table", type=pathlib.Path, help="float table (.npy)")
    parser.add_argument("--scifact-split", choices=["train", "test"], default="train")
    parser.add_argument("--pairs", type=pathlib.Path, help="output of extract.py: adds the held-out documentation")
    parser.add_argument("--fusion", action="store_true")
    a = parser.parse_args()
    table = load_model(a.model) if a.model else np.load(a.table)
    dev = Dev(a.data, a.vocabulary, len(table), a.scifact_split)
    print("dense nDCG@10: scifact %s %.4f, jira macro %.4f" % (a.scifact_split, *dev.dense(table)))
    if a.table:
        print("int8 dense nDCG@10: scifact %.4f, jira macro %.4f" % dev.dense(dequantise(*quantise(table))))
    sets = {"jira": dev.jira}
    if a.pairs:
        tokens = tokenizer(a.vocabulary)
        sets["documentation"] = {p: documentation(a.pairs, p) for p in HELD_OUT_DOCUMENTATION}
        for c in sets["documentation"].values():
            c.encode(tokens, len(table))
        found = [measure(c, c.dense(table)) for c in sets["documentation"].values()]
        print("dense nDCG@10: documentation macro %.4f" % np.mean(found))
    if a.fusion:
        print("scifact", a.scifact_split, fusion_report(dev.scifact, table))
        for name, collections in sets.items():
            print_fusion(name, collections, table)


if __name__ == "__main__":
    main()
