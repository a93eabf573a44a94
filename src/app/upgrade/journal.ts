import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { syncFolder } from '#kernel/private-files.ts';
import type { Place } from './place.ts';

/**
 * How far an upgrade has come.
 * - `ready`: the new executable is verified and lies beside the old one
 * - `swapped`: it has the place of the old one, and nobody has seen yet whether it works
 * - `returning`: the old one has its place back, and the database is still to follow
 * - `done`, `undone`: nothing is left to do
 */
export type UpgradeState = 'ready' | 'swapped' | 'returning' | 'done' | 'undone';

/** An executable of one version. */
export interface Build {
  readonly version: string;
  readonly sha256: string;
}

/** What is known of the last upgrade of an executable: enough to finish it, and to go back. */
export interface Journal {
  readonly state: UpgradeState;
  readonly at: string;
  readonly from: Build;
  readonly to: Build;
  /** Data directory of the installation that was upgraded. */
  readonly dataDir: string;
  /** Migrations of its database before; null where there was none. */
  readonly schema: readonly string[] | null;
  /** Another server of the database was upgraded before and changed its schema. */
  readonly isAhead?: true;
  /** Name of its backup; null for none. */
  readonly backup: string | null;
  /** How the database goes back: by undoing the newer migrations, or to the backup. */
  readonly back: 'convert' | 'restore';
}

/** @returns null when this executable was never upgraded, and for a file that nobody can read */
export function readJournal({ journal }: Pick<Place, 'journal'>): Journal | null {
  if (!existsSync(journal)) return null;
  try {
    return JSON.parse(readFileSync(journal, 'utf8')) as Journal;
  } catch {
    return null;
  }
}

/** Written by whoever may replace the executable, and read by its server too: it holds no secret. */
export function writeJournal({ journal }: Place, content: Journal): Journal {
  const temporary = `${journal}.tmp`;
  rmSync(temporary, { force: true });
  const file = openSync(temporary, 'wx', 0o644);
  try {
    writeSync(file, `${JSON.stringify(content, null, 2)}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(temporary, journal);
  syncFolder(dirname(journal));
  return content;
}

/** Whether an upgrade was interrupted, and what of it is left to do. */
export const isUnfinished = (journal: Journal | null): journal is Journal =>
  journal !== null && ['ready', 'swapped', 'returning'].includes(journal.state);
