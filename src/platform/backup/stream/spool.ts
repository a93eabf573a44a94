import { readdirSync, rmSync, statSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256Hex } from '#kernel/crypto.ts';
import { ensurePrivateFolder, syncFolder } from '#kernel/private-files.ts';
import { writeSteadily } from '#kernel/steady-file.ts';
import type { LocalFile } from '../place-types.ts';
import { isLogId, type SegmentName, segmentFile, segmentOf } from './names.ts';

/** A segment that waits to be stored. */
export interface Waiting {
  readonly log: string;
  readonly segment: SegmentName;
  readonly path: string;
  readonly size: number;
}

const PART = '.part';

/** Segments on the disk of this machine, until they are where backups are kept. They are synced before they count. */
export class Spool {
  readonly #root: string;
  readonly #waiting: Waiting[];
  /** Written, but not noted: they do not count yet. */
  #unnoted: Waiting[] = [];
  #bytes = 0;

  constructor(root: string) {
    this.#root = root;
    ensurePrivateFolder(root);
    this.#waiting = waitingIn(root);
    for (const { size } of this.#waiting) this.#bytes += size;
  }

  /** What waits, in the order in which it was committed. */
  get waiting(): readonly Waiting[] {
    return this.#waiting;
  }

  /** Of all that waits. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Adds a segment; it is on disk when this resolves, and waits once it is noted. */
  async write(log: string, segment: SegmentName, bytes: Buffer): Promise<void> {
    const folder = join(this.#root, log);
    ensurePrivateFolder(folder);
    const path = join(folder, segmentFile(segment));
    rmSync(path + PART, { force: true });
    await writeSteadily(path + PART, [bytes]);
    await rename(path + PART, path);
    syncFolder(folder);
    this.#unnoted.push({ log, segment, path, size: bytes.length });
  }

  /** What was written is noted. */
  noted(): void {
    for (const one of this.#unnoted) this.#bytes += one.size;
    this.#waiting.push(...this.#unnoted);
    this.#unnoted = [];
  }

  /** What was written is not wanted. */
  dropUnnoted(): void {
    for (const { path } of this.#unnoted) rmSync(path, { force: true });
    this.#unnoted = [];
  }

  /** The first one that waits is stored. */
  removeFirst(): void {
    const first = this.#waiting.shift();
    if (first === undefined) return;
    rmSync(first.path, { force: true });
    this.#bytes -= first.size;
  }

  /** Removes what an earlier process wrote of a log and did not note. */
  dropAfter(log: string, number: number): void {
    for (let i = this.#waiting.length - 1; i >= 0; i -= 1) {
      const one = this.#waiting[i];
      if (one === undefined || one.log !== log || one.segment.number <= number) continue;
      rmSync(one.path, { force: true });
      this.#waiting.splice(i, 1);
      this.#bytes -= one.size;
    }
  }

  /** Removes all of it: what comes after it is lost, so that nothing can follow it. */
  clear(): void {
    for (const log of readdirSync(this.#root).filter(isLogId))
      rmSync(join(this.#root, log), { recursive: true, force: true });
    this.#waiting.length = 0;
    this.#unnoted = [];
    this.#bytes = 0;
  }

  /** Removes the folders of logs that have ended, once they are empty. */
  tidy(current: string): void {
    for (const log of readdirSync(this.#root).filter(isLogId)) {
      const folder = join(this.#root, log);
      if (log !== current && readdirSync(folder).length === 0) rmSync(folder, { recursive: true });
    }
  }
}

/** What a process before this one left. */
function waitingIn(root: string): Waiting[] {
  const found: Waiting[] = [];
  for (const log of readdirSync(root).filter(isLogId)) {
    for (const file of readdirSync(join(root, log))) {
      const segment = segmentOf(file);
      const path = join(root, log, file);
      const info = statSync(path, { throwIfNoEntry: false });
      if (segment !== null && info !== undefined) found.push({ log, segment, path, size: info.size });
    }
  }
  return found.sort((one, other) =>
    one.log === other.log ? one.segment.number - other.segment.number : one.log < other.log ? -1 : 1,
  );
}

/** What a place is told of a file. */
export const localFile = (path: string, bytes: Buffer): LocalFile => ({
  path,
  size: bytes.length,
  sha256: sha256Hex(bytes),
});
