#!/usr/bin/env bash
# How long cold starts take: `bin/stowage --version` and `bin/stowage plan` for each model in models/, each in a new process.
# Prints a table of median seconds (wall clock).
#   benchmarks/startup.sh [RUNS]      RUNS of each, 11 if left out
set -euo pipefail
CDPATH= cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."

runs=${1:-11}
[[ $runs =~ ^[1-9][0-9]*$ ]] || {
  echo "usage: benchmarks/startup.sh [RUNS]" >&2
  exit 2
}

seconds() { # seconds COMMAND...: the wall-clock time that it takes
  local TIMEFORMAT=%3R
  { time "$@" >/dev/null 2>&1; } 2>&1
}

median() { # of one number a line
  sort -n | awk '{ value[NR] = $1 } END { m = int((NR + 1) / 2); printf "%.3f", NR % 2 ? value[m] : (value[m] + value[m + 1]) / 2 }'
}

row() { # row LABEL COMMAND...
  local label=$1
  shift
  "$@" >/dev/null # builds on first use, and warms the file cache; fails loudly
  for ((i = 0; i < runs; i++)); do
    seconds "$@"
  done | median | xargs printf '| %-55s | %9s |\n' "$label"
}

printf '| %-55s | %9s |\n' "command ($runs runs)" "median s"
printf '| %s | %s |\n' "$(printf -- '-%.0s' {1..55})" "--------:"
row "stowage --version" bin/stowage --version
for model in models/*.tflite; do
  row "stowage plan $model" bin/stowage plan "$model"
done
