// A folder on a disk that loses its power: what was not flushed is gone, or a part of it has reached the disk, in any order.
import { spawnSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { MissingTool } from './proof.ts';
import type { Random } from './random.ts';

const SOURCE = join(import.meta.dirname, 'syncsnap.c');
/** A disk writes so much whole or not at all; SQLite's pages are as large. */
const BLOCK = 4096;

/** @throws MissingTool with the command that installs it */
export function requireCompiler(): void {
  const { error, status } = spawnSync('gcc', ['-E', '-o', '/dev/null', SOURCE]);
  if (error || status !== 0)
    throw new MissingTool('gcc is missing: apt-get install --no-install-recommends gcc libc6-dev');
}

/** Compiles the library that watches what a program flushes. @returns its path */
export function compileSyncsnap(folder: string): string {
  const library = join(folder, 'syncsnap.so');
  const words = ['-shared', '-fPIC', '-O2', '-Wall', '-o', library, SOURCE, '-ldl'];
  const { status, stderr } = spawnSync('gcc', words, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`syncsnap.c does not compile: ${stderr}`);
  return library;
}

/** What a disk is found with after a cut, of what nobody flushed. */
export interface Remains {
  /** Names that were made, moved and removed: at once, or when their folder is flushed. */
  readonly names: 'early' | 'late';
  /** Bytes: none of them, or some blocks in any order. */
  readonly bytes: 'none' | 'some';
}

/** Cuts differ in turn. */
export const remainsOf = (cut: number): Remains => ({
  names: cut % 2 === 0 ? 'early' : 'late',
  bytes: Math.floor(cut / 2) % 2 === 0 ? 'none' : 'some',
});

/** A folder whose disk may lose its power. */
export interface Disk {
  /** The folder that programs see. */
  readonly folder: string;
  /** For every program that writes to it until the next cut. */
  env(remains: Remains): Readonly<Record<string, string>>;
  /** Files and folders flushed, and names changed, so far. */
  steps(): number;
  /** Once all programs are killed: the folder becomes what the disk holds of it. */
  losePower(random: Random, remains: Remains): void;
}

/**
 * Makes a folder with a disk of its own.
 *
 * @param at a folder that does not exist
 * @param forgets a planted fault: files with this end are said to be flushed, and are not
 */
export function openDisk(library: string, at: string, forgets?: string): Disk {
  mkdirSync(at, { mode: 0o700 });
  const folder = realpathSync(at);
  const [disk, waiting, log] = [`${folder}.disk`, `${folder}.waiting`, `${folder}.steps`];
  for (const one of [disk, waiting]) mkdirSync(one, { mode: 0o700 });
  writeFileSync(log, '');
  return {
    folder,
    env: ({ names }) => ({
      LD_PRELOAD: library,
      SYNC_DIR: folder,
      SNAP_DIR: disk,
      SNAP_LOG: log,
      ...(names === 'late' && { SNAP_LATE: waiting }),
      ...(forgets !== undefined && { SNAP_FORGETS: forgets }),
    }),
    steps: () => statSync(log).size,
    losePower(random, { bytes }) {
      const nameless = nameByChance(waiting, disk, bytes === 'some' ? random : null);
      for (const file of bytes === 'some' ? filesOf(folder) : []) {
        const place = relative(folder, file);
        if (!nameless.has(place)) tear(file, join(disk, place), random);
      }
      rmSync(folder, { recursive: true });
      renameSync(disk, folder);
      copyFolder(folder, disk);
    },
  };
}

/** Files that were flushed have their names, or have not. @returns those that have not, for good */
function nameByChance(waiting: string, disk: string, random: Random | null): Set<string> {
  const nameless = new Set<string>();
  for (const file of filesOf(waiting)) {
    const place = relative(waiting, file);
    if (random && random.below(2) === 0 && existsSync(dirname(join(disk, place))))
      renameSync(file, join(disk, place));
    else nameless.add(place);
  }
  rmSync(waiting, { recursive: true });
  mkdirSync(waiting, { mode: 0o700 });
  return nameless;
}

const filesOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

/** Rights and times stay: Node's own copy gives folders others. */
export function copyFolder(from: string, to: string): void {
  const { status, stderr } = spawnSync('cp', ['-a', from, to], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${from} could not be copied: ${stderr}`);
}

/** Puts blocks that were written and not flushed onto the disk: every other one, and up to any length. */
function tear(file: string, onDisk: string, random: Random): void {
  // A folder that was never there on the disk has no files either.
  if (!existsSync(dirname(onDisk))) return;
  const written = readFileSync(file);
  const flushed = existsSync(onDisk) ? readFileSync(onDisk) : null;
  if (flushed?.equals(written)) return;
  if (flushed === null && random.below(3) === 0) return;
  const end = random.below(written.length + 1);
  const handle = openSync(onDisk, flushed === null ? 'w' : 'r+', statSync(file).mode & 0o777);
  try {
    for (let at = 0; at < end; at += BLOCK) {
      const block = written.subarray(at, Math.min(at + BLOCK, end));
      const isSame = flushed?.subarray(at, at + block.length).equals(block) ?? false;
      if (!isSame && random.below(2) === 0) writeSync(handle, block, 0, block.length, at);
    }
  } finally {
    closeSync(handle);
  }
}
