#!/usr/bin/env bash
# Cost of the two ways in, printed, not judged: tests/bench/run.sh [PROGRAM]
#   main job: instructions (valgrind, where installed) and wall time; batch mode: requests a second and peak memory.
set -euo pipefail
program=${1:-build/release/gpuadvise}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
main_job=(--model resnet50 --batch 32 --budget 500 --no-user-data)

if command -v valgrind >/dev/null; then
  valgrind --tool=callgrind --callgrind-out-file="$scratch/callgrind" "$program" "${main_job[@]}" 2>&1 >/dev/null |
    sed -n 's/.*Collected : */main job, instructions: /p'
fi
start=$(date +%s%N)
for _ in $(seq 50); do "$program" "${main_job[@]}" >/dev/null; done
echo "main job, wall time: $((($(date +%s%N) - start) / 50000)) us"

requests() {
  for i in $(seq "$1"); do
    case $((i % 4)) in
      0) echo '{"id":'"$i"',"model":"resnet50","batch":32,"precision":"amp-fp16","gpu":"rtx-3090"}' ;;
      1) echo '{"id":'"$i"',"model":"llama-3.1-8b","task":"finetune","method":"lora","seq":2048,"gpu":"rtx-4090"}' ;;
      2) echo '{"id":'"$i"',"model":"qwen2.5-7b","task":"infer","precision":"bf16","batch":1,"gpu":"a100-80gb-sxm"}' ;;
      3) echo '{"id":'"$i"',"model":"vit_base_patch16_224","batch":64,"gpu":"rtx-4070"}' ;;
    esac
  done
}
for count in 10000 100000; do
  requests "$count" >"$scratch/requests"
  start=$(date +%s%N)
  "$program" estimate --jsonl "$scratch/requests" >/dev/null
  echo "batch mode, $count requests: $((count * 1000000000 / ($(date +%s%N) - start))) a second"
  if [ -x /usr/bin/time ]; then
    /usr/bin/time -f "batch mode, $count requests: %M KiB at most" "$program" estimate --jsonl "$scratch/requests" 2>&1 >/dev/null | tail -1
  fi
done
