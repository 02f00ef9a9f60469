#!/bin/sh
# Lets Postfix on this machine take the mail for games.example.org and hand it to mailbot. Run it as root, in the folder
# where it lies. It may run any number of times; run it again after a change to one of the three tables.
set -eu
cd "$(dirname "$0")"

# On a machine that handles other mail these settings may have values. This program then changes nothing: put ours
# behind yours by hand, with a comma between. relay_recipient_maps needs a table for the other relayed domains, too.
others=$(postconf -n relay_domains relay_recipient_maps transport_maps virtual_alias_maps |
    grep -v -e ' = games\.example\.org$' -e ' = regexp:/etc/postfix/mailbot_[a-z]*$' || true)
if [ -n "$others" ]; then
    printf 'Postfix already has other values here, so nothing is changed:\n%s\n' "$others" >&2
    exit 1
fi

# What was changed by hand in /etc/postfix stays there as mailbot_...~.
install -C -b -m 644 mailbot_recipients mailbot_aliases mailbot_transport /etc/postfix/

# mailbot greets Postfix as games.example.org. A Postfix of the same name believes that it is talking to itself.
before=$(postconf -h myhostname)
if [ "$before" != mail.example.org ] && [ "$before" != games.example.org ]; then
    echo "Postfix was called $before (myhostname) and is now called mail.example.org. If it takes mail for $before, name that" \
        "in mydestination." >&2
fi
postconf -e 'myhostname = mail.example.org'
case " $(postconf -x -h mydestination | tr ',\n' '  ') " in
*' games.example.org '*)
    echo "Postfix takes mail for games.example.org for people on this machine (mydestination): take that name out of" \
        "mydestination in /etc/postfix/main.cf, and run this again." >&2
    exit 1
    ;;
esac
# Mail for the games, and only for addresses that exist.
postconf -e 'relay_domains = games.example.org'
postconf -e 'relay_recipient_maps = regexp:/etc/postfix/mailbot_recipients'
postconf -e 'transport_maps = regexp:/etc/postfix/mailbot_transport'
postconf -e 'virtual_alias_maps = regexp:/etc/postfix/mailbot_aliases'
# Postfix takes mail for every user of this machine, including those of its services, and puts it into /var/mail without
# limit, so anybody could fill the disk. So it takes such mail from this machine only. The mail of cron still arrives.
if [ -z "$(postconf -n local_recipient_maps)" ]; then
    if [ -n "$(find /var/mail/ -type f -size +0 2>/dev/null)" ]; then
        echo "There is mail in /var/mail. Anybody can fill these mailboxes until the disk is full and all mail stops. Set" \
            "local_recipient_maps to the people who get mail from elsewhere, and set mailbox_size_limit." >&2
    else
        postconf -e 'local_recipient_maps = inline:{ postmaster=x }'
        echo "Postfix no longer takes mail from elsewhere for users of this machine (local_recipient_maps)." >&2
    fi
fi
# No routing by the local part: prey%victim.example@mail.example.org is nobody's address.
postconf -e 'allow_percent_hack = no' 'swap_bangpath = no'
# mailbot takes mails of at most [limits] data_bytes. Postfix refuses bigger ones while the sender waits.
case $(postconf -n message_size_limit) in
'' | 'message_size_limit = 1000000')
    postconf -e 'message_size_limit = 1000000'
    ;;
*)
    echo "message_size_limit stays as it is. Mails for the games that are larger than [limits] data_bytes are dropped." >&2
    ;;
esac

# No "successful delivery" reports: Postfix would write one to whoever a mail claims to be from.
keywords=$(postconf -h smtpd_discard_ehlo_keywords)
case ", $keywords," in
*[,\ ]dsn,*) ;;
*) postconf -e "smtpd_discard_ehlo_keywords = ${keywords:+$keywords, }silent-discard, dsn" ;;
esac

# Postfix hands mails over in the order in which they came, so thousands from one address would hold up those of everybody.
if [ "$(postconf -h smtpd_client_message_rate_limit)" = 0 ]; then
    postconf -e 'smtpd_client_message_rate_limit = 100'
fi

# A mail for the games has one or two recipients.
if [ "$(postconf -h smtpd_recipient_limit)" = 1000 ]; then
    postconf -e 'smtpd_recipient_limit = 100'
fi

# Postfix holds 100 connections, up to 50 of them from one address, and waits 5 minutes for each command.
if [ "$(postconf -h smtpd_client_connection_count_limit)" = 50 ]; then
    postconf -e 'smtpd_client_connection_count_limit = 10'
fi
if [ "$(postconf -h -F smtp/inet/process_limit)" = - ]; then
    postconf -F 'smtp/inet/process_limit = 200'
fi
if [ -z "$(postconf -n smtpd_timeout)" ]; then
    postconf -e 'smtpd_timeout = ${stress?{10}:{60}}s' 'smtpd_per_request_deadline = yes'
fi

# From version 3.8 on Postfix can count an IPv6 network of one machine (/64) together. For older ones see postfix.md.
case $(postconf -d smtpd_client_ipv6_prefix_length 2>/dev/null) in
*=*) postconf -e 'smtpd_client_ipv6_prefix_length = 64' ;;
esac

# Postfix sends 100 letters at a time, up to 20 to one domain, and waits 5 minutes for each line of an answer. The owner of
# a domain may have slow mail servers at any number of domains below it: mailbot has players at 10 of these at most.
if [ -z "$(postconf -n smtp_helo_timeout)" ]; then
    postconf -e 'smtp_helo_timeout = 60s' 'smtp_starttls_timeout = 60s' 'smtp_mail_timeout = 60s' 'smtp_rcpt_timeout = 60s' \
        'smtp_data_init_timeout = 60s' 'smtp_data_xfer_timeout = 60s' 'smtp_data_done_timeout = 120s' \
        'smtp_per_request_deadline = yes'
fi
case $(postconf -n -h smtp_destination_concurrency_limit) in
'' | 4) # an earlier version of this program has set 4
    postconf -e 'smtp_initial_destination_concurrency = 2' 'smtp_destination_concurrency_limit = 2' \
        'smtp_mx_session_limit = 1'
    ;;
esac
# Letters that wait for slow mail servers have places in a list, and when it is full, no mail goes anywhere.
if [ "$(postconf -h qmgr_message_active_limit)" = 20000 ]; then
    postconf -e 'qmgr_message_active_limit = 50000' 'qmgr_message_recipient_limit = 50000'
fi
if [ "$(postconf -h -F smtp/unix/process_limit)" = - ]; then
    postconf -F 'smtp/unix/process_limit = 200'
fi

# When the disk fills up, mailbot says "later" first ([limits] min_free_bytes, 100 MB): then the clocks stand. Postfix keeps
# what arrives meanwhile, with the time of arrival. Earlier versions of this program set 150 or 300 MB.
case $(postconf -h queue_minfree) in
0 | 150000000 | 300000000)
    postconf -e 'queue_minfree = 90000000'
    ;;
esac

# Whoever lists the queue sees the reply tokens of mails that wait. The doctor of mailbot lists it, too.
if [ "$(postconf -h authorized_mailq_users)" = static:anyone ]; then
    postconf -e 'authorized_mailq_users = root, mailbot'
fi

case $(postconf -h inet_interfaces) in
loopback-only | localhost | 127.0.0.1)
    echo "Postfix listens on this machine alone (inet_interfaces), so no mail comes in from elsewhere. To change that:" \
        "postconf -e 'inet_interfaces = all' && systemctl restart postfix" >&2
    ;;
esac

postfix check
# Under systemd, so that it comes back with the next boot.
systemctl enable --quiet --now postfix || postfix start
postfix reload
