// An empty Debian below a folder, for tests of what an operator meets there.
import { spawnSync } from 'node:child_process';

const SUITE = 'bookworm';
export const MIRROR = process.env.DEBIAN_MIRROR ?? 'http://deb.debian.org/debian';
const MOST_OUTPUT = 64 * 1024 * 1024;

/** @param more commands that are needed beside those that make it. @returns what this machine lacks, or null */
export function missingForDebian(more: readonly string[] = []): string | null {
  if (process.platform !== 'linux') return 'a Linux machine';
  if (process.getuid?.() !== 0) return 'the rights of root';
  const missing = ['debootstrap', 'unshare', 'chroot', ...more].find(
    (tool) => spawnSync('sh', ['-c', `command -v ${tool}`]).status !== 0,
  );
  return missing ?? null;
}

/**
 * Makes the smallest Debian that installs packages.
 *
 * @param folder that is made
 * @param packages beside it
 * @returns null, or why it could not be made
 */
export function makeDebian(folder: string, packages: readonly string[]): string | null {
  const words = ['--variant=minbase', `--include=${packages.join(',')}`, SUITE, folder, MIRROR];
  const made = spawnSync('debootstrap', words, { encoding: 'utf8', maxBuffer: MOST_OUTPUT });
  if (made.status === 0) return null;
  return `debootstrap cannot make a Debian from ${MIRROR}\n${made.stdout.split('\n').slice(-5).join('\n')}`;
}
