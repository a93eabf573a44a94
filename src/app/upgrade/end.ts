import { statSync } from 'node:fs';
import { sleep, systemClock } from '#kernel/clock.ts';
import type { Config } from '#kernel/config/config.ts';
import { callServer } from '#kernel/http/admin-socket.ts';
import { isAlive } from '#kernel/process-identity.ts';
import { stopUnit } from '../handover.ts';
import { socketPath } from '../run-files.ts';
import type { ServerStatus } from '../server-report.ts';
import { ORPHAN_MS } from '../workers/orders.ts';
import { conflict } from './place.ts';
import type { Installation } from './program.ts';
import type { Begun } from './start.ts';

/** After the configured grace of its requests: its jobs end, and its database is closed. */
const ENDED_AFTER_GRACE_SECONDS = 60;
const KILLED_WITHIN_SECONDS = 10;

/**
 * Ends the server that goes on as a version, so that the database does not change under it.
 *
 * @param begun what a start of it left; a unit is ended as a whole, because systemd might start it again
 * @throws AppError when it cannot be ended by this user
 */
export async function endServer(
  version: string,
  { config }: Installation,
  begun: Begun | null,
): Promise<void> {
  if (begun !== null && begun.unit !== null) return stopUnit(begun.unit, begun.isOfUser);
  const status = await callServer<ServerStatus>(socketPath(config), 'status').catch(() => null);
  const pids = new Set([begun?.pid ?? null, status?.version === version ? status.pid : null]);
  for (const pid of pids) if (pid !== null && isAlive(pid)) await endProcess(pid, config);
}

async function endProcess(pid: number, config: Config): Promise<void> {
  try {
    requireOfOwner(pid, config);
    process.kill(pid, 'SIGTERM');
    if (await endsWithin(pid, config.http.shutdownGraceSeconds + ENDED_AFTER_GRACE_SECONDS)) return;
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    // It has ended in between.
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return;
    throw conflict(`process ${pid} could not be ended (${(error as Error).message})`, `end it: kill ${pid}`);
  }
  await endsWithin(pid, KILLED_WITHIN_SECONDS);
  // Other processes of the server see its end, and end themselves.
  if (config.workers > 1) await sleep(ORPHAN_MS + 500);
}

/** Its number was told by whoever has the data directory, and must not have root end somebody else's process. */
function requireOfOwner(pid: number, { dataDir }: Config): void {
  const owner = statSync(`/proc/${pid}`, { throwIfNoEntry: false });
  if (owner && owner.uid !== statSync(dataDir).uid) throw new Error('it is not of the owner of the data');
}

async function endsWithin(pid: number, seconds: number): Promise<boolean> {
  const until = systemClock.monotonicMs() + seconds * 1000;
  while (isAlive(pid)) {
    if (systemClock.monotonicMs() > until) return false;
    await sleep(100);
  }
  return true;
}
