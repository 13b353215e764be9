#!/bin/sh
# Makes models/builtin/reranker.json anew: run.sh PYTHON DATA PAIRS MINILM WORK (tools/rerank/README.md). From the project's root.
set -eu
python=$1 data=$2 pairs=$3 minilm=$4 work=$5
"$python" tools/rerank/code_pairs.py --packages stdlib numpy scipy --out "$work/code"
npx tsx tools/rerank/export-features.ts --data "$data" --pairs "$pairs" --code "$work/code" --cache "$work/vectors" --out "$work/features"
npx tsx tools/rerank/export-features.ts --data "$data" --embedder "$minilm" --only scifact --cache "$work/vectors" --out "$work/minilm"
"$python" tools/rerank/train.py --features "$work/features" --minilm "$work/minilm" --out models/builtin/reranker.json \
  --fixture src/reranking/builtin/test-predictions.json
