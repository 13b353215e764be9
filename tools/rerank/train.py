"""Step 2: trains the built-in reranker on the features that `export-features.ts` wrote.

Boosted trees learn to correct the fused score of each search's candidates (LambdaMART: Burges 2010, started from the fused
score). Three folds by query give scores that training has not seen: they are reported and Platt's calibration is fitted on
them. The model that is written is trained on all of them. Development collections are only measured.
"""
import argparse
import collections
import json
import pathlib
import zlib

import lightgbm
import numpy as np

FOLDS = 3
TREES = 100
SEED = 1
PARAMETERS = dict(
    num_leaves=15, learning_rate=0.06, min_data_in_leaf=40, lambda_l2=5, feature_fraction=0.6, bagging_fraction=0.7,
    bagging_freq=1, max_bin=127, seed=SEED, deterministic=True, force_row_wise=True, num_threads=1, use_missing=False,
    objective="lambdarank", lambdarank_truncation_level=20, label_gain=[0, 1], verbose=-1,
)  # fmt: skip
# How much the kinds of collections count, however many searches each has. Documentation and code count less: their queries
# are made from the text itself, which no user does.
WEIGHTS = {"scifact": 1, "scifact-minilm": 0.7, "jira": 1, "sentence": 0.5, "heading": 0.5, "code": 0.5}
# Score = this weight x the fused score of the first stage + share x sum of trees. Trees begin at the fused score and learn
# what to change; of what they learnt the share is kept that no unseen kind of collection suffers from.
FUSED_WEIGHT = 4
SHARES = (1, 0.85, 0.7, 0.5, 0.35, 0.25, 0)
# A loss on a kind left out of training that is as good as none, nDCG@10.
TOLERANCE = 0.0005


class Export:
    """What `export-features.ts` wrote: one group a search, one row a candidate. Collections of a second embedding model are
    kinds of their own (`scifact-minilm`)."""

    def __init__(self, folder: pathlib.Path, minilm: pathlib.Path | None = None):
        folders = [folder, minilm] if minilm else [folder]
        headers = [json.loads((f / "groups.json").read_text()) for f in folders]
        self.features = headers[0]["features"]
        assert all(header["features"] == self.features for header in headers)
        for group in headers[1]["groups"] if minilm else []:
            kind, name = group["collection"].split(" ", 1)
            group["collection"] = f"{kind}-minilm {name}"
        self.groups = [group for header in headers for group in header["groups"]]
        rows = [np.fromfile(f / "features.f32", np.float32).reshape(-1, len(self.features)) for f in folders]
        self.rows = np.concatenate(rows)
        self.labels = np.concatenate([np.fromfile(f / "labels.u8", np.uint8) for f in folders])
        self.fused = self.rows[:, self.features.index("fused")].astype(float)
        self.sizes = np.array([group["rows"] for group in self.groups])
        self.starts = np.concatenate([[0], np.cumsum(self.sizes)])
        assert self.starts[-1] == len(self.rows) == len(self.labels)

    def rows_of(self, groups) -> np.ndarray:
        return np.concatenate([np.arange(self.starts[i], self.starts[i + 1]) for i in groups])

    def family(self, i: int) -> str:
        return self.groups[i]["collection"].split()[0]

    def fold(self, i: int) -> int:
        # A query is in one fold, whatever embedding model searched for it.
        name = self.groups[i]["collection"].replace("-minilm", "")
        return zlib.crc32(f"{name} {self.groups[i]['query']}".encode()) % FOLDS


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
        export.rows[rows], export.labels[rows], weight=family_weights(export, chosen), group=export.sizes[chosen],
        init_score=FUSED_WEIGHT * export.fused[rows],
    )  # fmt: skip
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


def choose_share(export: Export, groups: list[int]) -> float:
    """The largest share of the trees with which no kind of collection that training did not see loses, in hybrid searches."""
    losses = dict.fromkeys(SHARES, 0.0)
    for left_out in WEIGHTS:
        # Another embedding model does not make it another kind.
        kinds = {kind for kind in WEIGHTS if kind.split("-")[0] == left_out.split("-")[0]}
        inside = [i for i in groups if export.family(i) not in kinds]
        outside = [i for i in groups if export.family(i) == left_out]
        if not outside or not inside:
            continue
        rows = export.rows_of(outside)
        trees = np.zeros(len(export.labels))
        trees[rows] = predict(train(export, inside), export.rows[rows])
        before = measure(export, export.fused, outside)[left_out, "hybrid"]
        for share in SHARES:
            after = measure(export, scores_of(export, trees, share), outside)[left_out, "hybrid"]
            losses[share] = max(losses[share], before - after)
            print(f"  without {left_out:14} share {share:4}  {before:.4f} -> {after:.4f}", flush=True)
    return next(share for share in SHARES if losses[share] <= TOLERANCE)


def scores_of(export: Export, trees: np.ndarray, share: float) -> np.ndarray:
    return FUSED_WEIGHT * export.fused + share * trees


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


def tree_lists(root: dict, share: float) -> dict:
    """Splits in depth-first order, so that children come after their parents; a leaf `l` is written as -1 - l."""
    tree = dict(feature=[], threshold=[], left=[], right=[], leaf=[])

    def visit(node: dict) -> int:
        if "leaf_value" in node:
            tree["leaf"].append(float(f"{share * node['leaf_value']:.9g}"))
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
    parser.add_argument("--minilm", type=pathlib.Path, help="features of the same collections under MiniLM, to train on too")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--fixture", type=pathlib.Path, help="rows and predictions for the test of the evaluator")
    a = parser.parse_args()
    export = Export(a.features, a.minilm)
    dev = [i for i, group in enumerate(export.groups) if group["isDev"]]
    seen = [i for i, group in enumerate(export.groups) if not group["isDev"]]
    fused, unseen_trees = export.fused, np.zeros(len(export.labels))
    for fold in range(FOLDS):
        booster = train(export, [i for i in seen if export.fold(i) != fold])
        rows = export.rows_of([i for i in seen if export.fold(i) == fold])
        unseen_trees[rows] = predict(booster, export.rows[rows])
    booster = train(export, seen)
    dev_rows = export.rows_of(dev)
    unseen_trees[dev_rows] = predict(booster, export.rows[dev_rows])

    rows = export.rows_of(seen)
    print("kinds of collections left out of training")
    share = choose_share(export, seen)
    print(f"share of the trees: {share}")
    unseen_scores = scores_of(export, unseen_trees, share)
    scale, offset = platt(unseen_scores[rows], export.labels[rows].astype(float), family_weights(export, seen))
    for name, groups in (("train, by folds", seen), ("development", dev)):
        before, after = measure(export, fused, groups), measure(export, unseen_scores, groups)
        print(name)
        for kind in before:
            print(f"  {'/'.join(kind):22} {before[kind]:.4f} -> {after[kind]:.4f}")
        rows = export.rows_of(groups)
        p = 1 / (1 + np.exp(-(scale * unseen_scores[rows] + offset)))
        print("  stated -> observed:", reliability(p, export.labels[rows]))
    trees = [tree_lists(t["tree_structure"], share) for t in booster.dump_model()["tree_info"]]
    model = dict(
        version=1, features=export.features, fusedWeight=FUSED_WEIGHT,
        calibration=dict(scale=round(scale, 6), offset=round(offset, 6)), trees=trees,
    )  # fmt: skip
    a.out.write_text(json.dumps(model, separators=(",", ":")) + "\n")
    if a.fixture:
        picked = np.random.default_rng(SEED).choice(dev_rows, 40, replace=False)
        picked_rows = export.rows[picked]
        rows_out = [[float(f"{v:.9g}") for v in row] for row in picked_rows]
        a.fixture.write_text(
            json.dumps(dict(rows=rows_out, scores=(share * predict(booster, picked_rows)).tolist()), separators=(",", ":")) + "\n"
        )


if __name__ == "__main__":
    main()
