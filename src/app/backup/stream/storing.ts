import { readFile } from 'node:fs/promises';
import { StorageFailure } from '#kernel/storage/failure.ts';
import {
  type BackupPlace,
  localFile,
  logName,
  type Spool,
  segmentName,
  sizeInPlace,
} from '#platform/backup/index.ts';
import { Pauses } from './pauses.ts';

/** How storing goes. */
export interface StoringWatcher {
  /** Told once when it fails, and once when it works again. */
  fails(error: unknown): void;
  works(): void;
}

/** Whether a place has what a log began with. Of a bucket nothing goes without a word. */
export const hasLog = async (place: BackupPlace, log: string): Promise<boolean> =>
  place.kind !== 'file' || (await sizeInPlace(place, logName(log))) !== null;

/**
 * A folder whose disk was taken away is there again at once, empty: what is put into it would be missing later.
 *
 * @throws StorageFailure
 */
async function requireLog(place: BackupPlace, log: string): Promise<void> {
  if (await hasLog(place, log)) return;
  throw new StorageFailure(
    `${place.display} does not have ${logName(log)} any more`,
    'mount its disk again; if its files were deleted, restart the server, and the stream begins anew',
  );
}

/** Takes what waits on this machine to the place of backups, in its order, again and again. */
export class Storing {
  readonly #spool: Spool;
  readonly #place: BackupPlace;
  readonly #told: StoringWatcher;
  #running: Promise<void> | null = null;
  readonly #pauses = new Pauses();

  constructor(spool: Spool, place: BackupPlace, told: StoringWatcher) {
    this.#spool = spool;
    this.#place = place;
    this.#told = told;
  }

  /** Begins to store what waits, if nobody does and the last failure is long enough ago. @param nowMs monotonic */
  poke(nowMs: number): void {
    if (this.#running !== null || !this.#pauses.isOver(nowMs)) return;
    this.#running = this.#store()
      .then(() => {
        if (this.#pauses.end()) this.#told.works();
      })
      .catch((error: unknown) => {
        if (this.#pauses.begin(nowMs)) this.#told.fails(error);
      })
      .finally(() => {
        this.#running = null;
      });
  }

  /** Stores what waits now, once. */
  async flush(nowMs: number): Promise<void> {
    await this.#running;
    this.#pauses.skip();
    this.poke(nowMs);
    await this.#running;
  }

  async #store(): Promise<void> {
    for (;;) {
      const [first] = this.#spool.waiting;
      if (first === undefined) return;
      const bytes = await readFile(first.path);
      await requireLog(this.#place, first.log);
      await this.#place.put(segmentName(first.log, first.segment), localFile(first.path, bytes));
      // The disk may have gone in between.
      await requireLog(this.#place, first.log);
      // Given up meanwhile.
      if (this.#spool.waiting[0] !== first) return;
      this.#spool.removeFirst();
    }
  }
}
