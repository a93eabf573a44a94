import { AppError } from '#kernel/errors.ts';
import { callServer } from '#kernel/http/admin-socket.ts';
import { type Restarted, restartServer } from '../handover.ts';
import { socketPath } from '../run-files.ts';
import type { ServerStatus } from '../server-report.ts';
import { type Installation, runProgram } from './program.ts';

const HEALTHY_WITHIN_SECONDS = 30;

/**
 * Lets the server of an installation go on as another executable, and sees that it is healthy.
 *
 * @param version that the executable has
 * @returns null when no server runs
 * @throws AppError HANDOVER_FAILED, or what the health check of the executable says
 */
export async function startWith(
  exe: string,
  version: string,
  installation: Installation,
): Promise<Restarted | null> {
  const { config } = installation;
  const path = socketPath(config);
  const before = await callServer<ServerStatus>(path, 'status');
  // After an interruption it may run already.
  const isThere = before?.version === version;
  const restarted =
    isThere || before === null
      ? before && { pid: before.pid, predecessor: before.pid, ms: 0, unit: null }
      : await restartServer(config, exe);
  if (restarted === null) return null;
  await runProgram(exe, installation, ['health', '--wait', String(HEALTHY_WITHIN_SECONDS)]);
  const now = await serverOf(path, restarted.pid);
  if (now?.version === version) return { ...restarted, pid: now.pid };
  throw new AppError(
    'HANDOVER_FAILED',
    409,
    now === null
      ? 'the new server has ended'
      : `the server still runs appctl ${now.version}: it is not started from ${exe}`,
    { details: { unit: restarted.unit } },
  );
}

/** The predecessor has the admin socket until it has ended. */
async function serverOf(path: string, pid: number): Promise<ServerStatus | null> {
  const { sleep, systemClock } = await import('#kernel/clock.ts');
  const until = systemClock.monotonicMs() + HEALTHY_WITHIN_SECONDS * 1000;
  for (;;) {
    const status = await callServer<ServerStatus>(path, 'status').catch(() => null);
    if (status?.pid === pid || systemClock.monotonicMs() > until) return status;
    await sleep(100);
  }
}
