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
    const servers = new Map<string, RunningChild>();
    try {
      for (const target of targets) {
        if (!servers.has(processOf(target)))
          servers.set(processOf(target), await start(target, installations));
      }
      Object.assign(results, await measureTurn(targets, servers, installations, options, say));
    } finally {
      await Promise.all([...servers.values()].map((server) => server.stop()));
    }
  }
  return results;
}

/** A SQLite database has one server of ours, so what asks the same server shares it. */
const processOf = ({ script, database }: Target): string => `${script.replace('.ts', '')}-${database}`;

function start(target: Target, installations: Installations): Promise<RunningChild> {
  const { dataDir, databaseUrl } = installations[target.database];
  const serverDir = join(dataDir, processOf(target));
  mkdirSync(serverDir, { mode: 0o700, recursive: true });
  return startServer(target.script, { dataDir, databaseUrl, serverDir });
}

async function measureTurn(
  targets: readonly Target[],
  servers: ReadonlyMap<string, RunningChild>,
  installations: Installations,
  options: BenchOptions,
  say: (line: string) => void,
): Promise<Results> {
  const slices = new Map<Target, Figures[]>(targets.map((target) => [target, []]));
  for (let round = 0; round <= options.rounds; round++) {
    const isWarmUp = round === 0;
    const seconds = isWarmUp ? Math.min(WARM_UP_SECONDS, options.seconds) : options.seconds;
    const name = isWarmUp ? 'warm-up' : `round ${round}`;
    for (const [target, own] of slices) {
      const server = servers.get(processOf(target)) as RunningChild;
      const figures = await slice(target, server, installations, { ...options, seconds }, (line) =>
        say(`${name}: ${target.name} ${line}`),
      );
      if (figures === null) slices.delete(target);
      else if (!isWarmUp) own.push(figures);
    }
  }
  return Object.fromEntries(
    [...slices].map(([{ name, label }, own]) => [
      name,
      { label, slices: own, median: medianOf(own) } satisfies Measured,
    ]),
  );
}

/** One slice of a target; null when a reference could not be measured, which must not end the run of the others. */
async function slice(
  target: Target,
  server: RunningChild,
  installations: Installations,
  { seconds, connections, wrk }: BenchOptions,
  say: (line: string) => void,
): Promise<Figures | null> {
  try {
    const options = { seconds, connections, wrk };
    const figures = await runSlice(target, server, installations[target.database], options);
    const wrong = figures.wrong === 0 ? '' : `, ${figures.wrong} wrong answers`;
    say(`${Math.round(figures.requestsPerSecond)}/s${wrong}`);
    return figures;
  } catch (error) {
    if (!target.isReference) throw error;
    say(`left out: ${(error as Error).message}`);
    return null;
  }
}
