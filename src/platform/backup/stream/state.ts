import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Config } from '#kernel/config/config.ts';
import { writePrivateFile } from '#kernel/private-files.ts';
import { later } from '#kernel/sharing.ts';
import { LogRecord, Position } from './records.ts';

/** The folder of what waits to be stored, and of the note how far the stream is. */
export const streamFolder = ({ dataDir }: Pick<Config, 'dataDir'>): string => join(dataDir, 'stream');

/** How far a stream is: what the next process goes on from. */
const StreamState = later(() =>
  z.object({
    log: LogRecord,
    /** What the log is encrypted for, to see when the configuration wants something else. */
    sealedFor: z.string().nullable(),
    /** Of the last segment that was written; 0 for none. */
    number: z.int().min(0),
    /** Where the next one begins. */
    position: Position.nullable(),
    /** The moment of the last segment, or of the beginning. */
    at: z.string(),
    base: z.object({ number: z.int(), takenAt: z.string() }).nullable(),
    /** The database file as it was when its last user closed it, with everything in it. */
    closed: z.string().nullable(),
  }),
);
export type StreamState = z.output<typeof StreamState>;

const fileOf = (config: Pick<Config, 'dataDir'>): string => join(streamFolder(config), 'state.json');

/** @returns null when there is none that can be read: a new log begins then */
export function readStreamState(config: Pick<Config, 'dataDir'>): StreamState | null {
  try {
    return StreamState.parse(JSON.parse(readFileSync(fileOf(config), 'utf8')));
  } catch {
    return null;
  }
}

export const writeStreamState = (config: Pick<Config, 'dataDir'>, state: StreamState): void =>
  writePrivateFile(fileOf(config), JSON.stringify(state));

/** The next process begins another log. */
export const forgetStreamState = (config: Pick<Config, 'dataDir'>): void =>
  rmSync(fileOf(config), { force: true });
