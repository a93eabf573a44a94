// Lets the targets of one database take turns, round after round.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type RunningChild, startServer } from './child.ts';
import { medianOf } from './medians.ts';
import type { BenchOptions } from './options.ts';
import type { Installation } from './seed.ts';
import { type Figures, runSlice } from './slice.ts';
import { type Target, type TargetName, turns } from './targets.ts';

/** All slices of a target and their median. */
export interface Measured {
  label: string;
  slices: Figures[];
  median: Figures;
}

export type Results = Partial<Record<TargetName, Measured>>;

/** The two databases of one kind. */
export type Installations = Readonly<Record<Target['database'], Installation>>;

const WARM_UP_SECONDS = 3;

/** Measures every target that was asked for; the servers of one turn run beside each other, loaded one at a time. */
export async function measureTargets(
  installations: Installations,
  options: BenchOptions,
  say: (line: string) => void,
): Promise<Results> {
  const results: Results = {};
  for (const turn of turns) {
    const targets = turn.filter(({ name }) => options.only.has(name));
    const servers: RunningChild[] = [];
    try {
      for (const target of targets) servers.push(await start(target, installations));
      Object.assign(results, await measureTurn(targets, servers, installations, options, say));
    } finally {
      await Promise.all(servers.map((server) => server.stop()));
    }
  }
  return results;
}

function start({ name, script, database }: Target, installations: Installations): Promise<RunningChild> {
  const { dataDir, databaseUrl } = installations[database];
  const serverDir = join(dataDir, name);
  mkdirSync(serverDir, { mode: 0o700 });
  return startServer(script, { dataDir, databaseUrl, serverDir });
}

async function measureTurn(
  targets: readonly Target[],
  servers: readonly RunningChild[],
  installations: Installations,
  options: BenchOptions,
  say: (line: string) => void,
): Promise<Results> {
  const slices = targets.map((): Figures[] => []);
  for (let round = 0; round <= options.rounds; round++) {
    const isWarmUp = round === 0;
    const seconds = isWarmUp ? Math.min(WARM_UP_SECONDS, options.seconds) : options.seconds;
    for (const [i, target] of targets.entries()) {
      const { connections, wrk } = options;
      const installation = installations[target.database];
      const figures = await runSlice(target, servers[i] as RunningChild, installation, {
        seconds,
        connections,
        wrk,
      });
      const name = isWarmUp ? 'warm-up' : `round ${round}`;
      say(`${name}: ${target.name} ${Math.round(figures.requestsPerSecond)}/s`);
      if (!isWarmUp) slices[i]?.push(figures);
    }
  }
  return Object.fromEntries(
    targets.map(({ name, label }, i) => {
      const own = slices[i] as Figures[];
      return [name, { label, slices: own, median: medianOf(own) } satisfies Measured];
    }),
  );
}
