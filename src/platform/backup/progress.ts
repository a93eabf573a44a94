import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, isoTime } from '#kernel/clock.ts';
import type { Config } from '#kernel/config/config.ts';
import { isHeld, WORK_FOLDER, type WorkFolder } from './work-folder.ts';

/** How far a backup is that is being made. */
export interface BackupProgress {
  /** ISO. */
  readonly startedAt: string;
  /** What it does, in words. */
  readonly stage: string;
  /** Bytes or rows of `total`. */
  readonly done: number;
  /** Null where it is not known. */
  readonly total: number | null;
}

/** What is under way: one that is made, or one that is unpacked again to see whether it is whole. */
export type BackupWork = 'backup' | 'verification';

const FILES: Readonly<Record<BackupWork, string>> = {
  backup: 'progress.json',
  verification: 'verification.json',
};
const EVERY_MS = 500;

/** Shows how far a backup is, to whoever looks at the data directory: it is made in a process of its own. */
export function showProgress(work: WorkFolder, clock: Clock, what: BackupWork = 'backup') {
  const startedAt = isoTime(clock.epochMs());
  let now: BackupProgress = { startedAt, stage: 'starting', done: 0, total: null };
  let writtenMs = Number.NEGATIVE_INFINITY;
  const write = (isForced: boolean): void => {
    const ms = clock.monotonicMs();
    if (!isForced && ms - writtenMs < EVERY_MS) return;
    writtenMs = ms;
    try {
      const part = work.file(`${FILES[what]}.part`);
      writeFileSync(part, JSON.stringify(now), { mode: 0o600 });
      renameSync(part, work.file(FILES[what]));
    } catch {
      // A backup does not fail because nobody can see how far it is.
    }
  };
  return {
    stage(stage: string, total: number): void {
      now = { startedAt, stage, done: 0, total: total > 0 ? total : null };
      write(true);
    },
    progress(done: number, total: number): void {
      now = { ...now, done, total: total > 0 ? total : now.total };
      write(false);
    },
  };
}

/** How far the backup is that is being made on this machine, or verified; null while none is. */
export async function backupUnderWay(
  { dataDir }: Pick<Config, 'dataDir'>,
  what: BackupWork = 'backup',
): Promise<BackupProgress | null> {
  const root = join(dataDir, WORK_FOLDER);
  if (!existsSync(root)) return null;
  for (const name of readdirSync(root)) {
    const progress = read(join(root, name, FILES[what]));
    if (progress !== null && (await isHeld(join(root, name)))) return progress;
  }
  return null;
}

function read(path: string): BackupProgress | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as BackupProgress;
  } catch {
    return null;
  }
}
