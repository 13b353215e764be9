"""Runs the recipe twice on a small sample with one seed; fails where the two tables differ by a single bit."""
import argparse
import pathlib
import subprocess
import sys
import tempfile

RUN = pathlib.Path(__file__).with_name("run.py")


def sample_hash(teacher: pathlib.Path, pairs: pathlib.Path, seed: int) -> str:
    with tempfile.TemporaryDirectory() as work:
        command = [sys.executable, str(RUN), "--sample", "--teacher", teacher, "--pairs", pairs, "--work", work, "--seed", str(seed)]
        said = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    return next(line.split()[1] for line in said.splitlines() if line.startswith("hash "))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--teacher", type=pathlib.Path, required=True)
    parser.add_argument("--pairs", type=pathlib.Path, required=True, help="output of extract.py")
    a = parser.parse_args()
    first, again, other = (sample_hash(a.teacher, a.pairs, seed) for seed in (1, 1, 2))
    print("seed 1", first, "again", again, "seed 2", other)
    if first != again:
        sys.exit("The same seed gave two tables.")
    if first == other:
        sys.exit("Another seed gave the same table: the seed is not used.")


if __name__ == "__main__":
    main()
