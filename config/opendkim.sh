#!/bin/sh
# Lets OpenDKIM sign what leaves this machine from games.example.org. Run it as root, in the folder where it lies, after
# postfix.sh. It may run any number of times, and keeps a key that exists. At its end it prints the record for the DNS.
set -eu
cd "$(dirname "$0")"

# On a machine that signs or checks other mail these settings may have values. This program then changes nothing: give
# OpenDKIM a KeyTable and a SigningTable for both domains, or put our milter behind yours, by hand.
others=$(
    awk '$1 ~ /^(Domain|KeyFile|KeyTable|SigningTable|Socket)$/ &&
        $2 != "games.example.org" && $2 != "/etc/dkimkeys/games.private" &&
        $2 != "local:/run/opendkim/opendkim.sock" && $2 != "local:/var/spool/postfix/opendkim/opendkim.sock"' \
        /etc/opendkim.conf
    postconf -n smtpd_milters non_smtpd_milters |
        grep -v -F -x -e 'smtpd_milters = unix:opendkim/opendkim.sock' -e 'non_smtpd_milters = $smtpd_milters' \
            -e 'smtpd_milters =' -e 'non_smtpd_milters =' || true
)
if [ -n "$others" ]; then
    printf 'OpenDKIM or Postfix already has other values here, so nothing is changed:\n%s\n' "$others" >&2
    exit 1
fi

if [ ! -e /etc/dkimkeys/games.private ]; then
    runuser -u opendkim -- opendkim-genkey -D /etc/dkimkeys -d games.example.org -s games
fi
# Postfix lives in /var/spool/postfix and sees no socket elsewhere: a folder for it, and the right to go there.
install -d -o opendkim -g opendkim -m 750 /var/spool/postfix/opendkim
adduser --quiet postfix opendkim
# The lines of opendkim.conf take the place of those that Debian has written.
sed -i -E '/^(Socket|OversignHeaders|Domain|Selector|KeyFile|Mode)[[:space:]]/d' /etc/opendkim.conf
sed '/^#/d' opendkim.conf >>/etc/opendkim.conf

postconf -e 'smtpd_milters = unix:opendkim/opendkim.sock'
postconf -e 'non_smtpd_milters = $smtpd_milters'
# A letter leaves unsigned when OpenDKIM does not answer.
postconf -e 'milter_default_action = accept'
# OpenDKIM first. A reload of Postfix would not give it its new group.
systemctl restart opendkim
systemctl restart postfix
cat /etc/dkimkeys/games.txt
