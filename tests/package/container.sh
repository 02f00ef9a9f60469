#!/bin/sh
# Builds and runs the container as docs/install.md says, for test_container.py. The options beyond are for a container in
# a container: no layers, no control groups, low limits, no systemd to run health checks by itself.
# $1: a folder for all that is made, with base.tar, a Debian; $2: the checkout, with the package in dist/.
set -eux
umount /sys/fs/cgroup/unified || true # crun does not work with both kinds of control groups
run=$(mktemp --directory) # podman wants a short name
export TMPDIR="$1" STORAGE_DRIVER=vfs

podman() {
    command podman --root="$TMPDIR/root" --runroot="$run" --tmpdir="$run/libpod" "$@"
}

podman import "$1/base.tar" localhost/debian
buildah --root="$TMPDIR/root" --runroot="$run" build --isolation=chroot --network=host --format=docker \
    --build-arg=BASE=localhost/debian --tag=localhost/mailbot "$2"
[ "$(podman inspect --format '{{.User}} {{.HealthCheck.Test}} {{.Config.Volumes}}' localhost/mailbot)" = \
    "mailbot [CMD mailbot doctor --alive] map[/var/lib/mailbot:{}]" ]

cat >"$1/mailbot.toml" <<'END'
[listen]
host = "0.0.0.0"
[store]
path = "/var/lib/mailbot/mailbot.sqlite"
[relay]
maildir = "/var/lib/mailbot/maildir"
END
trap 'podman logs games; podman rm --force games' EXIT
podman run --detach --name=games --read-only --tmpfs=/tmp --volume="$1/mailbot.toml:/etc/mailbot.toml:ro" \
    --volume=games:/var/lib/mailbot --network=none --cgroups=disabled --log-driver=k8s-file \
    --ulimit=nofile=4096:4096 --ulimit=nproc=4096:4096 --health-interval=disable localhost/mailbot
for _ in $(seq 300); do
    ! podman healthcheck run games || break
    sleep 1
done
podman healthcheck run games
podman exec games mailbot doctor
[ "$(podman exec games id --user --name)" = mailbot ]
! podman exec --user=root games touch /etc/new
podman stop --time=60 games
[ "$(podman inspect --format '{{.State.ExitCode}}' games)" = 0 ]
# Another container goes on with the games.
podman run --rm --read-only --volume=games:/var/lib/mailbot --network=none --cgroups=disabled --log-driver=k8s-file \
    --ulimit=nofile=4096:4096 --ulimit=nproc=4096:4096 --no-healthcheck --entrypoint=test localhost/mailbot \
    -s /var/lib/mailbot/mailbot.sqlite
trap - EXIT
podman rm --force games
rm -rf "$run"
echo "all is well"
