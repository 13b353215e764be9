"""Step 3c: the teacher's vectors of short texts that are rich in rare word pieces (input of ridge.py).

Candidates are the first tokens of definitions (headword in front), of single sentences and of package descriptions.
The chance of a text is the mean of count^-0.5 over its word pieces, so that rarely seen pieces are taught too.
Written in parts (`part-000.npz`: `t`, `offsets`, `vectors`), so that a run can be cut short.
"""
import argparse
import pathlib

import numpy as np

from common import HELD_OUT_DOCUMENTATION
from teacher_vectors import sentence_vectors
from token_table import load_vocabulary, session
from tokenise import flat
from train import Source

PART = 10_000


def candidates(folder: pathlib.Path, limit: int) -> list[np.ndarray]:
    texts = []
    for file in sorted(folder.glob("*.npz")):
        package, kind = file.stem.rsplit(".", 1)
        if package in HELD_OUT_DOCUMENTATION or kind not in ("definition", "sentence", "description"):
            continue
        source = Source(file)
        index = np.arange(source.size)
        first = source.ids("q", index)
        if kind == "sentence":
            texts += [x[:limit] for x in first]
        else:
            texts += [np.concatenate([a, b])[:limit] for a, b in zip(first, source.ids("p", index))]
    return [x for x in texts if len(x) >= 4]


def choose(texts: list[np.ndarray], count: int, seed: int) -> np.ndarray:
    """Weighted sampling without replacement (Efraimidis and Spirakis 2006), in random order."""
    flat_ids, lengths = np.concatenate(texts), np.array([len(x) for x in texts])
    rarity = 1.0 / np.sqrt(np.bincount(flat_ids))[flat_ids]
    chance = np.add.reduceat(rarity, np.concatenate([[0], np.cumsum(lengths)[:-1]])) / lengths
    keys = -np.log(np.random.default_rng(seed).random(len(texts))) / chance
    return np.argsort(keys, kind="stable")[:count]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tokens", type=pathlib.Path, required=True)
    parser.add_argument("--teacher", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--limit", type=int, default=40)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    a = parser.parse_args()
    a.out.mkdir(parents=True, exist_ok=True)
    texts = candidates(a.tokens, a.limit)
    picked = choose(texts, a.count, a.seed)
    vocabulary, model = load_vocabulary(a.teacher), session(a.teacher, a.threads)
    cls, sep = vocabulary.index("[CLS]"), vocabulary.index("[SEP]")
    for part in range(0, len(picked), PART):
        ids = [texts[i] for i in picked[part : part + PART]]
        vectors = sentence_vectors(model, ids, cls, sep)
        tokens, offsets = flat(ids)
        np.savez(a.out / f"part-{part // PART:03d}.npz", t=tokens, offsets=offsets, vectors=vectors)
        print(f"{part + len(ids)} of {len(picked)} chosen from {len(texts)}", flush=True)


if __name__ == "__main__":
    main()
