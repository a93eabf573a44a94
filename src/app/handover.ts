import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { sleep, systemClock } from '#kernel/clock.ts';
import type { Config } from '#kernel/config/config.ts';
import { AppError } from '#kernel/errors.ts';
import { callServer } from '#kernel/http/admin-socket.ts';
import { socketPath } from './run-files.ts';
import type { ServerStatus } from './server-report.ts';

/** A server that has taken over. */
export interface Restarted {
  readonly pid: number;
  /** The one before it. */
  readonly predecessor: number;
  /** From the call until the new server answered. */
  readonly ms: number;
  /** Unit that systemd restarted; null where the server started its own successor. */
  readonly unit: string | null;
  /** The unit is one of a user's own systemd. */
  readonly isOfUser: boolean;
}

/** A successor may have to migrate a large database first. */
const LONGEST_START_MS = 900_000;

/**
 * Starts a successor of the server that runs on a data directory, on the same sockets. When the successor serves, the
 * server before it finishes its requests and ends; no connection is refused or reset. A server of systemd is restarted
 * by systemd: then it ends first, and its socket unit keeps new connections waiting.
 *
 * @param exe executable to start, such as one that was put in place of this one; the program of the server by default
 * @returns null when no server runs on the data directory
 * @throws AppError HANDOVER_FAILED with the words of a successor that does not come to serve; the server before it goes on,
 *   but not under systemd
 */
export async function restartServer(config: Config, exe?: string): Promise<Restarted | null> {
  const started = systemClock.monotonicMs();
  const path = socketPath(config);
  const before = await callServer<ServerStatus>(path, 'status');
  if (before === null) return null;
  const since = () => Math.round(systemClock.monotonicMs() - started);
  try {
    const input = exe === undefined ? {} : { exe };
    const next = await callServer<{ pid: number }>(path, 'restart', input, LONGEST_START_MS);
    if (next === null) throw new AppError('HANDOVER_FAILED', 409, 'the server ended in this moment');
    return { pid: next.pid, predecessor: before.pid, ms: since(), unit: null, isOfUser: false };
  } catch (error) {
    const unit = error instanceof AppError ? error.details.unit : undefined;
    if (typeof unit !== 'string') throw error;
    const isOfUser = (error as AppError).details.isOfUser === true;
    await restartUnit(unit, isOfUser);
    const after = await callServer<ServerStatus>(path, 'status').catch((cause: Error) => cause);
    if (after === null || after instanceof Error)
      throw unitFailed('restart', unit, isOfUser, after?.message ?? 'the server does not run');
    return { pid: after.pid, predecessor: before.pid, ms: since(), unit, isOfUser };
  }
}

/** A server that has ended its requests is gone within a second; one with a long download may take as long as that takes. */
const LONGEST_END_MS = 5000;

/**
 * Waits until the admin socket is that of a new server: until then `status` would find none.
 *
 * @param pid of the new server
 */
export async function untilAsked(config: Config, pid: number): Promise<void> {
  const until = systemClock.monotonicMs() + LONGEST_END_MS;
  while (systemClock.monotonicMs() < until) {
    const now = await callServer<ServerStatus>(socketPath(config), 'status').catch(() => null);
    if (now?.pid === pid) return;
    await sleep(50);
  }
}

/** Has systemd restart a unit. @throws AppError HANDOVER_FAILED */
export const restartUnit = (unit: string, isOfUser: boolean): Promise<void> =>
  systemctl('restart', unit, isOfUser);

/** As restartUnit, also for a unit that failed so often that systemd would start it no more. */
export async function restartFailedUnit(unit: string, isOfUser: boolean): Promise<void> {
  // One that did not fail has nothing to be reset.
  await systemctl('reset-failed', unit, isOfUser).catch(() => undefined);
  await restartUnit(unit, isOfUser);
}

/** Has systemd end a unit, and start it no more by itself. @throws AppError HANDOVER_FAILED */
export const stopUnit = (unit: string, isOfUser: boolean): Promise<void> => systemctl('stop', unit, isOfUser);

/** What a person types to have a unit restarted. */
export const restartCommand = (unit: string, isOfUser: boolean): string =>
  `${isOfUser ? 'systemctl --user' : 'sudo systemctl'} restart ${unit}`;

async function systemctl(
  verb: 'restart' | 'reset-failed' | 'stop',
  unit: string,
  isOfUser: boolean,
): Promise<void> {
  try {
    await promisify(execFile)('systemctl', [...(isOfUser ? ['--user'] : []), verb, unit]);
  } catch (error) {
    const { stderr = '', message } = error as { stderr?: string; message: string };
    throw unitFailed(verb, unit, isOfUser, stderr.trim() || message, restartCommand(unit, isOfUser));
  }
}

function unitFailed(
  verb: string,
  unit: string,
  isOfUser: boolean,
  why: string,
  hint = `journalctl ${isOfUser ? '--user ' : ''}-u ${unit} -n 50`,
): AppError {
  const message = `systemd could not ${verb} ${unit}: ${why}`;
  return new AppError('HANDOVER_FAILED', 409, message, { details: { hint, unit, isOfUser } });
}
