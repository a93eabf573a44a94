import { existsSync } from 'node:fs';
import type { Config } from '#kernel/config/config.ts';
import { Spool } from './spool.ts';
import { readStreamState, streamFolder } from './state.ts';

/** How a stream stands, by what is noted on this machine. */
export interface StreamStanding {
  /** ISO. From this moment on any other can be restored of the log that is written now; null before its first copy. */
  readonly from: string | null;
  /** ISO. The last change that was taken. */
  readonly at: string;
  /** What is not stored yet; null for nothing. */
  readonly waiting: { readonly segments: number; readonly since: string } | null;
}

/** @returns null when nothing was ever shipped from here */
export function streamStanding(config: Pick<Config, 'dataDir'>): StreamStanding | null {
  const state = readStreamState(config);
  if (state === null || !existsSync(streamFolder(config))) return null;
  const { waiting } = new Spool(streamFolder(config));
  const [oldest] = waiting;
  return {
    from: state.base?.takenAt ?? null,
    at: state.at,
    waiting: oldest ? { segments: waiting.length, since: oldest.segment.at } : null,
  };
}
