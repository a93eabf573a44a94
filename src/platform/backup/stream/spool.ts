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

  constructor(root: string) {
    this.#root = root;
    ensurePrivateFolder(root);
  }

  /** @returns the file, on disk */
  async write(log: string, segment: SegmentName, bytes: Buffer): Promise<void> {
    const folder = join(this.#root, log);
    ensurePrivateFolder(folder);
    const path = join(folder, segmentFile(segment));
    rmSync(path + PART, { force: true });
    await writeSteadily(path + PART, [bytes]);
    await rename(path + PART, path);
    syncFolder(folder);
  }

  /** What waits, in the order in which it was committed. */
  waiting(): Waiting[] {
    const found: Waiting[] = [];
    for (const log of readdirSync(this.#root).filter(isLogId)) {
      for (const file of readdirSync(join(this.#root, log))) {
        const segment = segmentOf(file);
        const path = join(this.#root, log, file);
        const info = statSync(path, { throwIfNoEntry: false });
        if (segment !== null && info !== undefined) found.push({ log, segment, path, size: info.size });
      }
    }
    return found.sort((one, other) =>
      one.log === other.log ? one.segment.number - other.segment.number : one.log < other.log ? -1 : 1,
    );
  }

  /** Removes what was written of a log after the segment that counts as the last one. */
  dropAfter(log: string, number: number): void {
    for (const one of this.waiting())
      if (one.log === log && one.segment.number > number) rmSync(one.path, { force: true });
  }

  /** Removes all of it: what comes after it is lost, so that nothing can follow it. */
  clear(): void {
    for (const log of readdirSync(this.#root).filter(isLogId))
      rmSync(join(this.#root, log), { recursive: true, force: true });
  }

  /** Removes the folders of logs that have ended, once they are empty. */
  tidy(current: string): void {
    for (const log of readdirSync(this.#root).filter(isLogId)) {
      const folder = join(this.#root, log);
      if (log !== current && readdirSync(folder).length === 0) rmSync(folder, { recursive: true });
    }
  }
}

/** What a place is told of a file. */
export const localFile = (path: string, bytes: Buffer): LocalFile => ({
  path,
  size: bytes.length,
  sha256: sha256Hex(bytes),
});
