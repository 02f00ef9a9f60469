#!/bin/sh
# The life of the Debian package, run by systemd in a container by test_deb.py: install, upgrade, remove, purge.
# $1: the package, $2: the same with a higher version.
set -eux
export DEBIAN_FRONTEND=noninteractive
state=/var/lib/mailbot

as_mailbot() {
    (cd / && runuser -u mailbot -- mailbot "$@")
}

patiently() {
    for _ in $(seq 600); do
        "$@" >/tmp/said 2>&1 && return
        sleep 0.1
    done
    cat /tmp/said
    return 1
}

ann_plays_here() {
    as_mailbot admin players | grep -w ann
}

# A first installation runs, as a user of its own.
dpkg --install "$1"
systemctl is-active mailbot
systemctl is-enabled mailbot
[ "$(stat --format '%U %G %a' $state)" = "mailbot mailbot 700" ]
[ "$(stat --format %U "/proc/$(systemctl show --property MainPID --value mailbot)")" = mailbot ]
as_mailbot check-config
patiently as_mailbot doctor
mailbot --version >/tmp/version
patiently as_mailbot mail ann@example.org "signup ann correct-horse-1"
patiently as_mailbot answer ann@example.org yes
patiently ann_plays_here
before=$(systemctl show --property MainPID --value mailbot)

# An upgrade restarts it, and keeps what the operator has changed.
echo "# mine" >>/etc/mailbot.toml
dpkg --install "$2"
[ "$(mailbot --version)" != "$(cat /tmp/version)" ]
[ "$(systemctl show --property MainPID --value mailbot)" != "$before" ]
patiently as_mailbot doctor
grep "# mine" /etc/mailbot.toml
ann_plays_here

# A socket that the operator has enabled comes back after a removal, with the service.
systemctl enable mailbot.socket
systemctl restart mailbot
patiently as_mailbot doctor

# Through an upgrade it holds its port.
since=$(systemctl show --property ActiveEnterTimestampMonotonic mailbot.socket)
dpkg --install "$2"
[ "$(systemctl show --property ActiveEnterTimestampMonotonic mailbot.socket)" = "$since" ]
patiently as_mailbot doctor
dpkg --remove mailbot
! systemctl is-active mailbot.socket
dpkg --install "$2"
systemctl is-active mailbot mailbot.socket
patiently as_mailbot doctor
python3 -c 'import socket; print(socket.create_connection(("127.0.0.1", 25), 5).recv(200))' | grep 220
systemctl disable mailbot.socket

# What is removed leaves configuration and games.
dpkg --remove mailbot
[ ! -e /usr/bin/mailbot ] && [ ! -e /usr/lib/mailbot ]
! systemctl is-active mailbot
grep "# mine" /etc/mailbot.toml
[ -e $state/mailbot.sqlite ]

# A purge asks, and keeps the games unless it is told not to.
dpkg --purge mailbot
[ ! -e /etc/mailbot.toml ] && [ -e $state/mailbot.sqlite ]
dpkg --install "$2"
patiently ann_plays_here
echo "mailbot mailbot/purge-games boolean true" | debconf-set-selections
dpkg --purge mailbot
[ ! -e $state ]
echo "all is well"
