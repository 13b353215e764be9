"""The whole recipe after extraction: token table, PCA, tokenise, train, export. `--sample`: a tiny slice, no dev data,
under a minute; prints the same hash for the same seed."""
import argparse
import json
import pathlib
import subprocess
import sys

import numpy as np

from common import quantise, sha256
from initial import reduce
from token_table import token_table

HERE = pathlib.Path(__file__).parent


def step(script: str, *options) -> None:
    subprocess.run([sys.executable, str(HERE / script), *map(str, options)], check=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--teacher", type=pathlib.Path, required=True)
    parser.add_argument("--pairs", type=pathlib.Path, required=True, help="output of extract.py")
    parser.add_argument("--work", type=pathlib.Path, required=True, help="scratch folder")
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
    np.save(a.work / "pca.npy", reduce(token_table(a.teacher, a.threads, 4000 if a.sample else None)))
    step("tokenise.py", "--pairs", pairs, "--vocabulary", vocabulary, "--out", tokens, "--idf", a.work / "idf.npy")
    options = ["--tokens", tokens, "--initial", a.work / "pca.npy", "--idf", a.work / "idf.npy", "--seed", a.seed]
    options += ["--vocabulary", vocabulary, "--out", a.work / "table.npy"]
    options += ["--steps", 20, "--batch", 128] if a.sample else []
    options += ["--data", a.data] if a.data and not a.sample else []
    step("train.py", *options)
    table = np.load(a.work / "table.npy")
    vectors, scales = quantise(table)
    print("hash", sha256(vectors.tobytes() + scales.tobytes()))
    if a.out:
        step("export.py", "--table", a.work / "table.npy", "--idf", a.work / "idf.npy", "--vocabulary", vocabulary, "--out", a.out)


if __name__ == "__main__":
    main()
