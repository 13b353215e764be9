#!/bin/sh
# Everything that is learnt from what the lanes find: weights of the fusion, then the reranker behind it, then the calibration of
# scores behind both. Run it after a change of the built-in model, the analysis or a lane: refit.sh PYTHON DATA PAIRS MINILM WORK,
# from the project's root. PYTHON has tools/rerank/requirements.txt; PAIRS is the output of tools/distill/extract.py; MINILM a
# folder with all-MiniLM-L6-v2. About 25 minutes with two cores, and as much again where MiniLM's vectors are not in WORK yet.
# docs/research/fusion.md then shows the reranker that was there before: run tools/fusion again where its figures matter.
set -eu
python=$1 data=$2 pairs=$3 minilm=$4 work=$5
"$python" tools/rerank/code_pairs.py --packages stdlib numpy scipy --out "$work/code"
npx tsx tools/fusion/main.ts --data "$data" --minilm "$minilm" --pairs "$pairs" --code "$work/code" --cache "$work/vectors"
tools/rerank/run.sh "$@"
npx tsx tools/calibrate/main.ts --data "$data" --minilm "$minilm" --cache "$work/vectors"
npx biome check --write src/retrieval src/reranking/builtin
