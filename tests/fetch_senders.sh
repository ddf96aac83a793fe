#!/bin/sh
# Fetches the real senders that the tests let deliver into Hindcast: Prometheus, Alertmanager, rsyslog, syslog-ng.
# They are unpacked into a folder and installed nowhere: Debian allows only one system logger, and tests need two.
set -eu
target=$1
senders="prometheus prometheus-alertmanager rsyslog rsyslog-elasticsearch syslog-ng-core"

command -v apt-get >/dev/null || { echo "The real senders come from Debian's packages, and there is no apt-get here." >&2; exit 1; }
mkdir -p "$target/packages"
cd "$target/packages"
# The lists are missing or old on a fresh machine, and only root may renew them.
[ "$(id -u)" != 0 ] || apt-get update -qq >/dev/null
# With the libraries they need, save the C library itself: that one must be the machine's own.
libraries=$(apt-cache depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces --no-enhances \
	rsyslog rsyslog-elasticsearch syslog-ng-core | grep -E '^lib[a-z0-9.+-]+$' | grep -vE '^(libc6|libc-bin|libgcc-s1|libcrypt1|libstdc\+\+6)$' | sort -u)
# shellcheck disable=SC2086
apt-get download -qq $senders $libraries >/dev/null 2>&1 || true
for package in $senders $libraries; do
	ls "${package}"_*.deb >/dev/null 2>&1 || apt-get download -qq "$package" 2>/dev/null || {
		case " $senders " in *" $package "*) echo "The Debian package $package cannot be fetched." >&2; exit 1 ;; esac; }
done
for package in *.deb; do dpkg -x "$package" "$target/root"; done
rm -rf "$target/packages"
# Debian's Alertmanager reads its notification templates from one fixed place and does not start without them.
templates=usr/share/prometheus/alertmanager
if [ ! -e "/$templates/default.tmpl" ]; then
	mkdir -p "/$templates" && cp "$target/root/$templates"/*.tmpl "/$templates/" || {
		echo "Install the package prometheus-alertmanager, or run this once as root: its templates belong into /$templates." >&2; exit 1; }
fi
