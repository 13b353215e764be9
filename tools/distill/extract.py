"""Step 3a: text pairs (query-like text, passage-like text) from unpacked Debian packages, one JSON lines file a source.

`--root` holds one folder a package (`dpkg-deb -x PACKAGE.deb ROOT/PACKAGE`); `--translations` is Debian's
Translation-en list, uncompressed (synopsis -> description of every package); `--jira` is the folder of Jira CSV files.
Kinds of pairs: headword -> definition, NAME -> DESCRIPTION, heading -> section, one sentence -> the rest of its
section (the sentence taken out), issue title -> description.
"""
import argparse
import concurrent.futures
import gzip
import hashlib
import html
import json
import pathlib
import random
import re

from lxml import etree
from lxml import html as lxml_html

from evaluate import HELD_OUT_JIRA, read_jira

MAX_FILES, MAX_PAIRS = 1500, 8000
COMMON = set("the of to is and a in for that be this with it are or as by on an from can not".split())
LANGUAGES = set(
    """ar bg bn ca cs da de el eo es et eu fa fi fr gl he hi hr hu id it ja ka kk km ko lt lv mk ml mr nb nl nn no pa pl
    pt pt_BR pt-BR ro ru si sk sl sq sr sv ta te th tr uk vi zh zh_CN zh-CN zh_TW zh-TW translations""".split()
)
SKIPPED = set("script style nav header footer form button svg math table figure head noscript".split())
NOISE_CLASS = re.compile(r"sidebar|navheader|navfooter|toctree|related|headerlink|breadcrumb|footer|search|toc\b", re.I)
NOISE_PATH = re.compile(r"/(src|_modules|_sources|core_arch|arch|genindex|search|changelog|release.?notes|simd)[./]|/(genindex|search|py-modindex)", re.I)
HEADINGS = {"h1", "h2", "h3", "h4", "h5", "h6", "dt"}


def clean(text: str) -> str:
    return re.sub(r"\s+", " ", text.replace("¶", " ").replace("\u00ad", "")).strip()


def english(text: str) -> bool:
    found = re.findall(r"[^\W\d_]+", text.lower())
    return len(found) >= 8 and sum(w in COMMON for w in found) >= 0.12 * len(found)


def sentences(text: str) -> list[str]:
    return [s for s in re.split(r"(?<=[.!?])\s+(?=[A-Z])", text) if s]


# --- dictionaries -----------------------------------------------------------------------------------------------


def wordnet(folder: pathlib.Path):
    for name in ("noun", "verb", "adj", "adv"):
        for line in (folder / "usr/share/wordnet" / f"data.{name}").read_text(encoding="latin-1").splitlines():
            if line.startswith("  "):
                continue
            fields, gloss = line.split(" | ", 1)
            fields = fields.split(" ")
            count = int(fields[3], 16)
            lemmas = [re.sub(r"\(.*\)", "", fields[4 + 2 * i]).replace("_", " ") for i in range(count)]
            yield ", ".join(lemmas), clean(gloss)


def dictionary(file: pathlib.Path, indented_body: bool = True):
    """dictd text: a headword at column 0, its text indented under it."""
    entry, body = [], []
    for line in gzip.open(file, "rt", encoding="utf-8", errors="replace"):
        line = line.rstrip("\n")
        if line and not line[0].isspace():
            if body:
                yield entry, body
                entry, body = [], []
            entry.append(line)
        elif line.strip():
            body.append(line.strip())
    if body:
        yield entry, body


def gcide(folder: pathlib.Path):
    for head, body in dictionary(next(folder.rglob("gcide.dict.dz"))):
        word = re.split(r"\\|,|\(", head[0])[0].strip()
        text = clean(" ".join(body))
        text = re.sub(r"\[[^\]]*\]|--[A-Z][\w. ]+\.?|[{}]|\bSee\b.*?\.", " ", text)
        if word and len(text) > 30:
            yield word, clean(text)


def definitions(name: str):
    def read(folder: pathlib.Path):
        for head, body in dictionary(next(folder.rglob(f"{name}.dict.dz"))):
            text = re.sub(r"\(?https?://\S+|\(\d{4}-\d\d-\d\d\)|[{}]", " ", " ".join(body))
            if not head[0].startswith("00-database"):
                yield clean(" ".join(head[:3])), clean(text)

    return read


# --- documents --------------------------------------------------------------------------------------------------


def html_sections(data: bytes):
    try:
        tree = lxml_html.fromstring(data)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError):
        return
    body = tree.find("body")
    title, heading, parts, out = "", "", [], []

    def flush():
        if parts and heading:
            out.append((title, heading, clean(" ".join(parts))))
        parts.clear()

    def walk(node):
        nonlocal title, heading
        tag = node.tag
        if not isinstance(tag, str) or tag in SKIPPED:
            return
        if NOISE_CLASS.search(f"{node.get('class', '')} {node.get('role', '')}"):
            return
        if tag in HEADINGS:
            flush()
            heading = re.sub(r"^(chapter|appendix)?\s*[\dA-Z]?[\d.]*\.?\s+", "", clean(node.text_content()), flags=re.I)[:160]
            if tag == "h1" or not title:
                title = heading
        elif tag in ("p", "blockquote"):
            parts.append(node.text_content())
        elif tag == "pre":
            parts.append(node.text_content()[:300])
        elif tag in ("li", "dd") and node.find(".//p") is None and node.find(".//dl") is None:
            parts.append(node.text_content())
        else:
            for child in node:
                walk(child)

    try:
        walk(body if body is not None else tree)
    except (RecursionError, ValueError):
        return
    flush()
    yield from out


def markdown_sections(text: str):
    text = re.sub(r"^---\n.*?\n---\n", "", text, flags=re.S)
    title = heading = ""
    for part in re.split(r"^(?=#{1,6} )", text, flags=re.M):
        match = re.match(r"#{1,6} +(.*)", part)
        if not match:
            continue
        heading = re.sub(r"<[^>]*>|[`*#]|\{[^}]*\}", "", match[1]).strip()
        title = title or heading
        body = re.sub(r"<[^>]*>|[`*]|\]\([^)]*\)|\[", " ", part[match.end() :])
        yield title, heading, clean(body)


def man_text(line: str) -> str:
    line = re.sub(r"^\.(?:[BIR]{1,2}|SM|SB|Nm|Fn|Ar|Fl|Pa|Xr|Cm|Em|Sy|Li|IP|Dv|Va|Fa)\s+", "", line)
    if line.startswith((".", "'")):
        return ""
    line = re.sub(r"\\f[A-Z]|\\f\(..|\\f\[.*?\]|\\&|\\c|\\/|\\,|\\s[-+]?\d|\"", "", line)
    line = re.sub(r"\\\*\(..|\\\*.|\\\((?:em|en)", " ", line)
    return line.replace("\\-", "-").replace("\\e", "\\").replace("\\(aq", "'").replace("\\ ", " ")


def man_sections(text: str):
    name, heading, parts = "", "", []

    def section():
        return heading.capitalize(), clean(" ".join(parts))

    for line in text.splitlines() + [".SH END"]:
        match = re.match(r"\.(SH|Sh|SS|Ss)\s+(.*)", line)
        if not match:
            if not re.match(r"\.\\\"|'\\\"", line):
                parts.append(man_text(line) + (" - " if line.startswith(".Nd") else ""))
            continue
        title, body = section()
        if title == "Name":
            name = body
        elif name and title not in ("Synopsis", "See also", "Author", "Authors", "Copyright", "Colophon", "Reporting bugs", "License"):
            yield name, ("" if title == "Description" else title), body
        heading, parts = clean(man_text(match[2])), []


def read_bytes(file: pathlib.Path) -> bytes:
    return gzip.open(file).read() if file.suffix == ".gz" else file.read_bytes()


def wanted(file: pathlib.Path, root: pathlib.Path) -> str | None:
    relative = str(file.relative_to(root))
    if LANGUAGES & set(file.relative_to(root).parts) or NOISE_PATH.search("/" + relative):
        return None
    name = re.sub(r"\.gz$", "", file.name)
    if re.search(r"\.(html?|xhtml)(\.en)?$", name):
        return "html"
    if name.endswith(".md"):
        return "markdown"
    return "man" if re.search(r"/man/man[1-8]/", "/" + relative) else None


def sections_of(folder: pathlib.Path):
    files = sorted(f for f in folder.rglob("*") if f.is_file() and not f.is_symlink() and f.stat().st_size < 3_000_000)
    kinds = [(f, k) for f in files if (k := wanted(f, folder))]
    step = max(1, len(kinds) // MAX_FILES)
    for file, kind in kinds[::step]:
        data = read_bytes(file)
        if kind == "html":
            yield from html_sections(data)
        elif kind == "markdown":
            yield from markdown_sections(data.decode("utf-8", "replace"))
        else:
            yield from man_sections(data.decode("utf-8", "replace"))


def document_pairs(folder: pathlib.Path):
    """(kind, query, passage) of the sections of a package."""
    chance = random.Random(hashlib.sha256(folder.name.encode()).digest())
    for title, heading, text in sections_of(folder):
        text = text[:2500]
        if len(text) < 60 or not english(text):
            continue
        query = heading if heading.lower() in title.lower() and len(heading) > 12 else clean(f"{title} {heading}")
        if title.lower() == heading.lower():
            query = title
        yield "heading", query[:250], text
        parts = [s for s in sentences(text) if english(s)]
        if len(parts) >= 3:
            picked = chance.choice(parts)
            yield "sentence", picked[:300], clean(text.replace(picked, " ", 1))


def description_pairs(file: pathlib.Path):
    """Debian's Translation-en: `Description-en: synopsis`, then the description, indented."""
    synopsis, body, package = "", [], ""
    for line in file.read_text(encoding="utf-8").splitlines() + [""]:
        if line.startswith("Package: "):
            package = line[9:]
        elif line.startswith("Description-en: "):
            synopsis = line[16:]
        elif line.startswith(" "):
            body.append(line[1:] if line != " ." else "")
        elif not line and synopsis:
            paragraphs = [clean(p) for p in re.split(r"\n\s*\n", "\n".join(body))]
            text = clean(" ".join(p for p in paragraphs if not p.startswith("This package contains") or len(paragraphs) == 1))
            if len(text) > 60:
                yield package, synopsis, text[:2000]
            synopsis, body, package = "", [], ""


def jira_pairs(folder: pathlib.Path):
    for file in sorted(folder.glob("*.csv")):
        if file.stem in HELD_OUT_JIRA:
            continue
        for title, description in read_jira(file):
            description = clean(html.unescape(re.sub(r"\{html\}|<[^>]{1,200}>", " ", description)))
            if len(title) > 10 and len(description) > 40:
                yield file.stem, clean(title), description[:2500]


DICTIONARIES = {
    "wordnet-base": wordnet,
    "dict-gcide": gcide,
    **{f"dict-{n}": definitions(n) for n in ("foldoc", "jargon", "vera", "elements")},
}


def source_pairs(job: tuple[str, str]) -> tuple[str, list[tuple[str, str, str]]]:
    kind, path = job
    folder = pathlib.Path(path)
    if kind == "descriptions":
        return "debian-descriptions", [("description", a, b) for _, a, b in description_pairs(folder)]
    if kind == "jira":
        return "jira", [(f"jira-{p}", a, b) for p, a, b in jira_pairs(folder)]
    if folder.name in DICTIONARIES:
        return folder.name, [("definition", a, b[:800]) for a, b in DICTIONARIES[folder.name](folder)]
    return folder.name, list(document_pairs(folder))


def distinct(pairs, seen: set[bytes]):
    for kind, a, b in pairs:
        key = hashlib.md5(f"{a}\0{b[:400]}".lower().encode()).digest()
        if a and b and a.lower() != b.lower() and key not in seen:
            seen.add(key)
            yield kind, a, b


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, required=True)
    parser.add_argument("--translations", type=pathlib.Path)
    parser.add_argument("--jira", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--processes", type=int, default=2)
    a = parser.parse_args()
    a.out.mkdir(parents=True, exist_ok=True)
    jobs = [("package", str(f)) for f in sorted(a.root.iterdir()) if f.is_dir()]
    jobs += [("descriptions", str(a.translations))] if a.translations else []
    jobs += [("jira", str(a.jira))] if a.jira else []
    seen: set[bytes] = set()
    with concurrent.futures.ProcessPoolExecutor(a.processes) as pool:
        for name, pairs in pool.map(source_pairs, jobs):
            pairs = list(distinct(pairs, seen))
            by_kind: dict[str, list] = {}
            for pair in pairs:
                by_kind.setdefault(pair[0], []).append(pair)
            if name not in DICTIONARIES and name not in ("jira", "debian-descriptions"):
                pairs = [p for kind in sorted(by_kind) for p in by_kind[kind][:: len(by_kind[kind]) // MAX_PAIRS + 1]]
            if len(pairs) < 150:
                continue
            lines = "".join(json.dumps(p, ensure_ascii=False) + "\n" for p in pairs)
            (a.out / f"{name}.jsonl").write_text(lines, encoding="utf-8")
            print(name, len(pairs), flush=True)


if __name__ == "__main__":
    main()
