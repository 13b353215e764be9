#!/bin/sh
# Makes models/builtin/reranker.json anew: run.sh PYTHON DATA PAIRS WORK (tools/rerank/README.md). From the project's root.
set -eu
python=$1 data=$2 pairs=$3 work=$4
"$python" tools/rerank/code_pairs.py --packages stdlib numpy scipy --out "$work/code"
npx tsx tools/rerank/export-features.ts --data "$data" --pairs "$pairs" --code "$work/code" --out "$work/features"
"$python" tools/rerank/train.py --features "$work/features" --out models/builtin/reranker.json \
  --fixture src/reranking/builtin/test-predictions.json
