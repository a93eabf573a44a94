// Rounds in which the process that runs a job is taken away in the middle of it, and what became of the job's effects.
import { setTimeout as sleep } from 'node:timers/promises';
import type { RunningServer } from './processes.ts';
import type { Reader } from './reader.ts';

/** A job with many effects. Each is told by one event that names the machine. */
export interface Work {
  job: string;
  event: string;
  /** Makes machines that the job must handle; their names begin with `prefix`. @returns how many */
  seed(prefix: string): Promise<number>;
}

/** Processes of which one runs the jobs. */
export interface Nodes {
  reader: Reader;
  start(): Promise<RunningServer>;
}

/** What happens to the process that runs the job. */
export interface Blow {
  kind: 'kill' | 'stop';
  /** How long it is stopped; 0 for a kill. */
  seconds: number;
}

/** How a round went. */
export interface Round {
  what: string;
  /** From the blow until another process had the job. */
  takeoverMs: number;
  effects: number;
  /** Machines that were told of more than once. */
  doubled: string[];
  /** Machines that were never told of. */
  missed: number;
}

const POLL_MS = 2;
/** The program begins a due job within a second. */
const BEGIN_TIMEOUT_MS = 15_000;
/** Far longer than promised, so that the figure is one. */
const TAKEOVER_TIMEOUT_MS = 10_000;
const FINISH_TIMEOUT_MS = 60_000;
/** A process that goes on has done by then what it still meant to do. */
const SETTLE_MS = 3000;

interface Lease {
  pid: number;
  fence: number;
}

/**
 * Lets the processes run a job, and takes the one that runs it away.
 *
 * @returns null when it had just ended its run, so that nothing was shown
 */
export async function playRound(
  nodes: Nodes,
  servers: RunningServer[],
  work: Work,
  blow: Blow,
  number: number,
): Promise<Round | null> {
  const { reader } = nodes;
  const prefix = `round-${number}-`;
  const what = `${work.job} ${blow.kind} ${number}`;
  const count = await work.seed(prefix);
  await makeDue(reader, work);
  const leader = await until(BEGIN_TIMEOUT_MS, async () => {
    const lease = await leaseOf(reader, work);
    return lease && (await effectsOf(reader, work, prefix)).size > 0 ? lease : null;
  });
  if (!leader) throw new Error(`${what}: nobody was seen at work`);
  const from = performance.now();
  process.kill(leader.pid, blow.kind === 'kill' ? 'SIGKILL' : 'SIGSTOP');
  const isAtWork = (await leaseOf(reader, work)) !== null;
  const hasSuccessor = isAtWork && (await untilTaken(reader, work, leader));
  const takeoverMs = Math.round(performance.now() - from);
  await recover(nodes, servers, leader.pid, isAtWork ? blow : { ...blow, seconds: 0 }, from);
  if (!isAtWork) return null;
  if (hasSuccessor) await finish(reader, work, prefix, count);
  const effects = await effectsOf(reader, work, prefix);
  const doubled = [...effects].filter(([, n]) => n > 1).map(([machine, n]) => `${n} x ${machine}`);
  return { what, takeoverMs, effects: effects.size, doubled, missed: count - effects.size };
}

/** Whether another process took the job over, as soon as it did. */
const untilTaken = async (reader: Reader, work: Work, leader: Lease): Promise<boolean> => {
  const taken = await until(TAKEOVER_TIMEOUT_MS, async () => {
    const lease = await leaseOf(reader, work);
    return lease && lease.fence > leader.fence ? lease : null;
  });
  return taken !== null;
};

/** The next round has two processes again: a new one, or the stopped one, which goes on where it was. */
async function recover(
  nodes: Nodes,
  servers: RunningServer[],
  pid: number,
  blow: Blow,
  from: number,
): Promise<void> {
  if (blow.kind === 'kill') {
    const gone = servers.findIndex((server) => server.pid === pid);
    servers[gone] = await nodes.start();
    return;
  }
  await sleep(Math.max(0, blow.seconds * 1000 - (performance.now() - from)));
  process.kill(pid, 'SIGCONT');
  await sleep(SETTLE_MS);
}

/** A run that met a row which the stopped process held locked has failed, and the next one ends the work. */
async function finish(reader: Reader, work: Work, prefix: string, count: number): Promise<void> {
  await until(FINISH_TIMEOUT_MS, async () => {
    if ((await effectsOf(reader, work, prefix)).size >= count) return true;
    await makeDue(reader, work);
    await sleep(1000);
    return null;
  });
  await sleep(SETTLE_MS);
}

async function until<T>(timeoutMs: number, look: () => Promise<T | null>): Promise<T | null> {
  const end = performance.now() + timeoutMs;
  while (performance.now() < end) {
    const found = await look();
    if (found !== null) return found;
    await sleep(POLL_MS);
  }
  return null;
}

/** Whoever holds it goes on; nobody waits for the job's next turn. */
const makeDue = (reader: Reader, { job }: Work): Promise<number> =>
  reader.run('UPDATE scheduled_jobs SET next_due = ? WHERE name = ?', new Date().toISOString(), job);

async function leaseOf(reader: Reader, { job }: Work): Promise<Lease | null> {
  const [row] = await reader.all<{ lock_owner: string | null; fence: number }>(
    'SELECT lock_owner, fence FROM scheduled_jobs WHERE name = ?',
    job,
  );
  return row?.lock_owner ? { pid: Number(row.lock_owner.split(':').at(-1)), fence: row.fence } : null;
}

/** How often each machine of a round was told of. */
async function effectsOf(reader: Reader, { event }: Work, prefix: string): Promise<Map<string, number>> {
  const rows = await reader.all<{ machine: string; n: number }>(
    `SELECT e.machine, count(*) AS n
     FROM (SELECT data #>> '{details,machineId}' AS machine FROM events WHERE type = ?) e
     WHERE e.machine LIKE ? GROUP BY e.machine`,
    event,
    `${prefix}%`,
  );
  return new Map(rows.map(({ machine, n }) => [machine, n]));
}
