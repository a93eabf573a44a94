// Servers of one process and of two, by turns: how much more of validate two processes answer on two cores than one
// process on one core. The client runs beside them, on the cores that are measured: its share is told.
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RunningChild, startServer } from './child.ts';
import { seedDatabases } from './databases.ts';
import { median } from './medians.ts';
import type { BenchOptions, DatabaseKind } from './options.ts';
import { pidsOfAll } from './process-figures.ts';
import type { Verdict } from './ratios.ts';
import type { Installation } from './seed.ts';
import { type Figures, runSlice } from './slice.ts';
import type { Target } from './targets.ts';

const LEAST = 1.5;
const WARM_UP_SECONDS = 6;
/**
 * Before each slice: a server that waited for its turn has given memory and compiled code back, and two of them wait
 * longer than one, which has two slices in each turn.
 */
const TURN_WARM_UP_SECONDS = 1;
/** Cores. */
export const [ONE, BOTH] = ['0', '0,1'];
/** Until the second process has started. */
const START_MS = 5000;
const LICENSES = 20_000;
/** Each of two processes is to have as many connections as one has elsewhere. */
const PROCESSES = 2;
/** Neighbors of a virtual machine change its speed from second to second: short slices by turns, and many of them. */
const TURNS = 4;

/** Of reads something was promised; writes to a SQLite file take turns. */
const LOADS = ['validate', 'activate'] as const;
type Load = (typeof LOADS)[number];

const targetOf = (load: Load): Target => ({
  name: load,
  label: load,
  script: 'appctl.ts',
  load,
  database: 'large',
  isReference: false,
});

interface Subject {
  readonly server: RunningChild;
  readonly installation: Installation;
}

/** What one turn measured. */
interface Turn {
  /** One process and its client on one core. */
  readonly one: Figures;
  /** Two processes and their client on two. */
  readonly two: Figures;
  /** One process that may use two cores: its client and its collector of garbage take the second. */
  readonly spread: Figures;
}

/** Turns of each load. */
export type WorkerFigures = readonly { readonly load: Load; readonly turns: readonly Turn[] }[];

/** What is measured, and how long. */
interface Measured extends Pick<BenchOptions, 'licenses' | 'rounds' | 'seconds' | 'connections' | 'wrk'> {
  readonly loads?: readonly Load[];
  /** The executable; the sources when left out. */
  readonly exe?: string | undefined;
  /** Cores of the two processes and their client; both when left out. One shows that this notices. */
  readonly cores?: string | undefined;
}

export async function measureWorkers(
  kind: DatabaseKind,
  { loads = LOADS, exe, cores = BOTH, ...options }: Measured,
  say: (line: string) => void,
): Promise<WorkerFigures> {
  const licenses = Math.min(options.licenses, LICENSES);
  const databases = await seedDatabases(kind, { ...options, licenses, fewLicenses: licenses });
  const running: Subject[] = [];
  const begin = async (installation: Installation, workers: number): Promise<Subject> => {
    const subject = { server: await startOn(installation, workers, exe), installation };
    running.push(subject);
    return subject;
  };
  try {
    const one = await begin(databases.installations.few, 1);
    const two = await begin(databases.installations.large, PROCESSES);
    await sleep(START_MS);
    const figures: { load: Load; turns: Turn[] }[] = [];
    for (const load of loads)
      figures.push({ load, turns: await measureLoad(load, { one, two, cores }, options, say) });
    return figures;
  } finally {
    keepTo(BOTH, process.pid);
    for (const { server } of running) await server.stop();
    await databases.remove();
  }
}

function startOn(
  { dataDir, databaseUrl }: Installation,
  workers: number,
  exe: string | undefined,
): Promise<RunningChild> {
  const serverDir = join(dataDir, 'workers');
  mkdirSync(serverDir, { mode: 0o700, recursive: true });
  return startServer(targetOf('validate').script, { dataDir, databaseUrl, serverDir, workers, exe });
}

/** Keeps a process with all its threads, and what it starts from now on, to these cores. */
const keepTo = (cores: string, pid: number): void =>
  void execFileSync('taskset', ['-a', '-c', '-p', cores, String(pid)]);

async function measureLoad(
  load: Load,
  { one, two, cores }: { one: Subject; two: Subject; cores: string },
  { rounds, seconds, connections, wrk }: Measured,
  say: (line: string) => void,
): Promise<Turn[]> {
  const slice = ({ server, installation }: Subject, long: number): Promise<Figures> =>
    runSlice(targetOf(load), server, installation, {
      seconds: long,
      connections: connections * PROCESSES,
      wrk,
    });
  const run = async (subject: Subject, cores: string, long: number): Promise<Figures> => {
    // The client is started by this process; a database server is this process's child, too.
    for (const pid of [...pidsOfAll(process.pid), ...pidsOfAll(subject.server.pid)]) keepTo(cores, pid);
    await slice(subject, TURN_WARM_UP_SECONDS);
    return slice(subject, long);
  };
  for (const subject of [one, two]) await slice(subject, Math.min(WARM_UP_SECONDS, seconds));
  const turns: Turn[] = [];
  const short = Math.max(1, Math.round(seconds / 2));
  for (let i = 1; i <= rounds * TURNS; i++) {
    const turn = {
      one: await run(one, ONE, short),
      two: await run(two, cores, short),
      spread: await run(one, BOTH, short),
    };
    const rates = [turn.one, turn.two, turn.spread].map((one) => `${Math.round(one.requestsPerSecond)}/s`);
    say(`turn ${i}: ${load}, one process on one core, two on two, one on two: ${rates.join(', ')}`);
    turns.push(turn);
  }
  return turns;
}

/** What was promised of two processes on two cores, on which the client works too. */
export const judgeWorkers = (kind: DatabaseKind, figures: WorkerFigures): Verdict[] =>
  figures.map(({ load, turns }) => {
    const of = (figure: (turn: Turn) => number): number => median(turns.map(figure));
    const ratio = of(({ one, two }) => two.requestsPerSecond / one.requestsPerSecond);
    const spread = of((turn) => turn.two.requestsPerSecond / turn.spread.requestsPerSecond);
    const shares = (['one', 'two'] as const).map((which) => {
      const share = (figure: 'cpuPercent' | 'clientCpuPercent') =>
        of((turn) => turn[which][figure]).toFixed(0);
      return `${which}: ${share('cpuPercent')} % of a core, its client ${share('clientCpuPercent')} %`;
    });
    return {
      what: `${kind}: ${load}, two processes on two cores over one on one`,
      asked: load === 'validate' ? `≥ ${LEAST.toFixed(2)} times` : '–',
      measured: `${ratio.toFixed(2)} times (${shares.join('; ')}; over one process on two cores ${spread.toFixed(2)})`,
      ok: load === 'validate' ? ratio >= LEAST : null,
    };
  });
