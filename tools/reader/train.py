"""Distils the reader from the teacher: `prepare` reads texts and asks the teacher once, `fit` trains one shape.

Runs unchanged on CUDA and on a CPU. Loss: distance to the teacher's vectors, and the divergence between the similarities inside
a batch of both (temperature .05), which is what ranks. The learning rate falls along a cosine of the time given, so that a run
ends where it should; `fit` goes on from `SHAPE.pt` where one is there.
"""
import argparse
import json
import lzma
import math
import os
import pathlib
import time

import numpy as np
import torch
from tokenizers import Tokenizer
from torch.nn import functional as F

import teacher as minilm
from student import POSITIONS, SHAPES, Reader, load_table, ridge

HELD_OUT = ("git-doc", "apache2-doc")
LONGEST_QUERY = 64
TEMPERATURE = 0.05


def device() -> torch.device:
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def token_ids(tokenizer: Tokenizer, texts: list[str], longest: int) -> tuple[np.ndarray, np.ndarray]:
    """(texts, longest) ids, zero behind the end, and lengths."""
    tokenizer.no_padding()
    tokenizer.enable_truncation(longest)
    ids, lengths = np.zeros((len(texts), longest), np.uint16), np.zeros(len(texts), np.int32)
    for start in range(0, len(texts), 20_000):
        for index, found in enumerate(tokenizer.encode_batch_fast(texts[start : start + 20_000])):
            ids[start + index, : len(found.ids)] = found.ids
            lengths[start + index] = len(found.ids)
    return ids, lengths


def masked(ids: torch.Tensor, lengths: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Ids cut at a multiple of 16 tokens, and their mask."""
    width = min(ids.shape[1], -(-int(lengths.max()) // 16) * 16)
    return ids[:, :width].long(), torch.arange(width, device=ids.device) < lengths[:, None]


def vectors(model: torch.nn.Module, ids: np.ndarray, lengths: np.ndarray, batch: int = 2048) -> torch.Tensor:
    """Of all texts, read in order of length."""
    order = np.argsort(lengths, kind="stable")
    out = torch.empty(len(order), 384)
    with torch.inference_mode(), torch.autocast(device().type, torch.bfloat16, enabled=device().type == "cuda"):
        for start in range(0, len(order), batch):
            at = order[start : start + batch]
            found = model(*masked(torch.from_numpy(ids[at].astype(np.int32)).to(device()), torch.from_numpy(lengths[at]).to(device())))
            out[at] = found.float().cpu()
    return out


def read_pairs(files: list[pathlib.Path]) -> list[tuple[str, str]]:
    pairs = []
    for file in files:
        with lzma.open(file, "rt", encoding="utf-8") as lines:
            pairs += [(line["q"], line["p"]) for line in map(json.loads, lines)]
    return pairs


def read_questions(folder: pathlib.Path):
    """Passages by id, and (kind, question, id) of them."""
    passages = {p["id"]: p for p in map(json.loads, (folder / "passages.jsonl").open(encoding="utf-8"))}
    questions = [q for q in map(json.loads, (folder / "questions.jsonl").open(encoding="utf-8")) if not q.get("bad")]
    return passages, [(kind, q[kind], q["id"]) for q in questions for kind in ("nl", "other", "kw") if q.get(kind)]


def shown(passage: dict) -> str:
    return "\n".join([passage["title"], *passage["headings"][-2:], passage["text"]])


def prepare(a: argparse.Namespace) -> None:
    started = time.time()
    tokenizer = Tokenizer.from_file(str(a.teacher / "tokenizer.json"))
    passages, questions = read_questions(a.questions)
    pairs = read_pairs(sorted(a.texts.glob("*.jsonl.xz")))[: a.most]
    pairs += [(text, shown(passages[at])) for _, text, at in questions if passages[at]["source"] not in HELD_OUT] * a.repeat
    model = minilm.load(a.teacher).to(device())
    a.work.mkdir(parents=True, exist_ok=True)
    for side, longest in (("q", LONGEST_QUERY), ("p", POSITIONS)):
        ids, lengths = token_ids(tokenizer, [pair[side == "p"] for pair in pairs], longest)
        print(f"{side}: {len(ids)} texts, {lengths.sum()} tokens, {time.time() - started:.0f} s", flush=True)
        found = vectors(model, ids, lengths)
        np.save(a.work / f"{side}-ids.npy", ids)
        np.save(a.work / f"{side}-lengths.npy", lengths)
        np.save(a.work / f"{side}-vectors.npy", found.half().numpy())
        print(f"{side}: read, {time.time() - started:.0f} s", flush=True)
    tested = [p for p in passages.values() if p["source"] in HELD_OUT]
    asked = [q for q in questions if passages[q[2]]["source"] in HELD_OUT]
    held = {
        "p": token_ids(tokenizer, [shown(p) for p in tested], POSITIONS),
        "q": token_ids(tokenizer, [text for _, text, _ in asked], LONGEST_QUERY),
    }
    at = {p["id"]: index for index, p in enumerate(tested)}
    np.savez(
        a.work / "held-out.npz", p=held["p"][0], pl=held["p"][1], q=held["q"][0], ql=held["q"][1],
        kind=[kind for kind, _, _ in asked], right=[at[i] for _, _, i in asked],
    )
    print("teacher", json.dumps(measure(model, a.work)), flush=True)


def measure(model: torch.nn.Module, work: pathlib.Path) -> dict[str, list[float]]:
    """Hits at 1 and 5 by kind of question, among the passages of the sources held out."""
    held = np.load(work / "held-out.npz")
    scores = vectors(model, held["q"], held["ql"]) @ vectors(model, held["p"], held["pl"]).T
    right = torch.from_numpy(held["right"])
    ranks = (scores > scores.gather(1, right[:, None])).sum(1)
    kinds = held["kind"]
    return {
        str(kind): [round(float((ranks[torch.from_numpy(kinds == kind)] < k).float().mean()), 3) for k in (1, 5)] for kind in np.unique(kinds)
    }


def divergence(student: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    """Between the similarities of each text to all others of the batch."""
    own = torch.eye(len(student), dtype=torch.bool, device=student.device)
    mine = (student @ student.T / TEMPERATURE).masked_fill(own, -1e4).log_softmax(1)
    theirs = (target @ target.T / TEMPERATURE).masked_fill(own, -1e4).log_softmax(1)
    return F.kl_div(mine, theirs, log_target=True, reduction="batchmean")


def fit(a: argparse.Namespace) -> None:
    torch.manual_seed(a.seed)
    shape, on = SHAPES[a.shape], device()
    data = {}
    for side in ("q", "p"):
        kind = torch.int32
        data[side] = (
            torch.from_numpy(np.load(a.work / f"{side}-ids.npy").astype(np.int32)).to(on, kind),
            torch.from_numpy(np.load(a.work / f"{side}-lengths.npy")).to(on),
            torch.from_numpy(np.load(a.work / f"{side}-vectors.npy")).to(on),
        )
    model = Reader(load_table(a.model).to(on), shape).to(on)
    with torch.no_grad():
        some = torch.randperm(len(data["p"][0]), device=on)[:40_000]
        model.skip.weight.copy_(ridge(model.table, *masked(data["p"][0][some], data["p"][1][some]), data["p"][2][some].float()))
        if shape.start:
            model.start_from(minilm.load(a.teacher).to(on), shape.start)
            model.skip.weight.mul_(0.1)
    saved = a.out / f"{a.shape}.pt"
    a.out.mkdir(parents=True, exist_ok=True)
    if saved.exists():
        model.load_state_dict({name: value.float() for name, value in torch.load(saved, map_location=on).items()}, strict=False)
    size = sum(p.numel() for p in model.parameters())
    print(f"{a.shape}: {size} parameters, at first {json.dumps(measure(model, a.work))}", flush=True)
    optimiser = torch.optim.AdamW(model.parameters(), a.rate, betas=(0.9, 0.98), weight_decay=0.01, fused=on.type == "cuda")
    count, lengths = len(data["p"][0]), data["p"][1].cpu().numpy()
    chance, started, step, epoch = np.random.default_rng(a.seed), time.time(), 0, 0
    pending: list[np.ndarray] = []
    total, last = torch.zeros(3, device=on), 0
    while (gone := time.time() - started) < a.seconds:
        if not pending:
            # Batches of like length, so that little is padded, in random order.
            order = chance.permutation(count)
            pools = [p[np.argsort(lengths[p], kind="stable")] for p in np.array_split(order, max(1, count // (a.batch * 32)))]
            pending = [b for pool in pools for b in np.array_split(pool, max(1, len(pool) // a.batch))]
            chance.shuffle(pending)
            epoch += 1
        at = torch.from_numpy(pending.pop()).to(on)
        rate = a.rate * min(1, (step + 1) / 300) * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * gone / a.seconds)))
        for group in optimiser.param_groups:
            group["lr"] = rate
        asked = at[data["q"][1][at] > 2]
        with torch.autocast(on.type, torch.bfloat16, enabled=on.type == "cuda"):
            p = model(*masked(data["p"][0][at], data["p"][1][at]))
            q = model(*masked(data["q"][0][asked], data["q"][1][asked])) if len(asked) else p[:0]
        found, target = torch.cat([q, p]), torch.cat([data["q"][2][asked], data["p"][2][at]]).float()
        distance = (1 - (found * target).sum(1)).mean()
        relation = divergence(found, target)
        loss = distance + a.relation * relation
        if shape.contrast and len(asked) > 1:
            scores = q @ p[data["q"][1][at] > 2].T / TEMPERATURE
            right = torch.arange(len(scores), device=on)
            contrast = (F.cross_entropy(scores, right) + F.cross_entropy(scores.T, right)) / 2
            loss = loss + shape.contrast * contrast
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        total += torch.stack([distance.detach(), relation.detach(), torch.ones((), device=on)])
        step += 1
        if gone - last > a.every:
            last, mean = gone, (total / total[2]).tolist()
            print(f"{a.shape} {gone:4.0f} s step {step} epoch {epoch} distance {mean[0]:.4f} relation {mean[1]:.4f} {json.dumps(measure(model, a.work))}", flush=True)
            total.zero_()
            save(model, saved)
    save(model, saved)
    print(f"{a.shape} end: step {step}, epoch {epoch}, {json.dumps(measure(model, a.work))}", flush=True)


def save(model: torch.nn.Module, file: pathlib.Path) -> None:
    """Whole or not at all: halves of floats."""
    torch.save({name: value.half().cpu() for name, value in model.state_dict().items()}, file.with_suffix(".part"))
    os.replace(file.with_suffix(".part"), file)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=("prepare", "fit"))
    parser.add_argument("--teacher", type=pathlib.Path, required=True, help="folder of all-MiniLM-L6-v2")
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--model", type=pathlib.Path, default=pathlib.Path(__file__).parents[2] / "models/builtin")
    parser.add_argument("--texts", type=pathlib.Path, help="folder of texts.py")
    parser.add_argument("--questions", type=pathlib.Path, help="folder of passages.jsonl and questions.jsonl")
    parser.add_argument("--most", type=int, default=10**9, help="pairs that are read")
    parser.add_argument("--repeat", type=int, default=2, help="how often the questions are among the pairs")
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--shape", choices=SHAPES, default="2x256")
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--every", type=float, default=30)
    parser.add_argument("--batch", type=int, default=512)
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--relation", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=1)
    a = parser.parse_args()
    prepare(a) if a.step == "prepare" else fit(a)


if __name__ == "__main__":
    main()
