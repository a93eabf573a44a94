// Installs, upgrades, removes and purges the Debian package in an empty Debian. It needs root, debootstrap, unshare and a
// mirror: https://deb.debian.org/debian, or DEBIAN_MIRROR. usage: npm run check:deb
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { MIRROR, makeDebian, missingForDebian } from './deb/debian.ts';

const root = resolve(import.meta.dirname, '..');
/** cli.md section 1.8: a check failed, a tool is missing. */
const exits = { done: 0, failed: 6, missing: 9 } as const;

const say = (line: string): void => void process.stderr.write(`${line}\n`);

/** Two packages of one executable: the later one has a higher version. */
const VERSIONS = ['0.0.1', '0.0.2'] as const;

/** @returns the exit code of build-deb.ts, which says itself what is missing */
function buildPackages(folder: string): number {
  for (const version of VERSIONS) {
    const words = [join(root, 'bin/build-deb.ts'), '--version', version, '--out', join(folder, version)];
    const { status } = spawnSync(process.execPath, words, {
      cwd: root,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    if (status !== exits.done) return status ?? exits.failed;
  }
  return exits.done;
}

function packageOf(folder: string, version: string): string {
  const [name] = readdirSync(join(folder, version));
  return join(folder, version, name ?? '');
}

function check(folder: string): number {
  const packed = buildPackages(folder);
  if (packed !== exits.done) return packed;
  const debian = join(folder, 'debian');
  say(`an empty Debian from ${MIRROR}`);
  const reason = makeDebian(debian, ['adduser']);
  if (reason !== null) {
    say(`missing tool: ${reason}`);
    return exits.missing;
  }
  const names = VERSIONS.map((version, i) => {
    copyFileSync(packageOf(folder, version), join(debian, 'tmp', `${i}.deb`));
    return `/tmp/${i}.deb`;
  });
  copyFileSync(join(import.meta.dirname, 'deb/scenario.sh'), join(debian, 'tmp/scenario.sh'));
  // What is started there ends with it.
  const inside = ['-m', '-p', '-f', '--kill-child', `--mount-proc=${join(debian, 'proc')}`, 'chroot', debian];
  // Variables of this machine name files that are not there, such as certificates for Node.
  const { status } = spawnSync('unshare', [...inside, 'sh', '/tmp/scenario.sh', ...names], {
    stdio: 'inherit',
    env: { PATH: process.env.PATH },
  });
  return status === 0 ? exits.done : exits.failed;
}

const missing = missingForDebian(['dpkg']);
if (missing !== null) {
  say(`missing tool: ${missing}`);
  process.exitCode = exits.missing;
} else {
  const folder = mkdtempSync(join(process.env.APPCTL_CHECK_DIR ?? tmpdir(), 'appctl-deb-'));
  try {
    process.exitCode = check(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
