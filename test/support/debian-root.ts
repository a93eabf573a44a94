// The empty Debian in which an operator follows the manual: no Node, and of other programs those that pages name.
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MIRROR, makeDebian, missingForDebian } from '../../bin/deb/debian.ts';
import { MissingTool } from '../proof/parts/proof.ts';
import { scratchFolder } from './scratch-folder.ts';

/** systemd and what people reach a machine by, the tools of the pages, the proxies, and Postgres. */
const PACKAGES = [
  [
    'systemd',
    'systemd-sysv',
    'libnss-systemd',
    'dbus',
    'sudo',
    'adduser',
    'procps',
    'iproute2',
    'ca-certificates',
  ],
  ['curl', 'jq', 'openssl', 'zstd', 'age', 'sqlite3'],
  ['nginx-light', 'caddy', 'haproxy'],
  ['postgresql', 'postgresql-client'],
].flat();
const DAEMONS = ['nginx', 'caddy', 'haproxy', 'postgresql'];

/** The account of the person who follows the pages. */
export const OPERATOR = 'ops';

/** @throws MissingTool */
export function requireDebianTools(): void {
  const missing = missingForDebian(['nsenter', 'ip']);
  if (missing !== null) throw new MissingTool(`${missing} is missing`);
}

let made: string | undefined;

/**
 * Makes it once for a process. `APPCTL_DEBIAN` names a folder that keeps it for the next run.
 *
 * @returns its root
 * @throws MissingTool where no mirror is reached
 */
export function debianRoot(say: (line: string) => void): string {
  made ??= process.env.APPCTL_DEBIAN ?? ownFolder();
  const root = join(made, 'debian');
  if (!existsSync(root)) make(root, say);
  return root;
}

function ownFolder(): string {
  const folder = scratchFolder('appctl-debian-', { durable: true });
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function make(root: string, say: (line: string) => void): void {
  say(`making an empty Debian from ${MIRROR}`);
  const unfinished = `${root}.new`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true });
  const reason = makeDebian(unfinished, ['ca-certificates']);
  if (reason !== null) throw new MissingTool(reason);
  // What is installed does not start: it would listen on this machine.
  writeFileSync(join(unfinished, 'usr/sbin/policy-rc.d'), '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  copyFileSync('/etc/resolv.conf', join(unfinished, 'etc/resolv.conf'));
  install(unfinished);
  rmSync(join(unfinished, 'usr/sbin/policy-rc.d'));
  furnish(unfinished);
  renameSync(unfinished, root);
}

function install(root: string): void {
  const script = `apt-get update -q && apt-get install -q -y --no-install-recommends ${PACKAGES.join(' ')} && apt-get clean`;
  const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' };
  const done = spawnSync('chroot', [root, 'sh', '-c', script], { env, encoding: 'utf8' });
  if (done.status === 0) return;
  throw new MissingTool(`packages cannot be installed from ${MIRROR}:\n${done.stderr.slice(-2000)}`);
}

function furnish(root: string): void {
  const script = `
systemctl disable -q ${DAEMONS.join(' ')}
useradd --create-home --shell /bin/bash ${OPERATOR}
echo '${OPERATOR} ALL=(ALL) NOPASSWD: ALL' > /etc/sudoers.d/${OPERATOR}
chmod 0440 /etc/sudoers.d/${OPERATOR}
: > /etc/machine-id
: > /etc/resolv.conf
rm -f /etc/hostname
`;
  execFileSync('chroot', [root, 'sh', '-euc', script], { stdio: ['ignore', 'ignore', 'inherit'] });
}
