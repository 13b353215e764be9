"""Optional step: the teacher's vectors of part of the pairs (texts cut short), for soft targets in training.

Writes one .npz a source: `index` (pairs), `q` and `p` (float16 teacher vectors of query and cut passage).
"""
import argparse
import pathlib

import numpy as np

from token_table import load_vocabulary, session
from train import Source


def sentence_vectors(model, id_lists: list[np.ndarray], cls: int, sep: int, batch: int = 64) -> np.ndarray:
    order = np.argsort([len(x) for x in id_lists], kind="stable")
    out = None
    for start in range(0, len(order), batch):
        part = order[start : start + batch]
        width = max(len(id_lists[i]) for i in part) + 2
        ids, mask = np.zeros((len(part), width), np.int64), np.zeros((len(part), width), np.int64)
        for row, i in enumerate(part):
            text = np.concatenate([[cls], id_lists[i], [sep]])
            ids[row, : len(text)], mask[row, : len(text)] = text, 1
        hidden = model.run(None, {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)})[0]
        mean = (hidden * mask[:, :, None]).sum(axis=1) / mask.sum(axis=1, keepdims=True)
        mean /= np.linalg.norm(mean, axis=1, keepdims=True)
        if out is None:
            out = np.zeros((len(order), mean.shape[1]), np.float16)
        out[part] = mean
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tokens", type=pathlib.Path, required=True)
    parser.add_argument("--teacher", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--sources", nargs="+", required=True, help="NAME=COUNT, NAME a file stem of --tokens")
    parser.add_argument("--limit", type=int, default=62)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    a = parser.parse_args()
    a.out.mkdir(parents=True, exist_ok=True)
    vocabulary = load_vocabulary(a.teacher)
    cls, sep = vocabulary.index("[CLS]"), vocabulary.index("[SEP]")
    model = session(a.teacher, a.threads)
    for wanted in a.sources:
        name, count = wanted.split("=")
        source = Source(a.tokens / f"{name}.npz")
        random = np.random.default_rng(a.seed)
        index = np.sort(random.choice(source.size, min(int(count), source.size), replace=False))
        q = sentence_vectors(model, [x[: a.limit] for x in source.ids("q", index)], cls, sep)
        p = sentence_vectors(model, [x[: a.limit] for x in source.ids("p", index)], cls, sep)
        np.savez(a.out / f"{name}.npz", index=index, q=q, p=p)
        print(name, len(index), "own passage nearer than a random one:", float(np.mean((q * p).sum(1) > (q * np.roll(p, 1, 0)).sum(1))), flush=True)


if __name__ == "__main__":
    main()
