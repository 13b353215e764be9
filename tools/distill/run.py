"""The whole recipe after extraction: tokenise, teacher, ridge, train, export. `--sample`: a tiny slice, no dev data,
under a minute; prints the same hash for the same seed."""
import argparse
import json
import pathlib
import subprocess
import sys

import numpy as np

from common import quantise, sha256
from token_table import token_table

HERE = pathlib.Path(__file__).parent
TEXTS = 50_000
PAIR_VECTORS = """debian-descriptions.description=12000 dict-foldoc.definition=6000 dict-gcide.definition=10000
    jira.jira-datamanagement=3000 jira.jira-titanium=1500 linux-doc-6.1.sentence=4000 postgresql-doc-15.sentence=3000
    python-sklearn-doc.sentence=2700 python-statsmodels-doc.sentence=463 python3.11-doc.sentence=4000
    wordnet-base.definition=25000""".split()


def step(script: str, *options) -> None:
    subprocess.run([sys.executable, str(HERE / script), *map(str, options)], check=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--teacher", type=pathlib.Path, required=True)
    parser.add_argument("--pairs", type=pathlib.Path, required=True, help="output of extract.py")
    parser.add_argument("--work", type=pathlib.Path, required=True, help="scratch folder")
    parser.add_argument("--words", type=pathlib.Path, help="medical spelling list (hunspell-en-med)")
    parser.add_argument("--data", type=pathlib.Path, help="folder with the dev data (not with --sample)")
    parser.add_argument("--out", type=pathlib.Path, help="model folder to write")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--sample", action="store_true")
    a = parser.parse_args()
    a.work.mkdir(parents=True, exist_ok=True)
    vocabulary, pairs, tokens = a.teacher / "vocab.txt", a.pairs, a.work / "tokens"
    if a.sample:
        pairs = a.work / "pairs"
        pairs.mkdir(exist_ok=True)
        for file in sorted(a.pairs.glob("*.jsonl"))[:4]:
            lines = file.read_text(encoding="utf-8").split("\n")[:400]
            (pairs / file.name).write_text("\n".join(lines).rstrip("\n") + "\n", encoding="utf-8")
    idf, threads = a.work / "idf.npy", ["--threads", a.threads]
    np.save(a.work / "token-table.npy", token_table(a.teacher, a.threads, 4000 if a.sample else None))
    step("tokenise.py", "--pairs", pairs, "--vocabulary", vocabulary, "--out", tokens, "--idf", idf)
    texts, read = [a.work / "texts"], ["--teacher", a.teacher, *threads]
    step("teacher_texts.py", "--tokens", tokens, "--out", texts[0], "--count", 500 if a.sample else TEXTS, *read)
    lessons = ["--tokens", tokens]
    if not a.sample:
        step("teacher_vectors.py", "--tokens", tokens, "--out", a.work / "pair-vectors", "--sources", *PAIR_VECTORS, *read)
        lessons += ["--pair-vectors", a.work / "pair-vectors"]
    if a.words:
        texts.append(a.work / "words.npz")
        step("word_vectors.py", "--words", a.words, "--out", texts[1], *read)
    known = ["--token-table", a.work / "token-table.npy", "--idf", idf]
    step("ridge.py", *known, *lessons, "--texts", *texts, "--out", a.work / "ridge.npy")
    options = ["--tokens", tokens, "--initial", a.work / "ridge.npy", "--seed", a.seed]
    options += ["--vocabulary", vocabulary, "--out", a.work / "table.npy"]
    options += ["--steps", 20, "--batch", 128] if a.sample else []
    options += ["--data", a.data] if a.data and not a.sample else []
    step("train.py", *options)
    table = np.load(a.work / "table.npy")
    vectors, scales = quantise(table)
    print("hash", sha256(vectors.tobytes() + scales.tobytes()))
    if a.out:
        step("export.py", "--table", a.work / "table.npy", "--idf", idf, "--vocabulary", vocabulary, "--out", a.out)


if __name__ == "__main__":
    main()
