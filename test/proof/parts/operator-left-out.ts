// Commands and pages of the manual that are not followed on machines of their own, and why.
const BUILDS =
  'it builds from the sources, on a machine with Node; the executable that is followed here came of it';
const IS_ANOTHER_PAGE =
  'it asks questions on a terminal; the page about staff shows it, and its own tests run it';
const GOES_ON = 'it goes on until it is stopped';
const DPKG = 'npm run check:deb installs, upgrades, removes and purges the package on an empty Debian';
const EDITS = 'it opens an editor';
const POSTGRES = 'what it needs is in files of Postgres that the page shows and no walk writes';
const SEALED = 'the backup of the walk is not encrypted, and age is not installed';

/** Commands that are not run, by page, and why. */
export const notRun: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  install: {
    'npm run build': BUILDS,
    './build/appctl version': BUILDS,
    'npm run build -- --target linux-arm64': BUILDS,
    'npm run build:deb': BUILDS,
    'appctl serve': `${GOES_ON}; the walk starts it in the background`,
    'appctl setup': IS_ANOTHER_PAGE,
    'appctl release verify appctl-9.0.0 --pubkey vendor.pub':
      'no release is on the machine; the page about releases verifies one',
    'sudo dpkg -i appctl_VERSION_amd64.deb': DPKG,
    'sudo dpkg --remove appctl': DPKG,
    'sudo dpkg --purge appctl': DPKG,
    'sudo systemctl edit appctl.socket': EDITS,
    'sudo systemctl edit appctl.service': EDITS,
  },
  'run-as-a-service': {
    'appctl service install --help': 'it changes nothing',
    'sudo appctl setup token': 'its link is for a browser; its own tests run it',
    'sudo appctl setup': IS_ANOTHER_PAGE,
  },
  'back-up': {
    'age -d -i backup.key FILE | zstd -d | tar x': 'FILE stands for a name',
    'sudo systemctl restart postgresql': POSTGRES,
    'sudo systemctl start postgresql@15-main': POSTGRES,
  },
  'replace-a-lost-server': {
    'age -d -i backup.key newest.tar.zst.age | zstd -d | tar -xf - master.key.age': SEALED,
    'age -d -i backup.key master.key.age > master.key': SEALED,
  },
  'several-servers': { 'sudo systemctl restart postgresql': POSTGRES },
  'restore-a-backup': {
    'appctl restore --continue': 'it needs a restore that was killed',
  },
  'upgrade-a-server': {
    'sudo appctl upgrade apply --continue': 'it needs an upgrade that was killed',
    'npm run build:deb': BUILDS,
    'sudo dpkg -i': DPKG,
    'dpkg --remove': DPKG,
    'dpkg --purge': DPKG,
  },
  'move-to-postgres': { 'appctl serve --fresh': GOES_ON },
  'copy-an-installation': {
    'docker network create --internal': 'a machine without a network needs no Docker',
  },
  'check-a-server': {
    'appctl logs --follow': GOES_ON,
    'appctl logs --request-id ID': 'ID stands for one of a request',
    'appctl open': 'it opens a browser',
    'appctl open shop': 'it opens a browser',
    'appctl open store': 'it opens a browser',
    'appctl open help': 'it opens a browser',
    'appctl setup': IS_ANOTHER_PAGE,
    'appctl jobs show ID': 'ID stands for one of a task',
    'appctl jobs cancel ID': 'ID stands for one of a task',
  },
  'get-alerts': { 'appctl alerts test': 'the addresses that it would reach are on the internet' },
  certificates: {
    'appctl jobs history renew-certificate':
      'the job exists where an authority is asked; the proof ACME asks one',
  },
  'launch-checklist': {
    'appctl setup': IS_ANOTHER_PAGE,
    'appctl email test --to you@example.com': 'no mail server is installed',
  },
  configure: { 'appctl serve --fresh': GOES_ON },
};

const OWN_TEST = 'it is about the installation, not the machine: its own test runs it from the sources';

/** Pages of the chapter that are not followed on a machine, and why. */
export const notFollowed: Readonly<Record<string, string>> = {
  'use-the-panel': OWN_TEST,
  'staff-and-roles': OWN_TEST,
  'audit-log': OWN_TEST,
  monitoring: OWN_TEST,
  reports: OWN_TEST,
  security: OWN_TEST,
  'serve-several-tenants': OWN_TEST,
  'admin-api': OWN_TEST,
};
