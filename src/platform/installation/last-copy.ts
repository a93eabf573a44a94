import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '#kernel/config/config.ts';
import { writePrivateFile } from '#kernel/private-files.ts';

/** What `{data_dir}/last-copy` says: in a file, because a copy changes nothing of what it copies. */
export interface LastCopy {
  /** The moment of which it is; ISO. */
  readonly at: string;
  /** Where it went, without a password. */
  readonly target: string;
  /** What `placeOf` says of the target; absent in notes of older programs. */
  readonly place?: string;
}

const fileOf = ({ dataDir }: Pick<Config, 'dataDir'>): string => join(dataDir, 'last-copy');

/** Notes a copy that is complete. */
export const noteCopy = (config: Pick<Config, 'dataDir'>, copy: LastCopy): void =>
  writePrivateFile(fileOf(config), `${JSON.stringify(copy, null, 2)}\n`);

/** The last copy of this data directory's installation; null where none was noted. */
export function readLastCopy(config: Pick<Config, 'dataDir'>): LastCopy | null {
  try {
    const { at, target, place } = JSON.parse(readFileSync(fileOf(config), 'utf8')) as LastCopy;
    return Number.isNaN(Date.parse(at)) ? null : { at, target, ...(place && { place }) };
  } catch {
    return null;
  }
}
