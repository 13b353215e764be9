#!/usr/bin/env bash
# The test server of Pinecone's API (server.ts). Usage: ./start.sh WORKDIR PORT
set -euo pipefail
HERE=$(cd "$(dirname "$0")" && pwd); W=${1:?work folder}; P=${2:?port}
mkdir -p "$W"; cd "$HERE"
nohup node --import tsx server.ts --port "$P" > "$W/log" 2>&1 & echo $! > "$W/pid"
for i in $(seq 150); do
  curl -sf -m 2 "http://127.0.0.1:$P/" > "$W/version" && break
  kill -0 "$(cat "$W/pid")" || { tail "$W/log"; exit 1; }; sleep .2
done
echo; echo "ready pid=$(cat "$W/pid") version=$(cat "$W/version")"
