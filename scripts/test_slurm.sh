#!/usr/bin/env bash
# The command's shards as an array job of a real Slurm: one task is cancelled and resumed, the shards are merged, and the
# result is compared, byte for byte, with a run that was never cut.
#
#     scripts/test_slurm.sh --install     # as root, on Debian: installs slurm-wlm and munge if they are missing
#     scripts/test_slurm.sh --run         # Slurm is there already
#
# Slurm runs on this machine alone, with its own key, configuration and state in a temporary folder: whatever else is
# configured here is not touched, and nothing stays but the packages. PARTITA names the command, SHARDS and REPLICATES
# how much is done.
set -euo pipefail
cd "$(dirname "$0")/.."

case "${1:-}" in
--install)
    command -v slurmctld >/dev/null && command -v munged >/dev/null || {
        apt-get update -qq
        # Services of their own would only be in the way.
        RUNLEVEL=1 apt-get install -y -qq --no-install-recommends slurm-wlm munge >/dev/null
    }
    ;;
--run) ;;
*)
    sed -n '2,10s/^# \{0,1\}//p' "$0"
    exit 2
    ;;
esac
if [ "$(id -u)" != 0 ]; then
    echo "slurmd starts tasks of users, so it has to be root" >&2
    exit 1
fi

if [ -z "${PARTITA:-}" ]; then
    cargo build --release --quiet -p partita-cli
    PARTITA=$PWD/target/release/partita
fi
export PARTITA SHARDS=${SHARDS:-4} REPLICATES=${REPLICATES:-4000}
CUT=2 # the task that is cancelled

room=$(mktemp -d)
daemons=()
finish() {
    for pid in "${daemons[@]}"; do kill "$pid" 2>/dev/null || true; done
    wait 2>/dev/null || true
    rm -rf "$room"
}
trap finish EXIT

# munge, with a key and a socket of its own.
install -d -m 0755 "$room" "$room/munge" "$room/ctld" "$room/d" "$room/work"
head -c 1024 /dev/urandom >"$room/munge.key"
chmod 0400 "$room/munge.key"
munged --foreground --force --key-file="$room/munge.key" --socket="$room/munge/socket" --pid-file="$room/munge/pid" \
    --log-file="$room/munge/log" --seed-file="$room/munge/seed" 2>"$room/munged.log" &
daemons+=($!)

node=$(hostname -s)
cat >"$room/slurm.conf" <<CONF
ClusterName=here
SlurmctldHost=$node(127.0.0.1)
SlurmctldPort=${PORT:-16817}
SlurmdPort=$((${PORT:-16817} + 1))
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$room/munge/socket
CredType=cred/munge
StateSaveLocation=$room/ctld
SlurmdSpoolDir=$room/d
SlurmctldPidFile=$room/slurmctld.pid
SlurmdPidFile=$room/slurmd.pid
SlurmctldLogFile=$room/slurmctld.log
SlurmdLogFile=$room/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SchedulerType=sched/backfill
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
ReturnToService=2
KillWait=2
NodeName=$node NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
export SLURM_CONF=$room/slurm.conf
slurmctld -D 2>/dev/null &
daemons+=($!)
slurmd -D 2>/dev/null &
daemons+=($!)

# Waits until a command succeeds, for so many seconds.
until_true() {
    local seconds=$1
    shift
    for _ in $(seq $((seconds * 10))); do
        "$@" >/dev/null 2>&1 && return 0
        sleep 0.1
    done
    echo "waited $seconds s for: $*" >&2
    tail -n 20 "$room"/*.log >&2 || true
    return 1
}
node_is_up() { sinfo -h -t idle -o %n | grep -q .; }
gone() { [ -z "$(squeue -h -j "$1" 2>/dev/null)" ]; }
some_rows() { [ "$(wc -l <"shards/$CUT/replicates.csv")" -gt 20 ]; }
until_true 30 node_is_up
echo "$(sinfo --version): node $(sinfo -h -o '%n, %c processors, %t')"

cd "$room/work"
python3 - <<'TABLE'
import random
random.seed(1)
with open("table.csv", "w") as file:
    print("x,y", file=file)
    for centre, rows in ((0, 60), (4, 50), (8, 40)):
        for _ in range(rows):
            print(f"{random.gauss(centre, 1):.4f},{random.gauss(-centre, 1):.4f}", file=file)
TABLE

# What is said of the run, in one place; what a pilot would find is said, as docs/cluster.md advises.
cat >run.toml <<TOML
covariance = "diagonal"
sampler = "gibbs"
start = "prior"
lag = 60
burn_in = 60
sweeps = 600
replicates = $REPLICATES
seed = 1
keep_draws = 1
TOML

cat >job.sh <<'JOB'
#!/bin/bash
#SBATCH --cpus-per-task=1
#SBATCH --time=00:30:00
#SBATCH --output=task-%a.log
out=shards/${SLURM_ARRAY_TASK_ID}
if [ -d "$out" ]; then
    exec "$PARTITA" resume "$out" --threads "$SLURM_CPUS_PER_TASK"
fi
exec "$PARTITA" fit table.csv --config run.toml --shard "${SLURM_ARRAY_TASK_ID}/${SHARDS}" \
    --threads "$SLURM_CPUS_PER_TASK" --out "$out"
JOB
mkdir shards

job=$(sbatch --parsable --array="1-$SHARDS" job.sh)
echo "job $job: $SHARDS tasks"
until_true 300 some_rows
scancel "${job}_$CUT"
until_true 60 gone "${job}_$CUT"
kept=$(($(wc -l <"shards/$CUT/replicates.csv") - 1))
share=$((REPLICATES / SHARDS))
echo "task $CUT cancelled after $kept of $share replicates"
[ "$kept" -gt 0 ] && [ "$kept" -lt "$share" ] || {
    echo "the task was not cancelled mid-run: give more REPLICATES" >&2
    exit 1
}
until_true 580 gone "$job"
if "$PARTITA" merge shards/* --out early >early.log 2>&1; then
    echo "shards that are not whole were merged" >&2
    exit 1
fi

# The same script again: it resumes what is there.
again=$(sbatch --parsable --array="$CUT" job.sh)
until_true 580 gone "$again"
echo "task $CUT resumed: $(($(wc -l <"shards/$CUT/replicates.csv") - 1)) replicates"

"$PARTITA" merge shards/* --out joined >/dev/null 2>&1
"$PARTITA" fit table.csv --config run.toml --out whole >/dev/null 2>&1
# The time that a replicate took is no result.
without_seconds() {
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "seconds") at = i } { $at = ""; print }' "$1/replicates.csv"
}
cmp <(without_seconds joined) <(without_seconds whole)
for file in draws.csv clustering.csv credible_ball.csv co_clustering.npy; do
    cmp "joined/$file" "whole/$file"
done
echo "merged and uncut: the same $(($(wc -l <joined/replicates.csv) - 1)) replicates, states, clustering and matrix"
