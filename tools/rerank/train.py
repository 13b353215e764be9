"""Step 2: trains the built-in reranker on the features that `export-features.ts` wrote.

Boosted trees learn the order of each search's candidates (LambdaMART: Burges 2010). Three folds by query give scores that training has not seen: they are reported and Platt's calibration is fitted on them.
The model that is written is trained on all of them. Development collections are only measured.
"""
import argparse
import collections
import json
import pathlib
import zlib

import lightgbm
import numpy as np

FOLDS = 3
TREES = 120
SEED = 1
PARAMETERS = dict(
    num_leaves=15, learning_rate=0.06, min_data_in_leaf=40, lambda_l2=5, feature_fraction=0.6, bagging_fraction=0.7,
    bagging_freq=1, max_bin=127, seed=SEED, deterministic=True, force_row_wise=True, num_threads=1, use_missing=False,
    objective="lambdarank", lambdarank_truncation_level=20, label_gain=[0, 1], verbose=-1,
)  # fmt: skip
# How much the kinds of collections count, however many searches each has. Documentation and code count less: their queries
# are made from the text itself, which no user does.
WEIGHTS = {"scifact": 1, "jira": 1, "sentence": 0.5, "heading": 0.5, "code": 0.5}


# Score = sum of trees + this weight x the fused score of the first stage.
FUSED_WEIGHTS = (0, 1, 2, 4, 8, 16)


class Export:
    """What `export-features.ts` wrote: one group a search, one row a candidate."""

    def __init__(self, folder: pathlib.Path):
        header = json.loads((folder / "groups.json").read_text())
        self.features, self.groups = header["features"], header["groups"]
        self.rows = np.fromfile(folder / "features.f32", np.float32).reshape(-1, len(self.features))
        self.labels = np.fromfile(folder / "labels.u8", np.uint8)
        self.sizes = np.array([group["rows"] for group in self.groups])
        self.starts = np.concatenate([[0], np.cumsum(self.sizes)])
        assert self.starts[-1] == len(self.rows) == len(self.labels)

    def rows_of(self, groups) -> np.ndarray:
        return np.concatenate([np.arange(self.starts[i], self.starts[i + 1]) for i in groups])

    def family(self, i: int) -> str:
        return self.groups[i]["collection"].split()[0]

    def fold(self, i: int) -> int:
        return zlib.crc32(f"{self.groups[i]['collection']} {self.groups[i]['query']}".encode()) % FOLDS


def family_weights(export: Export, groups: list[int]) -> np.ndarray:
    """One weight a row: each kind of collection counts as WEIGHTS says."""
    counts = collections.Counter(map(export.family, groups))
    weights = np.array([WEIGHTS[export.family(i)] / counts[export.family(i)] for i in groups])
    return np.repeat(weights / weights.mean(), export.sizes[groups])


def train(export: Export, groups: list[int]) -> lightgbm.Booster:
    # A search without an answer in its pool has no order to learn.
    chosen = [i for i in groups if export.labels[export.starts[i] : export.starts[i + 1]].any()]
    rows = export.rows_of(chosen)
    data = lightgbm.Dataset(
        export.rows[rows], export.labels[rows], weight=family_weights(export, chosen), group=export.sizes[chosen]
    )
    return lightgbm.train(PARAMETERS, data, TREES)


def predict(booster: lightgbm.Booster, rows: np.ndarray) -> np.ndarray:
    return booster.predict(rows, raw_score=True, num_threads=1)


def ndcg(labels: np.ndarray, relevant: int, k: int = 10) -> float:
    discounts = 1 / np.log2(np.arange(2, k + 2))
    return float((labels[:k] * discounts[: len(labels[:k])]).sum() / discounts[: min(relevant, k)].sum())


def measure(export: Export, scores: np.ndarray, groups) -> dict[tuple[str, str], float]:
    """Mean nDCG@10 by kind of collection and mode; each collection of a kind counts the same."""
    by_collection = collections.defaultdict(list)
    for i in groups:
        group = export.groups[i]
        if group["isHidden"]:
            continue
        part = slice(export.starts[i], export.starts[i + 1])
        order = np.argsort(-scores[part], kind="stable")
        by_collection[group["collection"], group["mode"]].append(ndcg(export.labels[part][order], group["relevant"]))
    by_kind = collections.defaultdict(list)
    for (name, mode), values in by_collection.items():
        by_kind[name.split()[0], mode].append(np.mean(values))
    return {kind: float(np.mean(values)) for kind, values in sorted(by_kind.items())}


def choose_fused_weight(export: Export, fused: np.ndarray, groups: list[int]) -> float:
    """The smallest weight with which no kind of collection that training did not see loses, in hybrid searches."""
    losses = collections.defaultdict(float)
    for left_out in WEIGHTS:
        inside = [i for i in groups if export.family(i) != left_out]
        outside = [i for i in range(len(export.groups)) if export.family(i) == left_out]
        if not outside or not inside:
            continue
        rows = export.rows_of(outside)
        scores = np.zeros(len(fused))
        scores[rows] = predict(train(export, inside), export.rows[rows])
        before = measure(export, fused, outside)[left_out, "hybrid"]
        for weight in FUSED_WEIGHTS:
            after = measure(export, scores + weight * fused, outside)[left_out, "hybrid"]
            losses[weight] = max(losses[weight], before - after)
            print(f"  without {left_out:9} weight {weight:2}  {before:.4f} -> {after:.4f}")
    return next((w for w in FUSED_WEIGHTS if losses[w] <= 0.0005), FUSED_WEIGHTS[-1])


def platt(scores: np.ndarray, labels: np.ndarray, weights: np.ndarray) -> tuple[float, float]:
    """Scale and offset of a logistic regression, by Newton's method."""
    scale, offset = 1.0, 0.0
    for _ in range(50):
        p = 1 / (1 + np.exp(-(scale * scores + offset)))
        slope = weights * p * (1 - p)
        gradient = np.array([(weights * (p - labels) * scores).sum(), (weights * (p - labels)).sum()])
        mixed = (slope * scores).sum()
        hessian = np.array([[(slope * scores**2).sum(), mixed], [mixed, slope.sum()]])
        scale, offset = np.array([scale, offset]) - np.linalg.solve(hessian, gradient)
    return float(scale), float(offset)


def reliability(probabilities: np.ndarray, labels: np.ndarray) -> str:
    edges = [0, 0.05, 0.2, 0.4, 0.6, 0.8, 1.01]
    parts = []
    for low, high in zip(edges, edges[1:]):
        inside = (probabilities >= low) & (probabilities < high)
        if inside.any():
            parts.append(f"{probabilities[inside].mean():.2f}->{labels[inside].mean():.2f} ({inside.sum()})")
    return ", ".join(parts)


def below_as_float32(value: float) -> float:
    """The largest 32-bit number that is not above: features have 32 bits, so no comparison changes."""
    rounded = np.float32(value)
    return float(np.nextafter(rounded, np.float32(-np.inf)) if float(rounded) > value else rounded)


def tree_lists(root: dict) -> dict:
    """Splits in depth-first order, so that children come after their parents; a leaf `l` is written as -1 - l."""
    tree = dict(feature=[], threshold=[], left=[], right=[], leaf=[])

    def visit(node: dict) -> int:
        if "leaf_value" in node:
            tree["leaf"].append(float(f"{node['leaf_value']:.9g}"))
            return -len(tree["leaf"])
        at = len(tree["feature"])
        assert node["decision_type"] == "<="
        tree["feature"].append(node["split_feature"])
        tree["threshold"].append(float(f"{below_as_float32(node['threshold']):.9g}"))
        tree["left"].append(0)
        tree["right"].append(0)
        tree["left"][at] = visit(node["left_child"])
        tree["right"][at] = visit(node["right_child"])
        return at

    visit(root)
    return tree


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--features", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--fixture", type=pathlib.Path, help="rows and predictions for the test of the evaluator")
    a = parser.parse_args()
    export = Export(a.features)
    dev = [i for i, group in enumerate(export.groups) if group["isDev"]]
    seen = [i for i, group in enumerate(export.groups) if not group["isDev"]]
    fused = export.rows[:, export.features.index("fused")].astype(float)
    unseen_scores = np.zeros(len(export.labels))
    for fold in range(FOLDS):
        booster = train(export, [i for i in seen if export.fold(i) != fold])
        rows = export.rows_of([i for i in seen if export.fold(i) == fold])
        unseen_scores[rows] = predict(booster, export.rows[rows])
    booster = train(export, seen)
    dev_rows = export.rows_of(dev)
    unseen_scores[dev_rows] = predict(booster, export.rows[dev_rows])

    rows = export.rows_of(seen)
    print("kinds of collections left out of training")
    weight = choose_fused_weight(export, fused, seen)
    print(f"weight of the fused score: {weight}")
    unseen_scores += weight * fused
    scale, offset = platt(unseen_scores[rows], export.labels[rows].astype(float), family_weights(export, seen))
    for name, groups in (("train, by folds", seen), ("development", dev)):
        before, after = measure(export, fused, groups), measure(export, unseen_scores, groups)
        print(name)
        for kind in before:
            print(f"  {'/'.join(kind):22} {before[kind]:.4f} -> {after[kind]:.4f}")
        rows = export.rows_of(groups)
        p = 1 / (1 + np.exp(-(scale * unseen_scores[rows] + offset)))
        print("  stated -> observed:", reliability(p, export.labels[rows]))
    trees = [tree_lists(t["tree_structure"]) for t in booster.dump_model()["tree_info"]]
    model = dict(
        version=1, features=export.features, fusedWeight=weight,
        calibration=dict(scale=round(scale, 6), offset=round(offset, 6)), trees=trees,
    )  # fmt: skip
    a.out.write_text(json.dumps(model, separators=(",", ":")) + "\n")
    if a.fixture:
        picked = np.random.default_rng(SEED).choice(dev_rows, 40, replace=False)
        picked_rows = export.rows[picked]
        rows_out = [[float(f"{v:.9g}") for v in row] for row in picked_rows]
        a.fixture.write_text(
            json.dumps(dict(rows=rows_out, scores=predict(booster, picked_rows).tolist()), separators=(",", ":")) + "\n"
        )


if __name__ == "__main__":
    main()
