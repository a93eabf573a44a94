import { sleep, systemClock } from '#kernel/clock.ts';
import { AppError } from '#kernel/errors.ts';
import { callServer } from '#kernel/http/admin-socket.ts';
import { isAlive } from '#kernel/process-identity.ts';
import { type Restarted, restartServer } from '../handover.ts';
import { socketPath } from '../run-files.ts';
import type { ServerStatus } from '../server-report.ts';
import { type Installation, runProgram } from './program.ts';

const HEALTHY_WITHIN_SECONDS = 30;
/** The server before ends its requests within the configured grace, and its jobs after that. */
const ENDED_AFTER_GRACE_SECONDS = 60;

/**
 * Lets the server of an installation go on as another executable, and sees that it is healthy.
 *
 * @param version that the executable has
 * @returns null when no server runs
 * @throws AppError HANDOVER_FAILED, or what the health check of the executable says, with what was begun (`begunBy`);
 *   CONFLICT when the server before does not leave its place
 */
export async function startWith(
  exe: string,
  version: string,
  installation: Installation,
): Promise<Restarted | null> {
  const { config } = installation;
  const before = await callServer<ServerStatus>(socketPath(config), 'status');
  // After an interruption it may run already.
  const isThere = before?.version === version;
  const restarted =
    isThere || before === null
      ? before && { pid: before.pid, predecessor: before.pid, ms: 0, unit: null, isOfUser: false }
      : await restartServer(config, exe);
  if (restarted === null) return null;
  try {
    await runProgram(exe, installation, ['health', '--wait', String(HEALTHY_WITHIN_SECONDS)]);
    return { ...restarted, pid: await servingPid(exe, version, restarted, installation) };
  } catch (error) {
    throw afterStart(error as Error, restarted);
  }
}

/** What of a server was begun before a start failed. */
export interface Begun {
  /** The process that has taken over; null where none did. */
  readonly pid: number | null;
  readonly unit: string | null;
  readonly isOfUser: boolean;
}

/** What a failure of `startWith` leaves. */
export function begunBy(error: unknown): Begun {
  const details = error instanceof AppError ? error.details : {};
  const { restarted } = details as { restarted?: Begun };
  if (restarted !== undefined) return restarted;
  const { unit } = details;
  return { pid: null, unit: typeof unit === 'string' ? unit : null, isOfUser: details.isOfUser === true };
}

function afterStart(error: Error, { pid, unit, isOfUser }: Restarted): AppError {
  const restarted: Begun = { pid, unit, isOfUser };
  const { code, status, details } =
    error instanceof AppError ? error : { code: 'HANDOVER_FAILED', status: 409, details: {} };
  return new AppError(code, status, error.message, { details: { ...details, restarted } });
}

/** @returns the process of a version that has the admin socket */
async function servingPid(
  exe: string,
  version: string,
  restarted: Restarted,
  { config }: Installation,
): Promise<number> {
  const { pid, predecessor, unit } = restarted;
  const seconds = config.http.shutdownGraceSeconds + ENDED_AFTER_GRACE_SECONDS;
  const until = systemClock.monotonicMs() + seconds * 1000;
  for (;;) {
    const now = await callServer<ServerStatus>(socketPath(config), 'status').catch(() => null);
    if (now?.version === version) return now.pid;
    // One of systemd may have been started again as another process.
    const hasEnded = unit === null && !isAlive(pid);
    if (!hasEnded && systemClock.monotonicMs() < until) {
      await sleep(100);
      continue;
    }
    if (now === null || hasEnded) throw failed('HANDOVER_FAILED', 'the new server has ended');
    if (now.pid !== predecessor || unit !== null)
      throw failed(
        'HANDOVER_FAILED',
        `the server still runs appctl ${now.version}: it is not started from ${exe}`,
      );
    // The new one serves: it is kept.
    throw failed(
      'CONFLICT',
      `process ${pid} of appctl ${version} serves, but process ${now.pid} of appctl ${now.version} has not ended`,
      `wait until it has ended, or end it: kill ${now.pid}`,
    );
  }
}

const failed = (code: string, message: string, hint?: string): AppError =>
  new AppError(code, 409, message, { details: { ...(hint !== undefined && { hint }) } });
