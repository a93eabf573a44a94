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

const target: Target = {
  name: 'validate',
  label: 'validate',
  script: 'appctl.ts',
  load: 'validate',
  database: 'large',
  isReference: false,
};

/** Medians of each number of processes. */
export type WorkerFigures = Readonly<Record<(typeof COUNTS)[number], Figures>>;

export async function measureWorkers(
  kind: DatabaseKind,
  options: BenchOptions,
  say: (line: string) => void,
): Promise<WorkerFigures> {
  const { installations, remove } = await seedDatabases(kind, { ...options, fewLicenses: 100 });
  const slices: Record<number, Figures[]> = { 1: [], 2: [] };
  try {
    for (let round = 1; round <= options.rounds; round++)
      for (const count of COUNTS) {
        const figures = await measureOnce(installations.large, count, options);
        slices[count]?.push(figures);
        const { requestsPerSecond, cpuPercent, clientCpuPercent, p99Ms } = figures;
        const shares = `${cpuPercent.toFixed(0)} % of a core, the client ${clientCpuPercent.toFixed(0)} %`;
        say(
          `round ${round}: ${count} of ${COUNTS.length}: ${Math.round(requestsPerSecond)}/s, p99 ${p99Ms.toFixed(1)} ms, ${shares}`,
        );
      }
  } finally {
    await remove();
  }
  return { 1: medianOf(slices[1] ?? []), 2: medianOf(slices[2] ?? []) };
}

/** Only one server at a time may have a SQLite file. */
async function measureOnce(
  { dataDir, databaseUrl, ...rest }: Installation,
  workers: number,
  options: BenchOptions,
): Promise<Figures> {
  const serverDir = join(dataDir, 'workers');
  mkdirSync(serverDir, { mode: 0o700, recursive: true });
  const server = await startServer(target.script, { dataDir, databaseUrl, serverDir, workers });
  const installation = { dataDir, databaseUrl, ...rest };
  try {
    if (workers > 1) await sleep(START_MS);
    const { seconds, connections, wrk } = options;
    await runSlice(target, server, installation, {
      connections,
      wrk,
      seconds: Math.min(WARM_UP_SECONDS, seconds),
    });
    return await runSlice(target, server, installation, { seconds, connections, wrk });
  } finally {
    await server.stop();
  }
}

/** What was promised of two processes on two cores, on which the client works too. */
export function judgeWorkers(kind: DatabaseKind, { 1: one, 2: two }: WorkerFigures): Verdict[] {
  const ratio = two.requestsPerSecond / one.requestsPerSecond;
  return [
    {
      what: `${kind}: validate, two processes over one`,
      asked: `≥ ${LEAST.toFixed(2)} times`,
      measured: `${ratio.toFixed(2)} times (${Math.round(two.requestsPerSecond)}/s over ${Math.round(one.requestsPerSecond)}/s; client ${two.clientCpuPercent.toFixed(0)} and ${one.clientCpuPercent.toFixed(0)} % of a core)`,
      ok: ratio >= LEAST,
    },
  ];
}
