#!/bin/sh
# Runs a command on one core, while the parser workers among its descendants stand still for nine tenths of the time.
#
#     eval/throttled.sh cargo test --workspace
#     SHARE=50 eval/throttled.sh cargo test -p spyhop-cli --test integration cli::crashed_parser
#
# SHARE is the percentage of the time in which workers run. The exit code is that of the command.
set -u
share=${SHARE:-10}
running=$(awk "BEGIN { print .05 * $share / 100 }")
standing=$(awk "BEGIN { print .05 - $running }")

# The descendants of the process $1 that are workers: processes whose first argument is the name of workers.
workers() {
    ps -eo pid=,ppid=,args= | awk -v top="$1" '
        { parent[$1] = $2; name[$1] = $3 }
        END {
            for (pid in name) if (name[pid] == "spyhop-parser")
                for (up = pid; up in parent; up = parent[up]) if (up == top) { print pid; break }
        }'
}

taskset -c 0 "$@" &
command=$!
trap 'kill $command 2>/dev/null' INT TERM
while kill -0 $command 2>/dev/null; do
    found=$(workers $command)
    [ -z "$found" ] || kill -STOP $found 2>/dev/null
    sleep "$standing"
    [ -z "$found" ] || kill -CONT $found 2>/dev/null
    sleep "$running"
done
wait $command
