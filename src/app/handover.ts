import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { systemClock } from '#kernel/clock.ts';
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
    return { pid: next.pid, predecessor: before.pid, ms: since(), unit: null };
  } catch (error) {
    const unit = error instanceof AppError ? error.details.unit : undefined;
    if (typeof unit !== 'string') throw error;
    await restartUnit(unit, (error as AppError).details.isOfUser === true);
    const after = await callServer<ServerStatus>(path, 'status');
    if (after === null) throw unitFailed(unit, 'the server does not run');
    return { pid: after.pid, predecessor: before.pid, ms: since(), unit };
  }
}

/** Has systemd restart a unit. @throws AppError HANDOVER_FAILED */
export async function restartUnit(unit: string, isOfUser: boolean): Promise<void> {
  const words = [...(isOfUser ? ['--user'] : []), 'restart', unit];
  try {
    await promisify(execFile)('systemctl', words);
  } catch (error) {
    const { stderr = '', message } = error as { stderr?: string; message: string };
    const hint = `run systemctl ${words.join(' ')} as root`;
    throw unitFailed(unit, stderr.trim() || message, hint, isOfUser);
  }
}

const unitFailed = (
  unit: string,
  why: string,
  hint = `journalctl -u ${unit} -n 50`,
  isOfUser = false,
): AppError =>
  new AppError('HANDOVER_FAILED', 409, `systemd could not restart ${unit}: ${why}`, {
    details: { hint, unit, isOfUser },
  });
