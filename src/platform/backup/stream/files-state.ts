import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Config } from '#kernel/config/config.ts';
import { writePrivateFile } from '#kernel/private-files.ts';
import { later } from '#kernel/sharing.ts';
import { FileSetRecord } from './file-records.ts';
import { streamFolder } from './state.ts';

/** How far the files beside the database are. What was kept since then is noted one by one. */
const FilesState = later(() =>
  z.object({
    set: FileSetRecord,
    /** What the set is encrypted for, to see when the configuration wants something else. */
    sealedFor: z.string().nullable(),
    /** Files that the comparison with the place found missing there, and that are not stored yet. */
    left: z.int().min(0),
    /** ISO, of that comparison; null: the first one has not ended. */
    comparedAt: z.string().nullable(),
    /** ISO, since when some are left; null: none is. */
    leftSince: z.string().nullable().default(null),
    /** ISO, since when the first comparison is waited for; null: it has ended. */
    waitingSince: z.string().nullable().default(null),
  }),
);
export type FilesState = z.output<typeof FilesState>;

type Noted = Pick<Config, 'dataDir'>;
const fileOf = (config: Noted): string => join(streamFolder(config), 'files.json');
const goneFileOf = (config: Noted): string => join(streamFolder(config), 'files-gone.json');

/** @returns null when there is none that can be read */
export function readFilesState(config: Noted): FilesState | null {
  try {
    return FilesState.parse(JSON.parse(readFileSync(fileOf(config), 'utf8')));
  } catch {
    return null;
  }
}

export const writeFilesState = (config: Noted, state: FilesState): void =>
  writePrivateFile(fileOf(config), JSON.stringify(state));

const Gone = later(() => z.object({ gone: z.record(z.string().max(200), z.iso.datetime({ precision: 3 })) }));

/** Since when (ISO) files of the stream are neither here nor named by a row, by their names. */
export function readGoneFiles(config: Noted): Record<string, string> {
  try {
    return Gone.parse(JSON.parse(readFileSync(goneFileOf(config), 'utf8'))).gone;
  } catch {
    return {};
  }
}

export const writeGoneFiles = (config: Noted, gone: Readonly<Record<string, string>>): void =>
  writePrivateFile(goneFileOf(config), JSON.stringify({ gone }));

/** A file is here again. */
export function forgetGoneFile(config: Noted, name: string): void {
  const { [name]: known, ...others } = readGoneFiles(config);
  if (known !== undefined) writeGoneFiles(config, others);
}
