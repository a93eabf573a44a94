// A wall clock that a proof steps while a program runs. The program's monotonic clock stays right, as a real one does.
import { globSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MissingTool } from './proof.ts';

const INSTALL = 'apt-get install -y --no-install-recommends libfaketime';

/** @throws MissingTool with the command that installs it */
export function findFaketime(): string {
  const [library] = globSync('/usr/lib/*/faketime/libfaketime.so.1');
  if (library === undefined) throw new MissingTool(`libfaketime is missing: ${INSTALL}`);
  return library;
}

/** The wall clock of one installation. */
export interface WallClock {
  /** For every program that is to go by it. */
  readonly env: Readonly<Record<string, string>>;
  /** What it shows, in milliseconds since 1970. */
  nowMs(): number;
  /** Moves it by so many seconds, ahead or back. */
  step(seconds: number): void;
}

/**
 * Makes a clock.
 *
 * @param folder where its file lies
 * @param startsAt ISO 8601 UTC; absent: the right time
 */
export function createWallClock(folder: string, startsAt?: string): WallClock {
  const file = join(folder, 'wall-clock');
  let offsetMs = startsAt === undefined ? 0 : Date.parse(startsAt) - Date.now();
  // Renamed into its place: half a file would be another step.
  const write = (): void => {
    writeFileSync(`${file}.new`, `${offsetMs < 0 ? '' : '+'}${(offsetMs / 1000).toFixed(3)}\n`);
    renameSync(`${file}.new`, file);
  };
  write();
  return {
    env: {
      LD_PRELOAD: findFaketime(),
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      // Times of files are compared with each other, not with this clock.
      NO_FAKE_STAT: '1',
    },
    nowMs: () => Date.now() + offsetMs,
    step(seconds) {
      offsetMs += seconds * 1000;
      write();
    },
  };
}
