// What an executable is made for: this machine, or another one, whose Node and libraries npm fetches.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The machines that `--target` knows beside the own one. */
export const TARGETS = ['linux-x64', 'linux-arm64'] as const;

export interface Target {
  /** `process.platform-process.arch`, such as `linux-arm64`. */
  readonly name: string;
  /** Whether what is built runs here. */
  readonly isOwn: boolean;
  /** Absolute path of the Node that becomes the executable. */
  readonly node: string;
  /** Absolute path of a folder like `node_modules` that has the native packages of this machine. */
  readonly modules: string;
}

const own = `${process.platform}-${process.arch}`;

/**
 * Finds what an executable is made of, and fetches what this machine does not have.
 *
 * @param root of the repository
 * @param name a target; this machine when absent
 * @param locked whether the own Node must be the one that package-lock.json names, so that the bytes are the same anywhere
 * @throws Error for a name that is no target, for another Node, and when a package does not have the locked hash
 */
export function targetOf(root: string, name: string = own, locked = false): Target {
  const modules = join(root, 'node_modules');
  if (name === own) {
    const node = locked ? join(modules, packageOfNode(name), 'bin/node') : process.execPath;
    if (locked) requireLocked(node);
    return { name, isOwn: true, node, modules };
  }
  if (!TARGETS.some((target) => target === name))
    throw new Error(`"${name}" is not a target; targets are ${TARGETS.join(' and ')}`);
  const fetched = join(root, 'build/targets', name);
  for (const wanted of [packageOfNode(name), ...librariesOfSharp(name)]) fetchPackage(root, wanted, fetched);
  return { name, isOwn: false, node: join(fetched, packageOfNode(name), 'bin/node'), modules: fetched };
}

const packageOfNode = (name: string): string => `node-${name.replace('win32', 'win')}`;
const librariesOfSharp = (name: string): string[] => [`@img/sharp-${name}`, `@img/sharp-libvips-${name}`];

function requireLocked(node: string): void {
  if (existsSync(node) && realpathSync(node) === realpathSync(process.execPath)) return;
  throw new Error(
    `a reproducible build needs the locked Node, this is ${process.version} at ${process.execPath}: run npm ci, then npm run build -- --reproducible`,
  );
}

/** @throws Error when what npm fetched does not have the hash that package-lock.json states */
function fetchPackage(root: string, name: string, folder: string): void {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version: string; integrity: string } | undefined>;
  };
  const lock = packages[`node_modules/${name}`];
  if (lock === undefined) throw new Error(`package-lock.json has no ${name}`);
  const place = join(folder, name);
  if (versionAt(place) === lock.version) return;
  mkdirSync(dirname(place), { recursive: true });
  const work = mkdtempSync(join(folder, '.new-'));
  try {
    const args = [
      'pack',
      `${name}@${lock.version}`,
      '--json',
      '--ignore-scripts',
      '--pack-destination',
      work,
    ];
    const [packed] = JSON.parse(execFileSync('npm', args, { cwd: work, encoding: 'utf8' })) as {
      filename: string;
      integrity: string;
    }[];
    if (packed?.integrity !== lock.integrity)
      throw new Error(`${name} from the registry does not have the hash of package-lock.json`);
    execFileSync('tar', ['-xzf', join(work, packed.filename.replace('@', '').replace('/', '-')), '-C', work]);
    rmSync(place, { recursive: true, force: true });
    renameSync(join(work, 'package'), place);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function versionAt(folder: string): string | null {
  const file = join(folder, 'package.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version : null;
}
