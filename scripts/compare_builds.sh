#!/usr/bin/env bash
# Is a build as fast as another? The same fit by both in turns, by user time on the processor; and the same rows?
#
#     scripts/compare_builds.sh OLD_BINARY NEW_BINARY DATA.csv [OPTIONS OF FIT ...]
#
# 2,000 replicates in each of five rounds, the order changed from round to round. Prints both times, their ratio, and
# the ratio of the medians; above 1 the new build is slower. Fails where the replicates of the two builds differ.
# Without options: the paper's model and schedule for gene, on one thread. Options replace all of these; where they
# leave lag, burn-in or sweeps out, the time of the pilot counts, too. ROUNDS and REPLICATES change the numbers.
set -euo pipefail

if [ $# -lt 3 ]; then
    echo "usage: $0 OLD_BINARY NEW_BINARY DATA.csv [OPTIONS OF FIT ...]" >&2
    exit 2
fi
old=$(realpath -e "$1") new=$(realpath -e "$2") data=$(realpath -e "$3")
shift 3
if [ $# = 0 ]; then
    set -- --no-standardize --prior-sd 0.5 --noise-sd 1.3 --alpha 1 --start one --lag 1 --burn-in 30 --sweeps 300 \
        --keep-draws 1 --threads 1
fi
rounds=${ROUNDS:-5} replicates=${REPLICATES:-2000}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export LC_ALL=C TIMEFORMAT=%U

# Seconds of user time of one fit: BINARY, NAME, options.
seconds() {
    local binary=$1 name=$2
    shift 2
    { time "$binary" fit "$data" --replicates "$replicates" --out "$folder/$name" --force "$@" \
        >"$folder/$name.words" 2>&1; } 2>"$folder/$name.time" || {
        echo "$binary failed:" >&2
        cat "$folder/$name.words" >&2
        exit 1
    }
    cat "$folder/$name.time"
}

# The rows without their wall times.
rows() { cut -d, -f1-5,7- "$folder/$1/replicates.csv"; }

median() { sort -n | awk '{ v[NR] = $1 } END { print (v[int((NR + 1) / 2)] + v[int((NR + 2) / 2)]) / 2 }'; }

printf '%5s  %10s  %10s  %8s\n' round 'old (s)' 'new (s)' new/old
for round in $(seq "$rounds"); do
    if [ $((round % 2)) = 1 ]; then
        a=$(seconds "$old" old "$@")
        b=$(seconds "$new" new "$@")
    else
        b=$(seconds "$new" new "$@")
        a=$(seconds "$old" old "$@")
    fi
    echo "$a" >>"$folder/old.all"
    echo "$b" >>"$folder/new.all"
    awk -v r="$round" -v a="$a" -v b="$b" 'BEGIN { printf "%5d  %10.3f  %10.3f  %8.4f\n", r, a, b, b / a }'
done
awk -v a="$(median <"$folder/old.all")" -v b="$(median <"$folder/new.all")" \
    'BEGIN { printf "%5s  %10.3f  %10.3f  %8.4f\n", "median", a, b, b / a }'

if cmp -s <(rows old) <(rows new); then
    echo "both builds give the same $replicates rows"
else
    echo "the builds differ in their rows:" >&2
    diff <(rows old) <(rows new) | head -4 >&2
    exit 1
fi
