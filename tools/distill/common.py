"""Shared pure functions: tokens of a text, its sparse row, pooling, quantisation, nDCG."""
import hashlib
import json
import pathlib

import numpy as np
import scipy.sparse as sparse
from tokenizers import BertWordPieceTokenizer

DIMENSIONS = 256
MAX_INPUT_TOKENS = 512
# the third dev measure: heading -> section of these packages, which nothing is trained on
HELD_OUT_DOCUMENTATION = ["apache2-doc", "git-doc", "keystone-doc", "krb5-doc", "python-celery-doc", "valgrind"]


def tokenizer(vocabulary_file: pathlib.Path) -> BertWordPieceTokenizer:
    return BertWordPieceTokenizer(
        str(vocabulary_file), clean_text=True, handle_chinese_chars=True, strip_accents=True, lowercase=True
    )


def token_ids(tokens: BertWordPieceTokenizer, texts: list[str], limit: int) -> list[np.ndarray]:
    """Word-piece ids of each text without [CLS] and [SEP], cut at `limit`."""
    encoded = tokens._tokenizer.encode_batch_fast(texts, add_special_tokens=False)
    return [np.array(e.ids[:limit], dtype=np.int32) for e in encoded]


def bag(ids: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Distinct tokens and 1 + ln(count)."""
    distinct, counts = np.unique(ids, return_counts=True)
    return distinct, (1.0 + np.log(counts)).astype(np.float32)


def rows(id_lists: list[np.ndarray], vocabulary_size: int) -> sparse.csr_matrix:
    """Sparse matrix, one text a row, value 1 + ln(count)."""
    indptr, indices, values = [0], [], []
    for ids in id_lists:
        distinct, weight = bag(ids)
        indices.append(distinct)
        values.append(weight)
        indptr.append(indptr[-1] + len(distinct))
    return sparse.csr_matrix(
        (
            np.concatenate(values) if values else np.zeros(0, np.float32),
            np.concatenate(indices) if indices else np.zeros(0, np.int32),
            np.array(indptr),
        ),
        shape=(len(id_lists), vocabulary_size),
        dtype=np.float32,
    )


def token_rows(flat: np.ndarray, offsets: np.ndarray, limit: int, vocabulary_size: int) -> sparse.csr_matrix:
    """`rows` of many texts in one go: their ids one after another in `flat`, each cut at `limit`."""
    n = len(offsets) - 1
    lengths = np.minimum(np.diff(offsets), limit)
    begin = np.cumsum(lengths) - lengths
    place = np.repeat(offsets[:-1] - begin, lengths) + np.arange(lengths.sum())
    keys = np.repeat(np.arange(n, dtype=np.int64), lengths) * 65536 + flat[place]
    keys, counts = np.unique(keys, return_counts=True)
    values = (1.0 + np.log(counts)).astype(np.float32)
    where = ((keys >> 16).astype(np.int32), (keys & 65535).astype(np.int32))
    return sparse.csr_matrix((values, where), shape=(n, vocabulary_size))


def normalised(vectors: np.ndarray) -> np.ndarray:
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.divide(vectors, length, out=np.zeros_like(vectors), where=length > 0)


def embed(matrix: sparse.csr_matrix, table: np.ndarray) -> np.ndarray:
    """The model: L2-normalised weighted sum of token rows."""
    return normalised(np.asarray(matrix @ table, dtype=np.float32))


def quantise(table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """One symmetric int8 scale a row; the pooling weight is part of the row, so of the scale."""
    scales = (np.abs(table).max(axis=1) / 127.0).astype(np.float32)
    safe = np.where(scales > 0, scales, 1.0)[:, None]
    return np.clip(np.rint(table / safe), -127, 127).astype(np.int8), scales


def dequantise(vectors: np.ndarray, scales: np.ndarray) -> np.ndarray:
    return vectors.astype(np.float32) * scales[:, None]


def load_model(folder: pathlib.Path) -> np.ndarray:
    card = json.loads((folder / "model.json").read_text())
    shape = (card["vocabularySize"], card["dimensions"])
    vectors = np.fromfile(folder / "vectors.int8", dtype=np.int8).reshape(shape)
    return dequantise(vectors, np.fromfile(folder / "scales.f32", dtype="<f4"))


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def ndcg(ranked: list[int], relevant: dict[int, float], k: int = 10) -> float:
    """Linear gain."""
    gain = sum(relevant.get(d, 0.0) / np.log2(i + 2) for i, d in enumerate(ranked[:k]))
    ideal = sum(g / np.log2(i + 2) for i, g in enumerate(sorted(relevant.values(), reverse=True)[:k]))
    return gain / ideal if ideal else 0.0
