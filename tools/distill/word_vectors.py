"""Optional step: the teacher's vectors of the words of a spelling list that are several word pieces long.

Rare words (medical terms above all) are sums of pieces: their teacher vectors teach the pieces what they make up.
"""
import argparse
import pathlib

import numpy as np

from common import token_ids, tokenizer
from teacher_vectors import sentence_vectors
from token_table import load_vocabulary, session
from tokenise import flat


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--words", type=pathlib.Path, required=True, help="one word a line, `/FLAGS` ignored")
    parser.add_argument("--teacher", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--count", type=int, default=60000)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    a = parser.parse_args()
    words = [w.split("/")[0] for w in a.words.read_text(encoding="utf-8", errors="replace").split()[1:]]
    ids = token_ids(tokenizer(a.teacher / "vocab.txt"), words, 62)
    ids = [x for x in ids if len(x) > 1]
    pick = np.sort(np.random.default_rng(a.seed).choice(len(ids), min(a.count, len(ids)), replace=False))
    ids = [ids[i] for i in pick]
    vocabulary = load_vocabulary(a.teacher)
    model = session(a.teacher, a.threads)
    vectors = sentence_vectors(model, ids, vocabulary.index("[CLS]"), vocabulary.index("[SEP]"), 256)
    tokens, offsets = flat(ids)
    np.savez(a.out, t=tokens, offsets=offsets, vectors=vectors)
    print(len(ids), "words")


if __name__ == "__main__":
    main()
