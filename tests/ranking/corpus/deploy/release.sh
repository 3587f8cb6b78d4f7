#!/usr/bin/env bash
# Builds, tags and pushes the images of a version, then rolls them out.
set -euo pipefail

version=${1:?usage: release.sh VERSION}

require_clean_tree() {
    if [[ -n $(git status --porcelain) ]]; then
        echo "commit or stash your changes first" >&2
        exit 1
    fi
}

push_image() {
    local part=$1
    docker build --tag "registry.example/parcelbird-$part:$version" "$part"
    docker push "registry.example/parcelbird-$part:$version"
}

require_clean_tree
git tag --annotate "v$version" --message "Release $version"
for part in server worker web; do
    push_image "$part"
done
kubectl set image deployment/server "server=registry.example/parcelbird-server:$version"
kubectl rollout status deployment/server --timeout 5m || kubectl rollout undo deployment/server
git push origin "v$version"
