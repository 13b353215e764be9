"""Fine-tunes the reader on questions: first the teacher, then the reader from it, both beside a clock.

`questions.jsonl` and `texts.jsonl` are of `candidates.ts`; `--texts` are texts of `texts.py`, which hold everything else in place. A batch is some
questions of one source with their passages and candidates of theirs. Loss of both: contrast among the passages of the batch (temperature
.05), the order after rescoring (log-odds and WEIGHT times the cosine), and the distance to where a text was. The reader is held to the tuned
teacher's vectors instead, and learns the teacher's distribution over the batch. Near copies of the right passage do not count as wrong.
Runs unchanged on CUDA and on a CPU.
"""
import argparse
import json
import math
import pathlib
import time

import numpy as np
import torch
from torch.nn import functional as F
from tokenizers import Tokenizer

import teacher as minilm
from student import POSITIONS, SHAPES, Reader, load_table
from train import LONGEST_QUERY, TEMPERATURE, device, masked, read_pairs, save, token_ids, vectors

# Whole packages of each kind of document that are measured on.
HELD_OUT = ("pino", "cinder", "kuryr-kubernetes", "tornado", "click", "react-router")
TRAINED_AT, WEIGHTS = 16, (0, 16, 24, 32, 48)
NEAR_COPY = 0.88
QUESTIONS, PASSAGES, GENERAL = 48, 192, 96
NEVER = -1e4


class Texts:
    """Passages, general texts and questions as word pieces."""

    def __init__(self, tokenizer: Tokenizer, passages: list[str], general: list[str], questions: list[str]):
        body, lengths = token_ids(tokenizer, passages + general, POSITIONS)
        asked, asked_lengths = token_ids(tokenizer, questions, LONGEST_QUERY)
        self.ids = np.vstack([body, np.pad(asked, ((0, 0), (0, POSITIONS - LONGEST_QUERY)))])
        self.lengths = np.concatenate([lengths, asked_lengths])
        self.general = np.arange(len(passages), len(body))
        self.asked = len(body)

    def read(self, model: torch.nn.Module, at: np.ndarray) -> torch.Tensor:
        on = device()
        ids = torch.from_numpy(self.ids[at].astype(np.int32)).to(on)
        with torch.autocast(on.type, torch.bfloat16, enabled=on.type == "cuda"):
            return model(*masked(ids, torch.from_numpy(self.lengths[at]).to(on))).float()

    def all(self, model: torch.nn.Module) -> torch.Tensor:
        return vectors(model.eval(), self.ids, self.lengths).to(device()).clone()


class Batches:
    """Questions of one source at a time, with the right passages and six candidates of each: four of the first ten, two behind."""

    def __init__(self, questions: list[dict], which: list[int], seed: int):
        self.questions, self.chance, self.pending = questions, np.random.RandomState(seed), []
        self.sources: dict[str, list[int]] = {}
        for at in which:
            self.sources.setdefault(questions[at]["source"], []).append(at)

    def next(self) -> tuple[np.ndarray, np.ndarray, torch.Tensor, torch.Tensor]:
        """Questions, passages, which is right for which, and the log-odds (NaN where a passage is no candidate)."""
        if not self.pending:
            for own in self.sources.values():
                self.pending += np.array_split(self.chance.permutation(own), max(1, round(len(own) / QUESTIONS)))
            self.chance.shuffle(self.pending)
        asked = self.pending.pop()
        rows = [self.questions[at] for at in asked]
        right = sorted({row["right"][0] for row in rows})
        picked = {c for row in rows for part, most in ((row["candidates"][:10], 4), (row["candidates"][10:], 2)) for c in self.chance.permutation(part)[:most]}
        passages = np.array(right + list(self.chance.permutation(sorted(picked - set(right))))[: max(0, PASSAGES - len(right))], int)
        place = {text: at for at, text in enumerate(passages)}
        good, odds = np.zeros((len(rows), len(passages)), bool), np.full((len(rows), len(passages)), np.nan, np.float32)
        for at, row in enumerate(rows):
            good[at, [place[text] for text in row["right"] if text in place]] = True
            for text, value in zip(row["candidates"], row["logOdds"]):
                if text in place:
                    odds[at, place[text]] = value
        return asked, passages, torch.from_numpy(good).to(device()), torch.from_numpy(odds).to(device())


def surprise(scores: torch.Tensor, good: torch.Tensor, out: torch.Tensor) -> torch.Tensor:
    """Of the right ones among all, those left out aside."""
    scores = scores.masked_fill(out, NEVER)
    return (scores.logsumexp(1) - scores.masked_fill(~good, NEVER).logsumexp(1)).mean()


def measure(model: torch.nn.Module, texts: Texts, questions: list[dict], held: list[int]) -> dict[str, list[float]]:
    """Hits at 1 and 5 after rescoring the candidates, by kind of question and weight of the cosine."""
    used = np.array(sorted({c for at in held for c in questions[at]["candidates"]}), int)
    asked = texts.asked + np.array(held)
    model.eval()
    passages = dict(zip(used, vectors(model, texts.ids[used], texts.lengths[used])))
    queries = vectors(model, texts.ids[asked], texts.lengths[asked])
    ranks: dict[str, list[float]] = {}
    for query, row in zip(queries, (questions[at] for at in held)):
        good = np.isin(row["candidates"], row["right"])
        cosine = np.array([float(passages[c] @ query) for c in row["candidates"]])
        for weight in WEIGHTS:
            scores = np.array(row["logOdds"]) + weight * cosine
            rank = float((scores > scores[good].max()).sum()) if good.any() else math.inf
            ranks.setdefault(f"{row['kind']} {weight}", []).append(rank)
    return {key: [round(float(np.mean(np.array(found) < k)), 3) for k in (1, 5)] for key, found in ranks.items()}


def tune(model: torch.nn.Module, texts: Texts, batches: Batches, a: argparse.Namespace, seconds: float, rate: float, hold: float, target: torch.Tensor, plain: torch.Tensor, distilled: bool) -> None:
    """`target`: vectors of all texts that it is held to; `plain`: the untuned teacher's, which tell near copies."""
    optimiser = torch.optim.AdamW(model.parameters(), rate, betas=(0.9, 0.98), weight_decay=0.01, fused=device().type == "cuda")
    chance, started, step = np.random.RandomState(a.seed + 7), time.time(), 0
    model.train()
    while (gone := time.time() - started) < seconds and step < a.steps:
        for group in optimiser.param_groups:
            group["lr"] = rate * min(1, (step + 1) / 40) * (0.03 + 0.97 * 0.5 * (1 + math.cos(math.pi * gone / seconds)))
        asked, passages, good, odds = batches.next()
        asked_at = texts.asked + asked
        some = texts.general[chance.randint(0, len(texts.general), GENERAL)] if len(texts.general) else np.zeros(0, int)
        found = [texts.read(model, at) for at in (asked_at, passages, some) if len(at)]
        right = [batches.questions[at]["right"][0] for at in asked]
        out = (plain[right] @ plain[passages].T > NEAR_COPY) & ~good
        scores = found[0] @ found[1].T
        contrast = surprise(scores / TEMPERATURE, good, out)
        known = ~odds.isnan()
        rows = (good & known).any(1)
        order = surprise((odds.nan_to_num() + TRAINED_AT * scores)[rows], (good & known)[rows], (out | ~known)[rows]) if rows.any() else 0.0
        kept = sum((1 - (vector * target[at]).sum(1)).mean() for vector, at in zip(found, (asked_at, passages, some)))
        loss = (0.7 if distilled else 1.0) * contrast + 0.3 * order + hold * kept
        if distilled:
            theirs = (target[asked_at] @ target[passages].T / TEMPERATURE).log_softmax(1)
            loss = loss + 0.7 * F.kl_div((scores / TEMPERATURE).log_softmax(1), theirs, log_target=True, reduction="batchmean")
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        step += 1
    print(f"{step} steps, last loss {float(loss.detach()):.3f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--teacher", type=pathlib.Path, required=True, help="folder of all-MiniLM-L6-v2")
    parser.add_argument("--candidates", type=pathlib.Path, required=True, help="folder of candidates.ts")
    parser.add_argument("--texts", type=pathlib.Path, help="folder of texts.py")
    parser.add_argument("--most", type=int, default=5000, help="general texts that are read")
    parser.add_argument("--start", type=pathlib.Path, required=True, help="3x384.pt of train.py")
    parser.add_argument("--model", type=pathlib.Path, default=pathlib.Path(__file__).parents[2] / "models/builtin")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="folder for 3x384.pt, another than that of --start")
    parser.add_argument("--teacher-seconds", type=float, default=25)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--steps", type=int, default=10**9, help="of each at most")
    parser.add_argument("--seed", type=int, default=1)
    a = parser.parse_args()
    torch.manual_seed(a.seed)
    questions = [json.loads(line) for line in (a.candidates / "questions.jsonl").open(encoding="utf-8")]
    passages = [json.loads(line) for line in (a.candidates / "texts.jsonl").open(encoding="utf-8")]
    general = [passage for _, passage in read_pairs(sorted(a.texts.glob("*.jsonl.xz"))[:1])[: a.most]] if a.texts else []
    texts = Texts(Tokenizer.from_file(str(a.teacher / "tokenizer.json")), passages, general, [row["question"] for row in questions])
    held = [at for at, row in enumerate(questions) if row["source"] in HELD_OUT]
    trained = [at for at, row in enumerate(questions) if row["source"] not in HELD_OUT]
    reader = Reader(load_table(a.model).to(device()), SHAPES["3x384"]).to(device())
    reader.load_state_dict({name: value.float() for name, value in torch.load(a.start, map_location=device()).items()})
    teacher = minilm.load(a.teacher).to(device())
    print("reader at first", json.dumps(measure(reader, texts, questions, held)), flush=True)
    plain = texts.all(teacher)
    tune(teacher, texts, Batches(questions, trained, a.seed), a, a.teacher_seconds, 4e-5, 0.5, plain, plain, distilled=False)
    print("teacher tuned", json.dumps(measure(teacher, texts, questions, held)), flush=True)
    tune(reader, texts, Batches(questions, trained, a.seed), a, a.seconds, 3e-4, 2.0, texts.all(teacher), plain, distilled=True)
    print("reader tuned", json.dumps(measure(reader, texts, questions, held)), flush=True)
    a.out.mkdir(parents=True, exist_ok=True)
    save(reader, a.out / "3x384.pt")


if __name__ == "__main__":
    main()
