// The heartbeat cull inside a server that is under load: how long it takes, and how long validate has to wait.
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { output, type RunningChild, startServer } from './child.ts';
import { seedDatabases } from './databases.ts';
import type { BenchOptions, DatabaseKind } from './options.ts';
import type { Verdict } from './ratios.ts';
import type { Fixtures, Installation } from './seed.ts';
import { runSlice } from './slice.ts';
import { openSql, type Sql } from './sql.ts';
import type { Target } from './targets.ts';

/** What one cull under load did. */
export interface CullFigures {
  activations: number;
  stale: number;
  culled: number;
  seconds: number;
  /** p99 of validate in the worst slice while the cull ran, and before it. */
  worstP99Ms: number;
  idleP99Ms: number;
}

const STALE = 10_000;
const SLICE_SECONDS = 1;
const WARM_UP_SLICES = 4;
const MOST_SLICES = 60;
const POLL_MS = 100;
const START_TIMEOUT_MS = 30_000;
const MAX_SECONDS = 10;
const MAX_P99_MS = 50;

const target: Target = {
  name: 'validate',
  label: 'validate',
  script: 'appctl.ts',
  load: 'validate',
  database: 'large',
  isReference: false,
};

/** Seeds a database, makes 10,000 of its machines stale, and culls them while 32 connections validate. */
export async function measureCull(
  kind: DatabaseKind,
  options: BenchOptions,
  say: (line: string) => void,
): Promise<CullFigures> {
  const { installations, remove } = await seedDatabases(kind, { ...options, fewLicenses: 100 });
  const installation = installations.large;
  const sql = await openSql(installation.databaseUrl);
  try {
    const stale = await makeStale(sql, installation);
    const serverDir = join(installation.dataDir, 'cull');
    mkdirSync(serverDir, { mode: 0o700 });
    const { dataDir, databaseUrl } = installation;
    const server = await startServer(target.script, { dataDir, databaseUrl, serverDir });
    try {
      // A server that has just started compiles its code under the first requests.
      for (let n = 0; n < WARM_UP_SLICES; n++) await slice(server, installation, options);
      const before = await slice(server, installation, options);
      const { seconds, p99s } = await cullUnderLoad(sql, server, installation, serverDir, options);
      const culled = await sql.number(
        "SELECT count(*) AS n FROM license_activations WHERE end_reason = 'HEARTBEAT'",
      );
      say(
        `${kind}: culled ${culled} of ${installation.activations} in ${seconds.toFixed(1)} s; p99 by second: ${p99s.map((ms) => ms.toFixed(0)).join(' ')}`,
      );
      return {
        activations: installation.activations,
        stale,
        culled,
        seconds,
        worstP99Ms: Math.max(...p99s),
        idleP99Ms: before,
      };
    } finally {
      await server.stop();
    }
  } finally {
    await sql.close();
    await remove();
  }
}

/**
 * All machines were seen just now, except for some from all over the table, which missed their heartbeat. Those that the
 * load validates are none of them: they would be refused once they are culled.
 */
async function makeStale(sql: Sql, { activations, fixtures }: Installation): Promise<number> {
  const now = Date.now();
  const [fresh, old] = [new Date(now + 60_000), new Date(now - 7_200_000)].map((at) => at.toISOString());
  const { held } = JSON.parse(readFileSync(fixtures, 'utf8')) as Fixtures;
  const wanted = Math.min(STALE, Math.floor(activations / 10));
  const every = Math.max(1, Math.floor((activations - held.length) / wanted));
  await sql.run('UPDATE license_activations SET last_seen_at = ?', [fresh as string]);
  await sql.run(
    `UPDATE license_activations SET last_seen_at = ? WHERE id IN (
       SELECT id FROM (SELECT id, row_number() OVER (ORDER BY id) AS r FROM license_activations
                        WHERE machine_id NOT IN (${held.map(() => '?').join(', ')})) numbered
        WHERE r % ${every} = 0 LIMIT ${wanted})`,
    [old as string, ...held.map(([, machineId]) => machineId)],
  );
  // Otherwise the server would tidy up after this preparation while it is measured.
  await sql.settle();
  return sql.number('SELECT count(*) AS n FROM license_activations WHERE last_seen_at = ?', [old as string]);
}

async function cullUnderLoad(
  sql: Sql,
  server: RunningChild,
  installation: Installation,
  serverDir: string,
  options: BenchOptions,
): Promise<{ seconds: number; p99s: number[] }> {
  const p99s: number[] = [];
  let slicing = true;
  const load = (async () => {
    for (let n = 0; n < MOST_SLICES && slicing; n++) p99s.push(await slice(server, installation, options));
  })();
  await startCull(installation, serverDir);
  const finished = () =>
    sql.number(
      "SELECT count(*) AS n FROM scheduled_jobs WHERE name = 'heartbeat-cull' AND last_run_at IS NOT NULL",
    );
  for (let n = 0; n < MOST_SLICES * 10 && (await finished()) === 0; n++) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  slicing = false;
  await load;
  const ms = await sql.number("SELECT last_ms AS n FROM scheduled_jobs WHERE name = 'heartbeat-cull'");
  return { seconds: ms / 1000, p99s };
}

/** The server runs it, as its own ticker would: it shares the thread that answers validate. */
async function startCull({ dataDir, databaseUrl }: Installation, serverDir: string): Promise<void> {
  const bin = join(import.meta.dirname, '../../bin/appctl.js');
  await output(process.execPath, [bin, 'jobs', 'run', 'heartbeat-cull'], START_TIMEOUT_MS, {
    APPCTL_DATA_DIR: serverDir,
    APPCTL_DATABASE_URL: databaseUrl,
    APPCTL_MASTER_KEY_FILE: join(dataDir, 'master.key'),
  });
}

async function slice(
  server: RunningChild,
  installation: Installation,
  { connections, wrk }: BenchOptions,
): Promise<number> {
  return (await runSlice(target, server, installation, { seconds: SLICE_SECONDS, connections, wrk })).p99Ms;
}

/** What was promised of the cull. */
export const judgeCull = (kind: DatabaseKind, figures: CullFigures): Verdict[] => [
  {
    what: `${kind}: cull of ${figures.stale.toLocaleString('en')} among ${figures.activations.toLocaleString('en')} activations`,
    asked: `≤ ${MAX_SECONDS} s`,
    measured: `${figures.seconds.toFixed(1)} s`,
    ok: figures.seconds <= MAX_SECONDS && figures.culled === figures.stale,
  },
  {
    what: `${kind}: p99 of validate meanwhile (before: ${figures.idleP99Ms.toFixed(1)} ms)`,
    asked: `≤ ${MAX_P99_MS} ms`,
    measured: `${figures.worstP99Ms.toFixed(1)} ms`,
    ok: figures.worstP99Ms <= MAX_P99_MS,
  },
];
