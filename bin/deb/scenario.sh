#!/bin/sh
# What an operator does with the packages, in an empty Debian. usage: scenario.sh OLD.deb NEW.deb, as root of the chroot
set -eu
export DEBIAN_FRONTEND=noninteractive PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C
old=$1 new=$2

say() { echo "== $*"; }
fail() {
    echo "FAILED: $*" >&2
    [ ! -e /tmp/serve.log ] || tail -20 /tmp/serve.log >&2
    exit 1
}
# Everything but what every package leaves: the books of dpkg, debconf and the accounts, and caches.
files() {
    find / -xdev \( -path /proc -o -path /sys -o -path /tmp -o -path /run -o -path /dev -o -path /root -o -path /var/lib/dpkg \
        -o -path /var/log -o -path /var/cache -o -path /var/backups -o -path /etc/subuid- -o -path /etc/subgid- \) -prune -o -print \
        | grep -v -e '^/etc/passwd-$' -e '^/etc/group-$' -e '^/etc/shadow-$' -e '^/etc/gshadow-$' | sort
}
pid_of() { appctl status --json --quiet | sed -n 's/.*"pid":\([0-9]*\).*/\1/p'; }
serve() {
    appctl serve --listen 127.0.0.1:0 > /tmp/serve.log 2>&1 &
    appctl health --wait 60 > /dev/null || fail "the server is not healthy"
}

files > /tmp/before

say 'install without randomness fails'
mv /dev/urandom /dev/urandom.away
if dpkg -i "$old" > /tmp/dpkg.log 2>&1; then fail "a package without a master key counts as installed"; fi
mv /dev/urandom.away /dev/urandom
grep -q '/dev/urandom gave no 32 bytes' /tmp/dpkg.log || fail "$(cat /tmp/dpkg.log)"
[ ! -e /etc/appctl/master.key ] || fail "a master key was made of nothing"

say install
dpkg --configure appctl > /tmp/dpkg.log 2>&1 || fail "$(cat /tmp/dpkg.log)"
[ "$(stat -c '%U %a' /var/lib/appctl)" = "appctl 700" ] || fail "/var/lib/appctl has another owner or mode"
[ "$(stat -c '%U %a' /etc/appctl/master.key)" = "appctl 600" ] || fail "the master key has another owner or mode"
dpkg --verify appctl || fail "an installed file is not that of the package"
grep -q '^ Node.js ' /usr/share/doc/appctl/copyright || fail 'the copyright file names no works of others'
gzip -dc /usr/share/doc/appctl/works-of-others.gz | grep -q '^Node.js ' || fail 'their licenses are missing'
[ "$(wc -c < /etc/appctl/master.key)" -eq 44 ] || fail "the master key is not 32 bytes"
for page in man1/appctl.1 man1/appctl-serve.1 man5/appctl.toml.5; do
    gzip -dc "/usr/share/man/$page.gz" | grep -q '^\.TH' || fail "there is no page of man $page"
done
for file in bash-completion/completions/appctl zsh/vendor-completions/_appctl fish/vendor_completions.d/appctl.fish; do
    grep -q appctl "/usr/share/$file" || fail "there is no completion $file"
done
key=$(cat /etc/appctl/master.key)

say serve
serve
first=$(pid_of)
[ "$(stat -c %U "/proc/$first")" = appctl ] || fail "the server does not run as appctl"
appctl product create --name Editor --slug editor --quiet > /dev/null

say upgrade
echo '# a line of the operator' >> /etc/appctl/appctl.toml
(while [ ! -e /tmp/end ]; do appctl health > /dev/null 2>> /tmp/unhealthy || echo refused >> /tmp/unhealthy; done) &
dpkg -i "$new" > /tmp/dpkg.log 2>&1 || fail "$(cat /tmp/dpkg.log)"
second=$(pid_of)
touch /tmp/end
[ -n "$second" ] && [ "$second" != "$first" ] || fail "the server did not hand over: $(cat /tmp/dpkg.log)"
[ ! -s /tmp/unhealthy ] || fail "the server did not answer during the upgrade: $(cat /tmp/unhealthy)"
grep -q 'a line of the operator' /etc/appctl/appctl.toml || fail "the configuration was replaced"
[ "$(cat /etc/appctl/master.key)" = "$key" ] || fail "the master key was replaced"

say 'upgrade is left to dpkg'
if appctl upgrade rollback > /tmp/out 2>&1; then fail "appctl upgrade changed a file of dpkg"; fi
grep -q 'installed as a Debian package' /tmp/out || fail "$(cat /tmp/out)"

say remove
dpkg -r appctl > /tmp/dpkg.log 2>&1 || fail "$(cat /tmp/dpkg.log)"
[ ! -d "/proc/$second" ] || fail "the server still runs"
[ ! -e /usr/bin/appctl ] || fail "the executable is still there"
[ -e /var/lib/appctl/appctl.db ] || fail "removing deleted the data"

say 'install again starts the service'
# A stand-in for systemd, in which nothing runs.
mkdir -p /run/systemd/system
printf '#!/bin/sh\necho "$*" >> /tmp/systemctl\ncase "$*" in *is-enabled*) echo enabled ;; *is-active*) exit 3 ;; esac\n' > /usr/bin/systemctl
chmod 755 /usr/bin/systemctl
dpkg -i "$new" > /tmp/dpkg.log 2>&1 || fail "$(cat /tmp/dpkg.log)"
[ "$(grep -c -E '(^| )(start|restart) appctl.service' /tmp/systemctl)" = 1 ] || fail "the service was not started once: $(cat /tmp/systemctl)"
rm -r /run/systemd /usr/bin/systemctl
serve
appctl product list --json | grep -q '"slug":"editor"' || fail "the data is gone"

say 'purge keeps the data unless the question was answered with yes'
echo 'A=b' > /etc/appctl/appctl.env
dpkg -P appctl > /tmp/dpkg.log 2>&1 || fail "$(cat /tmp/dpkg.log)"
[ -e /var/lib/appctl/appctl.db ] && [ -e /etc/appctl/master.key ] && [ -e /etc/appctl/appctl.env ] \
    || fail "purging deleted the data without being told"
grep -q 'the data stays in /var/lib/appctl' /tmp/dpkg.log || fail "purging does not say what stays: $(cat /tmp/dpkg.log)"

say 'purge with the data'
dpkg -i "$new" > /tmp/dpkg.log 2>&1 || fail "$(cat /tmp/dpkg.log)"
echo 'appctl appctl/purge-data boolean true' | debconf-set-selections
dpkg -P appctl > /tmp/dpkg.log 2>&1 || fail "$(cat /tmp/dpkg.log)"
! getent passwd appctl > /dev/null || fail "the account is still there"
files > /tmp/after
diff /tmp/before /tmp/after || fail "purging left files"
echo 'installed, served, upgraded, removed and purged'
