"""Step 1: one teacher forward pass `[CLS] token [SEP]` for each vocabulary entry, mean over the three positions.

Writes a float32 array (vocabulary x teacher dimensions). Rows of special tokens, `[unused*]` and so on are zero.
"""
import argparse
import pathlib

import numpy as np
import onnxruntime


def load_vocabulary(teacher: pathlib.Path) -> list[str]:
    return (teacher / "vocab.txt").read_text(encoding="utf-8").rstrip("\n").split("\n")


def is_special(token: str) -> bool:
    return token.startswith("[") and token.endswith("]") and len(token) > 2


def session(teacher: pathlib.Path, threads: int) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(
        str(teacher / "onnx" / "model_quantized.onnx"), options, providers=["CPUExecutionProvider"]
    )


def token_table(teacher: pathlib.Path, threads: int, limit: int | None = None) -> np.ndarray:
    vocabulary = load_vocabulary(teacher)
    cls, sep = vocabulary.index("[CLS]"), vocabulary.index("[SEP]")
    model = session(teacher, threads)
    wanted = [i for i, token in enumerate(vocabulary) if not is_special(token)][:limit]
    table = None
    for start in range(0, len(wanted), 512):
        ids = wanted[start : start + 512]
        batch = np.array([[cls, i, sep] for i in ids], dtype=np.int64)
        hidden = model.run(
            None,
            {"input_ids": batch, "attention_mask": np.ones_like(batch), "token_type_ids": np.zeros_like(batch)},
        )[0]
        if table is None:
            table = np.zeros((len(vocabulary), hidden.shape[2]), dtype=np.float32)
        table[ids] = hidden.mean(axis=1)
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--teacher", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()
    np.save(arguments.out, token_table(arguments.teacher, arguments.threads))


if __name__ == "__main__":
    main()
