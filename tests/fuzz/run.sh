#!/usr/bin/env bash
# Each fuzz target for a short time: tests/fuzz/run.sh BUILD_DIR [SECONDS [SEED]]; the same seed tries the same inputs.
set -euo pipefail
build=$1
seconds=${2:-20}
seed=${3:-1}
here=$(cd "$(dirname "$0")" && pwd)
found=0
for source in "$here"/*_fuzz.cpp; do
  name=$(basename "$source" .cpp)
  scratch=$(mktemp -d)
  seeds=("$scratch")
  [ -d "$here/corpus/${name%_fuzz}" ] && seeds+=("$here/corpus/${name%_fuzz}")
  echo "fuzz: $name for $seconds s"
  "$build/tests/fuzz/$name" -max_total_time="$seconds" -seed="$seed" -timeout=10 -rss_limit_mb=2048 -max_len=65536 -print_final_stats=0 -verbosity=0 \
    -artifact_prefix="$scratch/" "${seeds[@]}" >"$scratch.log" 2>&1 || {
    tail -40 "$scratch.log" >&2
    echo "fuzz: $name failed; input kept in $scratch" >&2
    exit 1
  }
  rm -rf "$scratch" "$scratch.log"
  found=$((found + 1))
done
[ "$found" -gt 0 ] || { echo "fuzz: no targets" >&2; exit 1; }
echo "fuzz: $found targets, no findings"
