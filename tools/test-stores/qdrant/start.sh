#!/usr/bin/env bash
# The test server of Qdrant's REST interface (server.py): Qdrant's own storage in process. Usage: ./start.sh WORKDIR PORT
set -euo pipefail
HERE=$(cd "$(dirname "$0")" && pwd)
W=${1:?work folder}; P=${2:?port}; VENV=${SERVERS_HOME:-/var/tmp/ragstone-servers}/qdrant
READY=$VENV/ready-1.17.0-0.9.0
if [ ! -f "$READY" ]; then
  for attempt in 1 2 3; do
    rm -rf "$VENV"; python3 -m venv "$VENV"
    "$VENV/bin/pip" install -q qdrant-client==1.17.0 qdrant-edge-py==0.9.0 && touch "$READY" && break
    sleep $((attempt * 5))
  done
fi
[ -f "$READY" ] || { echo 'qdrant-edge-py could not be installed'; exit 1; }
# In memory: the engine waits for the disk at each of the small writes of a test.
D=$W/data; [ -w /dev/shm ] && D=$(mktemp -d /dev/shm/ragstone-qdrant.XXXXXX)
mkdir -p "$W"; nohup "$VENV/bin/python" "$HERE/server.py" --port "$P" --data "$D" > "$W/log" 2>&1 & echo $! > "$W/pid"
for i in $(seq 300); do
  curl -sf -m 2 "http://127.0.0.1:$P/" > "$W/version" && break
  kill -0 "$(cat "$W/pid")" || { tail "$W/log"; exit 1; }; sleep .2
done
echo; echo "ready pid=$(cat "$W/pid") version=$(cat "$W/version")"
