import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { holdFile } from '#kernel/db/held-file.ts';
import { ensurePrivateFolder } from '#kernel/private-files.ts';
import { openBackupPlace, streamFolder } from '#platform/backup/index.ts';
import { fileShipperOf } from './files/shipper.ts';
import { BackupStream, type StreamParts } from './stream.ts';

/** What is committed is on its way to the place of backups this soon. */
const STEP_MS = 1000;
/** So soon a successor takes over from the server before it. */
const LOOK_MS = 100;

/** A stream of backups that runs. */
export interface RunningStream {
  /** Ends it; to be called once the server has closed its database, so that nothing is committed after it. */
  end(): Promise<void>;
}

/** Ships what is committed for as long as this server runs; of several servers one does. */
export function startStream(parts: Omit<StreamParts, 'place'>): RunningStream {
  const over = new AbortController();
  const running = run(parts, over.signal).catch((err: unknown) =>
    parts.log.error({ err }, 'the stream of backups has ended: restart the server once this is mended'),
  );
  return {
    end() {
      over.abort();
      return running;
    },
  };
}

async function run(parts: Omit<StreamParts, 'place'>, over: AbortSignal): Promise<void> {
  const folder = streamFolder(parts.config);
  ensurePrivateFolder(folder);
  const file = join(folder, 'lock');
  let held = await holdFile(file);
  while (held === null && !over.aborted) {
    await pause(LOOK_MS, over);
    held = await holdFile(file);
  }
  try {
    if (held !== null) await follow(parts, over);
  } finally {
    held?.release();
  }
}

async function follow(parts: Omit<StreamParts, 'place'>, over: AbortSignal): Promise<void> {
  const { log, config } = parts;
  const whole = { ...parts, place: await openBackupPlace(config) };
  const stream = new BackupStream(whole);
  const files = fileShipperOf(whole);
  let last = '';
  while (!over.aborted) {
    try {
      await stream.step();
      if (last !== '') log.info('the stream of backups goes on');
      last = '';
    } catch (err) {
      const { message } = err as Error;
      if (message !== last) log.error({ err }, 'the stream of backups cannot go on; it is tried again');
      last = message;
    }
    files?.poke();
    await pause(STEP_MS, over);
  }
  await Promise.all([stream.end(), files?.end()]);
}

/** It keeps no process alive, and ends early with the stream. */
const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { ref: false, signal }).catch(() => undefined);
