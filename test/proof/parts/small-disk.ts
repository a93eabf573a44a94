// A disk that is full when the proof wants it: a file system in memory, in a mount namespace of the proof's own.
import { spawnSync } from 'node:child_process';
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { MissingTool } from './proof.ts';

/** Runs a program with mounts of its own; nobody must be root. */
export const MOUNTS_OF_ITS_OWN = ['unshare', '-rm'] as const;

const MEGABYTE = 1_048_576;
const PIECES = [MEGABYTE, 65_536, 4096];
const BALLAST = 'ballast';

/** @throws MissingTool where no file system can be mounted */
export function requireMounts(): void {
  const [program, ...words] = MOUNTS_OF_ITS_OWN;
  const tried = spawnSync(program, [...words, 'mount', '-t', 'tmpfs', 'none', '/mnt'], { encoding: 'utf8' });
  if (tried.status === 0) return;
  const why = tried.stderr?.trim() || tried.error?.message;
  throw new MissingTool(`no mount namespace here (${why}): apt-get install -y util-linux`);
}

/** A file system of a few megabytes. */
export class SmallDisk {
  readonly folder: string;
  #megabytes: number;

  /** @param folder where it is mounted; made here */
  constructor(folder: string, megabytes: number) {
    this.folder = folder;
    this.#megabytes = megabytes;
    mkdirSync(folder, { recursive: true });
    mount(['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=700`, 'none', folder]);
  }

  get freeBytes(): number {
    const { bavail, bsize } = statfsSync(this.folder);
    return bavail * bsize;
  }

  /** Takes what is free, but for so much. */
  fill(leaveBytes = 0): void {
    const file = openSync(join(this.folder, BALLAST), 'a');
    try {
      for (const piece of PIECES) while (this.freeBytes - leaveBytes >= piece && tookPiece(file, piece));
    } finally {
      closeSync(file);
    }
  }

  /** Gives space back. */
  empty(): void {
    rmSync(join(this.folder, BALLAST), { force: true });
  }

  /** Gives space back by making it larger. */
  grow(megabytes: number): void {
    this.#megabytes += megabytes;
    mount(['-o', `remount,size=${this.#megabytes}m`, this.folder]);
  }

  /** Puts a file there behind the program's back. */
  leave(path: string): void {
    mkdirSync(dirname(join(this.folder, path)), { recursive: true });
    writeFileSync(join(this.folder, path), 'part');
  }

  /** Files below a folder of it, with their sizes, except what `isOwn` says is the program's to change. */
  files(below: string, isOwn: (path: string) => boolean): string[] {
    const folder = join(this.folder, below);
    return readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => path !== BALLAST && !isOwn(path))
      .flatMap((path) => {
        const info = statSync(join(folder, path), { throwIfNoEntry: false });
        return info?.isFile() ? [`${path} ${info.size}`] : [];
      })
      .sort();
  }
}

function tookPiece(file: number, bytes: number): boolean {
  try {
    return writeSync(file, Buffer.alloc(bytes, 1)) === bytes;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return false;
    throw error;
  }
}

function mount(words: readonly string[]): void {
  const done = spawnSync('mount', words, { encoding: 'utf8' });
  if (done.status !== 0) throw new Error(`mount ${words.join(' ')} failed: ${done.stderr}`);
}
