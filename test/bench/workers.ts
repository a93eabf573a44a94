// Servers of one process and of two, by turns: how much more of validate the second process brings, and how much two
// servers that share nothing bring on the same machine, which is all that it could.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RunningChild, startServer } from './child.ts';
import { seedDatabases } from './databases.ts';
import { median } from './medians.ts';
import type { BenchOptions, DatabaseKind } from './options.ts';
import type { Verdict } from './ratios.ts';
import type { Installation } from './seed.ts';
import { type Figures, runSlice } from './slice.ts';
import type { Target } from './targets.ts';

const LEAST = 1.5;
const WARM_UP_SECONDS = 6;
/** Until the second process has started. */
const START_MS = 5000;
const LICENSES = 20_000;
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

/** One of one process, one of two, and a second one of one process, with a database each. */
interface Subjects {
  readonly one: Subject;
  readonly two: Subject;
  readonly other: Subject;
}

/** Rates of one turn, per second. */
interface Turn {
  readonly one: number;
  readonly two: number;
  /** Of two servers together. */
  readonly apart: number;
  /** CPU of both processes and of the client, in per cent of one core. */
  readonly cpu: number;
  readonly client: number;
}

/** Turns of each load. */
export type WorkerFigures = Readonly<Record<Load, readonly Turn[]>>;

export async function measureWorkers(
  kind: DatabaseKind,
  options: BenchOptions,
  say: (line: string) => void,
): Promise<WorkerFigures> {
  const licenses = Math.min(options.licenses, LICENSES);
  const first = await seedDatabases(kind, { ...options, licenses, fewLicenses: licenses });
  const second = await seedDatabases(kind, { ...options, licenses, fewLicenses: 100 }).catch(
    async (error: unknown) => {
      await first.remove();
      throw error;
    },
  );
  const running: Subject[] = [];
  const begin = async (installation: Installation, workers: number): Promise<Subject> => {
    const subject = { server: await startOn(installation, workers), installation };
    running.push(subject);
    return subject;
  };
  try {
    const one = await begin(first.installations.large, 1);
    const two = await begin(second.installations.large, 2);
    const other = await begin(first.installations.few, 1);
    await sleep(START_MS);
    const validate = await measureLoad('validate', { one, two, other }, options, say);
    return { validate, activate: await measureLoad('activate', { one, two, other }, options, say) };
  } finally {
    for (const { server } of running) await server.stop();
    await first.remove();
    await second.remove();
  }
}

function startOn({ dataDir, databaseUrl }: Installation, workers: number): Promise<RunningChild> {
  const serverDir = join(dataDir, 'workers');
  mkdirSync(serverDir, { mode: 0o700, recursive: true });
  return startServer(targetOf('validate').script, { dataDir, databaseUrl, serverDir, workers });
}

async function measureLoad(
  load: Load,
  { one, two, other }: Subjects,
  { rounds, seconds, connections, wrk }: BenchOptions,
  say: (line: string) => void,
): Promise<Turn[]> {
  const run = ({ server, installation }: Subject, long: number, wide = connections): Promise<Figures> =>
    runSlice(targetOf(load), server, installation, { seconds: long, connections: wide, wrk });
  for (const subject of [one, two, other]) await run(subject, Math.min(WARM_UP_SECONDS, seconds));
  const turns: Turn[] = [];
  const short = Math.max(1, Math.round(seconds / 2));
  for (let i = 1; i <= rounds * TURNS; i++) {
    const [before, both] = [await run(one, short), await run(two, short)];
    const half = Math.ceil(connections / 2);
    const apart = await Promise.all([one, other].map((subject) => run(subject, short, half)));
    const after = await run(one, short);
    const turn = {
      one: (before.requestsPerSecond + after.requestsPerSecond) / 2,
      two: both.requestsPerSecond,
      apart: apart.reduce((sum, { requestsPerSecond }) => sum + requestsPerSecond, 0),
      cpu: both.cpuPercent,
      client: both.clientCpuPercent,
    };
    const rates = [turn.one, turn.two, turn.apart].map((rate) => `${Math.round(rate)}/s`);
    say(`turn ${i}: ${load}, one process, two, two servers: ${rates.join(', ')}`);
    turns.push(turn);
  }
  return turns;
}

/** What was promised of two processes on two cores, on which the client works too. */
export const judgeWorkers = (kind: DatabaseKind, figures: WorkerFigures): Verdict[] =>
  LOADS.map((load) => {
    const of = (figure: (turn: Turn) => number): number => median(figures[load].map(figure));
    const ratio = of(({ one, two }) => two / one);
    const apart = of(({ one, apart }) => apart / one).toFixed(2);
    const cpu = `${of((turn) => turn.cpu).toFixed(0)} % of a core, the client ${of((turn) => turn.client).toFixed(0)} %`;
    return {
      what: `${kind}: ${load}, two processes over one`,
      asked: load === 'validate' ? `≥ ${LEAST.toFixed(2)} times` : '–',
      measured: `${ratio.toFixed(2)} times (two servers apart ${apart}; ${cpu})`,
      ok: load === 'validate' ? ratio >= LEAST : null,
    };
  });
