"""Texts that the reader learns from: pairs of `../distill/extract.py` and files of packages, at the length of chunks.

`--pairs` is the folder of pairs, `--files` folders of code and Markdown (their files are cut at blank lines). Written as
JSON lines of `{"q", "p"}` (a short text and a passage that answers it, either may be empty), in random order, in parts of
`--part` bytes of text. Left out: the packages and collections on which figures are reported.
"""
import argparse
import hashlib
import json
import lzma
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "distill"))
from common import HELD_OUT_DOCUMENTATION  # noqa: E402

LONGEST = 1400
HELD_OUT = set(HELD_OUT_DOCUMENTATION) | {"git-doc", "apache2-doc"}
SUFFIXES = {".md", ".ts", ".js", ".mjs", ".cjs", ".py", ".java", ".go", ".yaml", ".yml", ".sql", ".sh", ".rst", ".txt"}
MAX_FILE, MAX_CHUNKS = 400_000, 12
# Of one package a share: definitions of dictionaries are many and short.
MAX_OF_KIND = {"definition": 25_000, "description": 25_000}


def pairs(folder: pathlib.Path):
    for file in sorted(folder.glob("*.jsonl")):
        if file.stem not in HELD_OUT:
            for line in file.open(encoding="utf-8"):
                kind, query, passage = json.loads(line)
                yield kind, query, passage[:LONGEST]


def chunks(text: str, chance: random.Random):
    """Paragraphs together up to a length between 300 and 1,300 characters."""
    size, part = chance.randint(300, 1300), ""
    for paragraph in text.split("\n\n"):
        if part and len(part) + len(paragraph) > size:
            yield part[:LONGEST]
            size, part = chance.randint(300, 1300), ""
        part += ("\n\n" if part else "") + paragraph
    if len(part) > 80:
        yield part[:LONGEST]


def file_texts(folders: list[pathlib.Path], chance: random.Random):
    for folder in folders:
        for file in sorted(folder.rglob("*")):
            if file.suffix not in SUFFIXES or not file.is_file() or ".min." in file.name or file.stat().st_size > MAX_FILE:
                continue
            text = file.read_text(encoding="utf-8", errors="replace")
            if max(map(len, text.splitlines() or [""])) > 2000:
                continue
            found = list(chunks(text, chance))
            yield from (("file", "", chunk) for chunk in chance.sample(found, min(MAX_CHUNKS, len(found))))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=pathlib.Path, required=True)
    parser.add_argument("--files", type=pathlib.Path, nargs="*", default=[])
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--part", type=int, default=70_000_000, help="bytes of text in a part")
    parser.add_argument("--most-files", type=int, default=60_000)
    parser.add_argument("--seed", type=int, default=1)
    a = parser.parse_args()
    chance = random.Random(a.seed)
    by_kind: dict[str, list[tuple[str, str]]] = {}
    seen: set[bytes] = set()
    for kind, query, passage in [*pairs(a.pairs), *file_texts(a.files, chance)]:
        key = hashlib.md5(passage[:300].lower().encode()).digest()
        if key not in seen or kind == "sentence":
            seen.add(key)
            by_kind.setdefault("jira" if kind.startswith("jira") else kind, []).append((query, passage))
    chosen = []
    for kind, texts in by_kind.items():
        most = a.most_files if kind == "file" else MAX_OF_KIND.get(kind, len(texts))
        print(f"{kind}: {len(texts)} texts, {min(most, len(texts))} taken", file=sys.stderr)
        chosen += chance.sample(texts, min(most, len(texts)))
    chance.shuffle(chosen)
    a.out.mkdir(parents=True, exist_ok=True)
    part, size = [], 0
    for index, (query, passage) in enumerate(chosen):
        part.append(json.dumps({"q": query, "p": passage}, ensure_ascii=False))
        size += len(part[-1].encode())
        if size >= a.part or index == len(chosen) - 1:
            number = len(list(a.out.glob("*.jsonl.xz")))
            with lzma.open(a.out / f"texts-{number}.jsonl.xz", "wt", encoding="utf-8", preset=6) as out:
                out.write("\n".join(part) + "\n")
            part, size = [], 0


if __name__ == "__main__":
    main()
