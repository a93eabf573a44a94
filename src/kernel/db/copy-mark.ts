// While a process copies a SQLite file, it takes care of the write-ahead log: a mark beside the file says so. Whichever
// connection makes a checkpoint first after the copy copies all that was written meanwhile, which takes seconds; in a
// server, every request would wait for it.
import { rmSync, utimesSync, writeFileSync } from 'node:fs';
import { systemClock } from '../clock.ts';
import { copyMarkOf } from './lane.ts';

/** The mark of one copy. Where it cannot be written, one commit may be late. */
export interface CopyMark {
  /** Says that the copy goes on; every second or so. */
  renew(): void;
  remove(): void;
}

/** Marks a file as being copied. */
export function markCopying(file: string): CopyMark {
  const mark = copyMarkOf(file);
  const quietly = (work: () => void): void => {
    try {
      work();
    } catch {
      // The copy is made all the same.
    }
  };
  const renew = (): void =>
    quietly(() => {
      // Another copy may have removed it.
      writeFileSync(mark, '', { flag: 'a', mode: 0o600 });
      const now = systemClock.epochMs() / 1000;
      utimesSync(mark, now, now);
    });
  renew();
  return { renew, remove: () => quietly(() => rmSync(mark, { force: true })) };
}
