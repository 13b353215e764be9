#!/bin/sh
# Everything that is learnt from what the lanes and the fusion find: the reranker, then the calibration of scores. Run it after
# a change of the built-in model, the analysis, a lane or the fusion: refit.sh PYTHON DATA PAIRS MINILM WORK. From the project's root.
# PYTHON has tools/rerank/requirements.txt; PAIRS is the output of tools/distill/extract.py; MINILM a folder with all-MiniLM-L6-v2.
set -eu
data=$2 minilm=$4 work=$5
tools/rerank/run.sh "$@"
npx tsx tools/calibrate/main.ts --data "$data" --minilm "$minilm" --cache "$work/vectors"
npx biome check --write src/retrieval/calibration-parameters.ts src/reranking/builtin
