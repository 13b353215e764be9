"""Pairs of a docstring's first sentence and its function's source without the docstring, one JSON lines file a package.

`--packages` names importable packages or `stdlib`; the standard library is trained on, numpy and scipy are measured on.
"""
import argparse
import ast
import json
import pathlib
import random
import re
import sysconfig

MAX_PAIRS = 2500


def functions(file: pathlib.Path):
    source = file.read_text(encoding="utf-8", errors="replace")
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return
    lines = source.splitlines()
    for node in ast.walk(tree):
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) or not ast.get_docstring(node):
            continue
        docstring = node.body[0]
        sentence = re.split(r"(?<=[.!?])\s|\n\s*\n|>>>", ast.get_docstring(node))[0]
        sentence = re.sub(r"\s+", " ", sentence).strip()
        code = lines[node.lineno - 1 : docstring.lineno - 1] + lines[docstring.end_lineno : node.end_lineno]
        text = "\n".join(code)[:3000]
        if len(sentence.split()) >= 5 and len(node.body) >= 3 and len(text) >= 150:
            yield sentence, text


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--packages", nargs="+", required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    a = parser.parse_args()
    a.out.mkdir(parents=True, exist_ok=True)
    for name in a.packages:
        paths = sysconfig.get_paths()
        folder = pathlib.Path(paths["stdlib"] if name == "stdlib" else f"{paths['purelib']}/{name}")
        files = sorted(f for f in folder.rglob("*.py") if not {"site-packages", "test", "tests"} & set(f.relative_to(folder).parts))
        pairs = {text: sentence for file in files for sentence, text in functions(file)}
        chosen = sorted(pairs.items())
        random.Random(1).shuffle(chosen)
        lines = "".join(json.dumps(["code", sentence, text]) + "\n" for text, sentence in chosen[:MAX_PAIRS])
        (a.out / f"{name}.jsonl").write_text(lines, encoding="utf-8")
        print(name, len(pairs))


if __name__ == "__main__":
    main()
