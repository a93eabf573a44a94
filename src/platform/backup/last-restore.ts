import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '#kernel/config/config.ts';
import { writePrivateFile } from '#kernel/private-files.ts';

/** What came of the restore that somebody asked for in the panel: the database of then does not know. */
export interface LastRestore {
  readonly file: string;
  readonly by: string;
  /** ISO. */
  readonly at: string;
  /** Why nothing was restored; null when it was. */
  readonly error: string | null;
  /** The backup of what was there before; null where nothing was replaced. */
  readonly previous: string | null;
}

const fileOf = ({ dataDir }: Pick<Config, 'dataDir'>): string => join(dataDir, 'last-restore');

export const noteRestore = (config: Pick<Config, 'dataDir'>, last: LastRestore): void =>
  writePrivateFile(fileOf(config), `${JSON.stringify(last, null, 2)}\n`);

/** @returns null where none was asked for, and for a file that nobody can read */
export function readLastRestore(config: Pick<Config, 'dataDir'>): LastRestore | null {
  try {
    const last = JSON.parse(readFileSync(fileOf(config), 'utf8')) as LastRestore;
    return Number.isNaN(Date.parse(last.at)) ? null : last;
  } catch {
    return null;
  }
}
