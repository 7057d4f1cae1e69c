#!/bin/sh
# The loop of tier 4 on the newest run under outputs/: hard cases out, verdicts by rules, back in.
#     sh scripts/demo_rescue.sh PYTHON
set -eu
python=$1
# shellcheck disable=SC2012 # folders of runs are named by their time
run=$(ls -td outputs/*/ | head -n 1)
run=${run%/}
stamp=$(basename "$run/"manifest_*.json .json)
stamp=${stamp#manifest_}
samples=$run/samples_$stamp.csv
rescue=$run/rescue
set -x
"$python" -m eval_tiers export-rescue --samples-csv "$samples"
"$python" -m eval_tiers infer --backend symbolic \
    --input "$rescue/rescue_requests_$stamp.jsonl" --output "$rescue/rescue_replies_$stamp.jsonl"
"$python" -m eval_tiers merge-rescue --samples-csv "$samples" \
    --rescue-responses "$rescue/rescue_replies_$stamp.jsonl"
