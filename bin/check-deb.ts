// Installs, upgrades, removes and purges the Debian package in an empty Debian. It needs root, debootstrap, unshare and a
// mirror: https://deb.debian.org/debian, or DEBIAN_MIRROR. usage: npm run check:deb
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const SUITE = 'bookworm';
const MIRROR = process.env.DEBIAN_MIRROR ?? 'http://deb.debian.org/debian';
/** cli.md section 1.8: a check failed, a tool is missing. */
const exits = { done: 0, failed: 6, missing: 9 } as const;

const say = (line: string): void => void process.stderr.write(`${line}\n`);

function missingTool(): string | null {
  if (process.platform !== 'linux') return 'a Linux machine';
  if (process.getuid?.() !== 0) return 'the rights of root';
  const missing = ['debootstrap', 'unshare', 'chroot', 'dpkg'].find(
    (tool) => spawnSync('sh', ['-c', `command -v ${tool}`]).status !== 0,
  );
  return missing ?? null;
}

/** Two packages of one executable: the later one has a higher version. @returns their paths */
function buildPackages(folder: string): string[] {
  return ['0.0.1', '0.0.2'].map((version) => {
    const words = [join(root, 'bin/build-deb.ts'), '--version', version, '--out', join(folder, version)];
    execFileSync(process.execPath, words, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
    const [name] = readdirSync(join(folder, version));
    return join(folder, version, name ?? '');
  });
}

function check(folder: string): number {
  const packages = buildPackages(folder);
  const debian = join(folder, 'debian');
  say(`an empty Debian from ${MIRROR}`);
  const words = ['--variant=minbase', '--include=adduser', SUITE, debian, MIRROR];
  const made = spawnSync('debootstrap', words, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  if (made.status !== 0) {
    say(`missing tool: debootstrap cannot reach ${MIRROR}\n${made.stdout.split('\n').slice(-5).join('\n')}`);
    return exits.missing;
  }
  const names = packages.map((path, i) => {
    copyFileSync(path, join(debian, 'tmp', `${i}.deb`));
    return `/tmp/${i}.deb`;
  });
  copyFileSync(join(import.meta.dirname, 'deb/scenario.sh'), join(debian, 'tmp/scenario.sh'));
  // What is started there ends with it.
  const inside = ['-m', '-p', '-f', '--kill-child', `--mount-proc=${join(debian, 'proc')}`, 'chroot', debian];
  const { status } = spawnSync('unshare', [...inside, 'sh', '/tmp/scenario.sh', ...names], {
    stdio: 'inherit',
  });
  return status === 0 ? exits.done : exits.failed;
}

const missing = missingTool();
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
