#!/bin/sh
# Lets OpenDKIM sign what leaves this machine from games.example.org. Run it as root, in the folder where it lies, after
# postfix.sh. It may run any number of times, and keeps a key that exists. At its end it prints the record for the DNS.
set -eu
cd "$(dirname "$0")"

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
