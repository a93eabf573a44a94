// One server of one process and of two, by turns: how much more of validate the second process brings.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startServer } from './child.ts';
import { seedDatabases } from './databases.ts';
import { medianOf } from './medians.ts';
import type { BenchOptions, DatabaseKind } from './options.ts';
import type { Verdict } from './ratios.ts';
import type { Installation } from './seed.ts';
import { type Figures, runSlice } from './slice.ts';
import type { Target } from './targets.ts';

const LEAST = 1.5;
const COUNTS = [1, 2] as const;
const WARM_UP_SECONDS = 3;
/** Until the second process has started. */
const START_MS = 5000;

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

/** Medians of each number of processes. */
export type WorkerFigures = Readonly<Record<Load, Readonly<Record<(typeof COUNTS)[number], Figures>>>>;

export async function measureWorkers(
  kind: DatabaseKind,
  options: BenchOptions,
  say: (line: string) => void,
): Promise<WorkerFigures> {
  const { installations, remove } = await seedDatabases(kind, { ...options, fewLicenses: 100 });
  const slices: Record<Load, Record<number, Figures[]>> = {
    validate: { 1: [], 2: [] },
    activate: { 1: [], 2: [] },
  };
  try {
    for (let round = 1; round <= options.rounds; round++)
      for (const count of COUNTS) {
        const measured = await measureOnce(installations.large, count, options);
        for (const load of LOADS) {
          const { requestsPerSecond, cpuPercent, clientCpuPercent, p99Ms } = measured[load];
          slices[load][count]?.push(measured[load]);
          const shares = `${cpuPercent.toFixed(0)} % of a core, the client ${clientCpuPercent.toFixed(0)} %`;
          const rate = `${Math.round(requestsPerSecond)}/s, p99 ${p99Ms.toFixed(1)} ms`;
          say(`round ${round}: ${load}, processes: ${count}: ${rate}, ${shares}`);
        }
      }
  } finally {
    await remove();
  }
  const both = (load: Load) => ({
    1: medianOf(slices[load][1] ?? []),
    2: medianOf(slices[load][2] ?? []),
  });
  return { validate: both('validate'), activate: both('activate') };
}

/** Only one server at a time may have a SQLite file. */
async function measureOnce(
  { dataDir, databaseUrl, ...rest }: Installation,
  workers: number,
  options: BenchOptions,
): Promise<Record<Load, Figures>> {
  const serverDir = join(dataDir, 'workers');
  mkdirSync(serverDir, { mode: 0o700, recursive: true });
  const server = await startServer(targetOf('validate').script, { dataDir, databaseUrl, serverDir, workers });
  const installation = { dataDir, databaseUrl, ...rest };
  try {
    if (workers > 1) await sleep(START_MS);
    const { seconds, connections, wrk } = options;
    const slice = async (load: Load): Promise<Figures> => {
      const warmUp = { connections, wrk, seconds: Math.min(WARM_UP_SECONDS, seconds) };
      await runSlice(targetOf(load), server, installation, warmUp);
      return runSlice(targetOf(load), server, installation, { seconds, connections, wrk });
    };
    return { validate: await slice('validate'), activate: await slice('activate') };
  } finally {
    await server.stop();
  }
}

/** What was promised of two processes on two cores, on which the client works too. */
export const judgeWorkers = (kind: DatabaseKind, figures: WorkerFigures): Verdict[] =>
  LOADS.map((load) => {
    const { 1: one, 2: two } = figures[load];
    const ratio = two.requestsPerSecond / one.requestsPerSecond;
    const rates = `${Math.round(two.requestsPerSecond)}/s over ${Math.round(one.requestsPerSecond)}/s`;
    const client = `client ${two.clientCpuPercent.toFixed(0)} and ${one.clientCpuPercent.toFixed(0)} % of a core`;
    return {
      what: `${kind}: ${load}, two processes over one`,
      asked: load === 'validate' ? `≥ ${LEAST.toFixed(2)} times` : '–',
      measured: `${ratio.toFixed(2)} times (${rates}; ${client})`,
      ok: load === 'validate' ? ratio >= LEAST : null,
    };
  });
