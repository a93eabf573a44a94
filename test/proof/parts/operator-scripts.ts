// What a reader of the operators' pages has or did before, and what has to hold afterwards: scripts for machines.
export const TRUSTED_CERTIFICATE = `
mkdir -p /etc/letsencrypt/live/licenses.example.com
cd /etc/letsencrypt/live/licenses.example.com
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=licenses.example.com \\
    -addext subjectAltName=DNS:licenses.example.com -keyout privkey.pem -out fullchain.pem
chmod 0644 privkey.pem
cp fullchain.pem /usr/local/share/ca-certificates/authority.crt
update-ca-certificates
echo '127.0.0.1 licenses.example.com' >> /etc/hosts
cd
`;
export const asRoot = (script: string): string => `sudo bash -eu <<'ROOT'\n${script}\nROOT`;

export const NEWER = `sed 's/"version":"0\\.1\\.0"/"version":"9.0.0"/' /usr/local/bin/appctl > appctl-9.0.0
chmod 755 appctl-9.0.0
touch vendor.toml
appctl --config vendor.toml --data-dir vendor keys generate --product appctl --no-passphrase --out vendor.key
appctl --config vendor.toml --data-dir vendor release sign appctl-9.0.0 --key vendor.key --product appctl --version 9.0.0`;

export const ENV = '--env-file /etc/appctl/appctl.env';

export const SHIPPED = asRoot(`install -d -o appctl /srv/answers
cd /srv/answers
echo 'the first build' > editor-1.0.0.zip
appctl ${ENV} keys generate --product editor --no-passphrase --out editor.key
chown appctl editor-1.0.0.zip editor.key
appctl ${ENV} release ship editor-1.0.0.zip --product editor --version 1.0.0 --key editor.key`);

export const FOUND = `sudo appctl ${ENV} doctor releases.files-present --json | tee files.json
grep 'stored bundles with the published digest: 1' files.json`;

/** Commands of root leave nothing in the data directory that the service could not read or replace. */
export const NOTHING_OF_OTHERS = `others=$(sudo find /var/lib/appctl ! -user appctl)
[ -z "$others" ] || { echo "$others"; exit 1; }`;

/** The units of a version that had no account of its own: systemd made one for each run. */
export const INSTALLED_EARLIER = `sudo mkdir -p /etc/appctl
openssl rand -base64 32 | tr '+/' '-_' | tr -d '=' | sudo install -m 0600 /dev/stdin /etc/appctl/master.key
printf 'data_dir = "/var/lib/appctl"\\n[secret]\\nmaster_key_file = "/etc/appctl/master.key"\\n' > appctl.toml
sudo install -m 0644 appctl.toml /etc/appctl/appctl.toml
rm appctl.toml
sudo appctl service print --json > units.json
jq -r .unit units.json | sed 's/^User=appctl$/DynamicUser=yes/; /^ExecStartPost=/d' > appctl.service
jq -r .socket units.json > appctl.socket
sudo cp appctl.service appctl.socket /etc/systemd/system/
sudo systemctl daemon-reload
sudo systemctl enable --now appctl.socket appctl.service
curl -fsS --retry 30 --retry-all-errors http://127.0.0.1:8480/api/health
sudo cat /var/lib/appctl/installation > installation
[ "$(sudo stat -c %U /var/lib/appctl/)" != root ]
if sudo appctl product list 2> refused; then exit 1; fi
grep 'appctl doctor env.service-unit' refused
sudo appctl doctor env.service-unit --json > doctor.json || true
grep 'appctl service install' doctor.json`;
