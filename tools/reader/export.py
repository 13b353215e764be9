"""Writes a trained reader as the files that a kernel reads: `reader.json` and `weights.bin`.

Matrices are int8 rows with a float32 scale each (greatest magnitude / 127), everything else float32. `reader.json` lists the tensors in
the order of the file: name, dimensions, kind, offset in bytes of the values and of the scales. Rows of a matrix are outputs.
`check` compares the vectors of the written model with those of the trained one.
"""
import argparse
import hashlib
import json
import pathlib

import numpy as np
import torch

from student import OUT, POSITIONS, SHAPES, TABLE_WIDTH, Reader, load_table
from train import device, measure, vectors


def quantised(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    scales = np.maximum(np.abs(matrix).max(1), 1e-12).astype("<f4") / 127
    return np.clip(np.rint(matrix / scales[:, None]), -127, 127).astype(np.int8), scales


def write(state: dict[str, torch.Tensor], name: str, model: pathlib.Path, folder: pathlib.Path) -> dict[str, torch.Tensor]:
    """The weights as they will be read."""
    folder.mkdir(parents=True, exist_ok=True)
    tensors, body, read = [], bytearray(), {}
    for key, value in state.items():
        values = value.float().numpy()
        entry = {"name": key, "dimensions": list(values.shape), "offset": len(body)}
        if values.ndim == 2 and key != "positions":
            rows, scales = quantised(values)
            body += rows.tobytes()
            body += b"\0" * (-len(body) % 4)
            entry |= {"kind": "int8", "scales": len(body)}
            body += scales.tobytes()
            read[key] = torch.from_numpy(rows * scales[:, None])
        else:
            body += values.astype("<f4").tobytes()
            entry |= {"kind": "float32"}
            read[key] = torch.from_numpy(values)
        tensors.append(entry)
    (folder / "weights.bin").write_bytes(body)
    shape = SHAPES[name]
    rows = load_table(model, scaled=False)
    card = {
        "name": f"ragstone-reader-{name}",
        "version": 1,
        "table": "ragstone-static",
        "tableDeviation": float(rows.std(correction=0)),
        "tableWidth": TABLE_WIDTH,
        "width": shape.width,
        "layers": shape.layers,
        "heads": shape.heads,
        "inner": shape.inner,
        "dimensions": OUT,
        "positions": POSITIONS,
        "epsilon": 1e-12,
        "sha256": hashlib.sha256(body).hexdigest(),
        "tensors": tensors,
    }
    (folder / "reader.json").write_text(json.dumps(card, indent=1) + "\n")
    return read


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trained", type=pathlib.Path, required=True, help="SHAPE.pt of train.py")
    parser.add_argument("--model", type=pathlib.Path, default=pathlib.Path(__file__).parents[2] / "models/builtin")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, help="folder of `train.py prepare`: its questions held out are asked again")
    a = parser.parse_args()
    name = a.trained.stem
    state = torch.load(a.trained, map_location="cpu")
    read = write(state, name, a.model, a.out)
    if a.work:
        reader = Reader(load_table(a.model), SHAPES[name]).to(device()).eval()
        found = []
        for weights in ({key: value.float() for key, value in state.items()}, read):
            reader.load_state_dict(weights)
            held = np.load(a.work / "held-out.npz")
            found.append(vectors(reader, held["p"], held["pl"]))
            print(json.dumps(measure(reader, a.work)))
        print(f"cosine of both: {float((found[0] * found[1]).sum(1).mean()):.4f}")


if __name__ == "__main__":
    main()
