// Which pages of the manual are followed on machines of their own, and how.
import { OPERATOR } from '../../support/debian-root.ts';
import {
  asRoot,
  ENV,
  FOUND,
  INSTALLED_EARLIER,
  NEWER,
  NOTHING_OF_OTHERS,
  SHIPPED,
  TRUSTED_CERTIFICATE,
} from './operator-scripts.ts';
import type { Walk } from './page-walk.ts';

/** A page that is followed three times, once with each proxy. */
const proxied = (heading: string, instead: Walk['instead'] = {}): Walk => ({
  topic: 'reverse-proxy',
  user: OPERATOR,
  begins: 'serving',
  only: ['Tell the server', heading, 'Check it'],
  // A certificate that this machine believes, in place of one from an authority.
  before: asRoot(TRUSTED_CERTIFICATE),
  instead,
});

const PREPARED_BY_HAND = `appctl setup --no-input --owner-email ops@example.com --generate-password --json > setup.json
appctl product create --name Editor --slug editor --quiet`;

/** Somebody who tries appctl in a folder, without the service. */
const byHand = (topic: string, more: Partial<Walk> = {}): Walk => ({
  topic,
  user: OPERATOR,
  begins: 'installed',
  before: PREPARED_BY_HAND,
  ...more,
});

const SERVING_BY_HAND = `appctl serve > serve.log 2>&1 &
appctl health --wait 60
appctl product create --name Editor --slug editor --quiet`;

/** Root on a machine with the service. */
const onServer = (topic: string, more: Partial<Walk> = {}): Walk => ({
  topic,
  user: 'root',
  begins: 'serving',
  // Commands of root write files as the account of the service: in a folder that it can write.
  before: `install -d -o appctl /srv/answers
cd /srv/answers
appctl product create --name Editor --slug editor --quiet`,
  ...more,
});

const ON_ANOTHER_DISK = 'On another disk, with the service';

/** In an order in which each finds the machine that it begins with. */
export const walks: readonly Walk[] = [
  {
    topic: 'install',
    user: OPERATOR,
    begins: 'empty',
    leaves: 'installed',
    without: ['Build it'],
    before: 'cp /run/shared/appctl appctl',
    also: ['appctl version --licenses', 'appctl version --sbom'],
    after: `if command -v node; then exit 1; fi
mkdir tried
cd tried
appctl serve > serve.log 2>&1 &
appctl health --wait 60
kill %1
wait`,
  },
  {
    topic: 'run-as-a-service',
    user: OPERATOR,
    begins: 'installed',
    leaves: 'serving',
    also: ['sudo appctl doctor env.service-unit'],
    after: `sudo appctl health --wait 30
[ "$(systemctl is-enabled appctl.service)" = enabled ]
curl -fsS http://127.0.0.1:8480/api/ready | jq -e '.success'`,
  },
  {
    topic: 'run-as-a-service',
    user: OPERATOR,
    begins: 'serving',
    only: [],
    also: ['sudo appctl service uninstall --yes'],
    after: `if systemctl is-active appctl.socket || systemctl is-active appctl.service; then exit 1; fi
sudo test -e /var/lib/appctl/appctl.db
sudo test -e /etc/appctl/master.key`,
  },
  {
    topic: 'run-as-a-service',
    user: OPERATOR,
    begins: 'installed',
    only: [],
    before: INSTALLED_EARLIER,
    also: ['sudo appctl service install'],
    after: `sudo appctl health --wait 60
sudo cat /var/lib/appctl/installation | diff - installation
sudo test ! -L /var/lib/appctl
sudo appctl product create --name Editor --slug editor --quiet
${NOTHING_OF_OTHERS}`,
  },
  proxied('With nginx'),
  proxied('With Caddy', {
    // In place of a certificate from an authority.
    'licenses.example.com {':
      'licenses.example.com {\n    tls /etc/letsencrypt/live/licenses.example.com/fullchain.pem /etc/letsencrypt/live/licenses.example.com/privkey.pem',
  }),
  proxied('With HAProxy'),
  byHand('back-up', {
    before: SERVING_BY_HAND,
    without: [ON_ANOTHER_DISK],
    also: ['appctl jobs run backup', 'appctl jobs history backup'],
  }),
  {
    topic: 'back-up',
    user: OPERATOR,
    begins: 'serving',
    only: [ON_ANOTHER_DISK],
    before: 'echo APPCTL_BACKUP_KEEP=3,2,1 | sudo install -m 0600 /dev/stdin /etc/appctl/appctl.env',
    after: `sudo appctl ${ENV} backup create
sudo rm -r /var/lib/appctl/backup-work
sudo appctl ${ENV} backup verify "$(sudo appctl ${ENV} backup list --json | jq -r '.items[0].file')"
sudo appctl ${ENV} jobs run backup --wait
sudo appctl ${ENV} db check
${NOTHING_OF_OTHERS}`,
  },
  byHand('restore-a-backup', {
    also: ['appctl db check'],
    before: `${PREPARED_BY_HAND}
appctl backup create --out before-the-disaster.tar.zst
cp -p data/master.key kept-master.key
APPCTL_BACKUP_STREAM=on appctl serve > serve.log 2>&1 &
until ls data/backups/stream/bases/*.json; do sleep 0.3; done
kill %1
wait`,
  }),
  {
    topic: 'replace-a-lost-server',
    user: OPERATOR,
    begins: 'empty',
    before: 'cp /run/shared/appctl /run/shared/newest.tar.zst /run/shared/master.key .',
    after: `sudo appctl product list --json | jq -e '[.items[].slug] == ["editor"]'
sudo appctl health`,
    other: {
      begins: 'serving',
      before: `sudo appctl product create --name Editor --slug editor --quiet
sudo appctl backup create --quiet
sudo cp "/var/lib/appctl/backups/$(sudo appctl backup list --json | jq -r '.items[0].file')" /run/shared/newest.tar.zst
sudo cp /etc/appctl/master.key /run/shared/master.key
sudo chmod 0644 /run/shared/newest.tar.zst /run/shared/master.key`,
    },
  },
  {
    topic: 'upgrade-a-server',
    user: 'root',
    begins: 'serving',
    before: NEWER,
  },
  byHand('move-to-postgres', {
    without: ['With the service'],
    before: `sudo systemctl start postgresql
${PREPARED_BY_HAND}`,
  }),
  {
    topic: 'move-to-postgres',
    user: OPERATOR,
    begins: 'serving',
    leaves: 'postgres',
    only: ['Move to Postgres', '1. Write the address to a file', 'With the service'],
    before: `sudo systemctl enable --now postgresql
sudo appctl product create --name Editor --slug editor --quiet`,
    after: `sudo appctl --env-file /etc/appctl/appctl.env product list --json | jq -e '[.items[].slug] == ["editor"]'`,
  },
  {
    topic: 'several-servers',
    user: OPERATOR,
    begins: 'postgres',
    without: ['The load balancer'],
    before: asRoot(`cd /etc/postgresql/15/main
echo "listen_addresses = '*'" >> postgresql.conf
echo 'host appctl appctl 10.99.0.0/24 scram-sha-256' >> pg_hba.conf
systemctl restart postgresql
until pg_isready -h 10.99.0.1; do sleep 0.2; done`),
    between: {
      'On the second machine': {
        first: 'sudo cp node.env /etc/appctl/master.key /run/shared\nsudo chmod 0644 /run/shared/master.key',
        second: 'cp /run/shared/appctl /run/shared/node.env /run/shared/master.key .',
      },
      // What one stores in the bucket, the other one has.
      'Add it to the load balancer': { first: SHIPPED, second: `${FOUND}\n${NOTHING_OF_OTHERS}` },
    },
    bucket: { address: '10.99.0.1', port: 9000, name: 'appctl', id: 'appctl', secret: 'a-long-secret' },
    other: { begins: 'empty', headings: ['On the second machine'] },
    after: `sudo appctl --env-file /etc/appctl/appctl.env product create --name Viewer --slug viewer --quiet
${NOTHING_OF_OTHERS}`,
  },
  byHand('several-servers', { only: ['The load balancer'], before: SERVING_BY_HAND }),
  byHand('copy-an-installation', { also: [`sqlite3 data/appctl.db "VACUUM INTO 'copy.db'"`] }),
  byHand('check-a-server', { before: SERVING_BY_HAND }),
  onServer('check-a-server', { also: ['journalctl -u appctl'] }),
  onServer('get-alerts'),
  byHand('certificates', {
    before: SERVING_BY_HAND,
    also: ['appctl doctor net.acme-directory'],
  }),
  byHand('launch-checklist'),
  byHand('configure', {
    also: ['appctl config show --sources', 'appctl settings list', 'appctl settings export'],
  }),
  onServer('operate-under-load'),
];
