"""Step 4: write a float table as the model folder the library loads."""
import argparse
import json
import pathlib
import shutil

import numpy as np

from common import MAX_INPUT_TOKENS, quantise, sha256


def export(table: np.ndarray, idf: np.ndarray, vocabulary: pathlib.Path, folder: pathlib.Path) -> dict[str, str]:
    folder.mkdir(parents=True, exist_ok=True)
    vectors, scales = quantise(table)
    (folder / "vectors.int8").write_bytes(vectors.tobytes())
    (folder / "scales.f32").write_bytes(scales.astype("<f4").tobytes())
    (folder / "token-idf.f32").write_bytes(idf.astype("<f4").tobytes())
    shutil.copyfile(vocabulary, folder / "vocab.txt")
    files = ["scales.f32", "token-idf.f32", "vectors.int8", "vocab.txt"]
    hashes = {name: sha256((folder / name).read_bytes()) for name in files}
    card = {
        "name": "ragstone-static",
        "version": 1,
        "dimensions": int(table.shape[1]),
        "vocabularySize": int(table.shape[0]),
        "pooling": "weighted-sum-l2",
        "termFrequency": "log",
        "maxInputTokens": MAX_INPUT_TOKENS,
        "idf": "token-idf.f32",
        "sha256": hashes,
    }
    (folder / "model.json").write_text(json.dumps(card, indent=2) + "\n")
    return hashes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--table", type=pathlib.Path, required=True, help="float table (.npy)")
    parser.add_argument("--idf", type=pathlib.Path, required=True, help="background idf (.npy)")
    parser.add_argument("--vocabulary", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    a = parser.parse_args()
    print(json.dumps(export(np.load(a.table), np.load(a.idf), a.vocabulary, a.out), indent=2))


if __name__ == "__main__":
    main()
