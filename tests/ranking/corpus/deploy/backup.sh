#!/usr/bin/env bash
# Dumps the database, encrypts the dump, keeps the last thirty.
set -euo pipefail

keep=30
target=${BACKUP_DIR:-/var/backups/parcelbird}
stamp=$(date -u +%Y%m%dT%H%M%SZ)

pg_dump --format custom "$DATABASE_URL" | age --recipients-file /etc/parcelbird/backup.pub > "$target/$stamp.dump.age"

prune_old_dumps() {
    ls -1t "$target"/*.dump.age | tail -n +$((keep + 1)) | xargs --no-run-if-empty rm --
}

prune_old_dumps
