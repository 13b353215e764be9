"""Step 3b: word-piece ids of all pairs, one .npz a source, and the background idf of each word piece."""
import argparse
import hashlib
import json
import pathlib

import numpy as np

from common import token_ids, tokenizer

MAX_QUERY, MAX_PASSAGE = 64, 256


def flat(lists: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    offsets = np.concatenate([[0], np.cumsum([len(x) for x in lists])]).astype(np.int64)
    return (np.concatenate(lists) if lists else np.zeros(0)).astype(np.uint16), offsets


def group(text: str) -> int:
    return int.from_bytes(hashlib.md5(text.lower().encode()).digest()[:7], "big")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=pathlib.Path, required=True)
    parser.add_argument("--vocabulary", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--idf", type=pathlib.Path, required=True)
    a = parser.parse_args()
    a.out.mkdir(parents=True, exist_ok=True)
    tokens = tokenizer(a.vocabulary)
    size = tokens.get_vocab_size()
    frequency, documents = np.zeros(size), 0
    for file in sorted(a.pairs.glob("*.jsonl")):
        by_kind: dict[str, list] = {}
        for line in file.read_text(encoding="utf-8").splitlines():
            kind, query, passage = json.loads(line)
            by_kind.setdefault(kind, []).append((query, passage))
        for kind, pairs in sorted(by_kind.items()):
            queries = token_ids(tokens, [q for q, _ in pairs], MAX_QUERY)
            passages = token_ids(tokens, [p for _, p in pairs], MAX_PASSAGE)
            if kind != "sentence":
                for ids in passages:
                    frequency[np.unique(ids)] += 1
                documents += len(passages)
            q, q_offsets = flat(queries)
            p, p_offsets = flat(passages)
            np.savez(
                a.out / f"{file.stem}.{kind}.npz", q=q, q_offsets=q_offsets, p=p, p_offsets=p_offsets,
                q_group=np.array([group(x) for x, _ in pairs], dtype=np.int64),
                p_group=np.array([group(x[:200]) for _, x in pairs], dtype=np.int64),
            )
    idf = np.log(1 + (documents - frequency + 0.5) / (frequency + 0.5))
    np.save(a.idf, idf.astype(np.float32))
    print(documents, "passages; word pieces never seen:", int((frequency == 0).sum()))


if __name__ == "__main__":
    main()
