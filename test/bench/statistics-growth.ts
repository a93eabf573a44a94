// What a month of hourly validations leaves on disk, and how long a flush holds requests up: the program's own counters,
// flush and retention on a real database, under a clock that is moved on.

import { createContext } from '#kernel/bound-context.ts';
import { loadConfig } from '#kernel/config/load.ts';
import type { Ctx } from '#kernel/context.ts';
import type { Database, Db } from '#kernel/db/database.ts';
import { NO_HOOKS } from '#kernel/hooks/hooks.ts';
import { createLog } from '#kernel/log.ts';
import { ProcessMemory } from '#kernel/process-memory.ts';
import { flushDue, flushStatistics, observe } from '#licensing/insight/statistics/index.ts';
import { auditor } from '#platform/audit/local.ts';
import { openInstance } from '../../src/app/instance.ts';
import { runJob } from '../support/jobs.ts';
import { seedDatabases } from './databases.ts';
import { type BenchOptions, type DatabaseKind, readOptions } from './options.ts';
import type { Verdict } from './ratios.ts';

const TABLES = ['license_stats', 'license_observations', 'license_denials'];
const SECONDS_PER_HOUR = 3600;
/** The job stats-flush. */
const FLUSH_SECONDS = 10;
const FLUSHES_PER_HOUR = SECONDS_PER_HOUR / FLUSH_SECONDS;
/** Postgres sweeps by itself once a fifth of a table is dead, by a clock that is not ours: a simulated day takes seconds. */
const VACUUM_HOURS = 1;
const PROMISED = { machines: 100_000, days: 30, megabytes: 1000 };
const MOST_MACHINES = 10_000;
/** What a request waits at most because of a flush. */
const LONGEST_HOLD_MS = 10;

export interface Sample {
  machines: number;
  days: number;
}

export interface Growth {
  /** Of the three tables with their indexes. */
  bytesOnDisk: number;
  bytes: Record<string, number>;
  /** Rows by table. */
  rows: Record<string, number>;
  /** Longest time in which a flush left no other work its turn in the process. */
  longestHoldMs: number;
  /** How many such times were longer than 10 ms, of how many. */
  longHolds: number;
  holds: number;
  /** Longest transaction of a flush: on Postgres activations of 25 licenses wait for it. */
  longestTransactionMs: number;
}

/**
 * Lets machines validate hourly.
 *
 * @param kind on which database
 * @param machines each with a license of its own; rows and bytes grow in step with them, so that a sample is enough
 * @param days of the simulated clock
 */
export async function growStatistics(kind: DatabaseKind, { machines, days }: Sample): Promise<Growth> {
  const options = { ...(readOptions([]) as BenchOptions), licenses: machines, fewLicenses: 10 };
  const seeded = await seedDatabases(kind, options);
  const { dataDir, databaseUrl } = seeded.installations.large;
  const env = { HOME: dataDir, APPCTL_DATA_DIR: dataDir, APPCTL_DATABASE_URL: databaseUrl };
  const { config } = await loadConfig({ env, cwd: dataDir });
  const log = createLog({ level: 'error', destination: 2 });
  const instance = await openInstance({ config, log, mode: 'prepare' });
  try {
    return await simulate(instance.ctx, instance.database, days);
  } finally {
    await instance.close();
    await seeded.remove();
  }
}

async function simulate(base: Ctx, database: Database, days: number): Promise<Growth> {
  const clock = { nowMs: Date.parse('2026-03-01T00:00:00.000Z') };
  const holds = watchHolds();
  const watched = watchTransactions(database);
  const ctx = processOf(base, watched.database, () => clock.nowMs);
  const licenses: string[] = await database.db.knex('licenses').orderBy('id').pluck('id');
  for (let hour = 0; hour < days * 24; hour++) {
    for (let flush = 0; flush < FLUSHES_PER_HOUR; flush++) {
      const now = ctx.now();
      // Each machine keeps its second of the hour.
      for (let at = flush; at < licenses.length; at += FLUSHES_PER_HOUR)
        validate(ctx, licenses[at] as string, now);
      await holds.during(() => flushDue(ctx));
      clock.nowMs += FLUSH_SECONDS * 1000;
    }
    await runJob(ctx, 'retention');
    if (hour % VACUUM_HOURS === 0) await vacuum(database.db);
  }
  await flushStatistics(ctx);
  return { ...(await sizesOf(database.db)), ...holds.figures(), longestTransactionMs: watched.longestMs() };
}

function validate(ctx: Ctx, licenseId: string, now: string): void {
  const answer = { action: 'validate', allowed: true, code: 'VALID', repeat: true };
  observe(ctx, { ...answer, licenseId, machineId: `machine-of-${licenseId}`, now });
}

/** A process of the installation under a clock of its own, which answers one client. */
function processOf(base: Ctx, database: Database, nowMs: () => number): Ctx {
  const { keyring, settings, log, serviceName, baseUrl, dataDir, storage, uploadLimitBytes } = base;
  const { media, imageLimitBytes, mode, processorUrls } = base;
  const clock = { epochMs: nowMs, monotonicMs: () => performance.now() };
  const same = { keyring, settings, log, serviceName, baseUrl, dataDir, storage, uploadLimitBytes };
  const runtime = {
    ...same,
    media,
    imageLimitBytes,
    mode,
    processorUrls,
    database,
    clock,
    outboxSources: [],
    subscriptions: new Map(),
    fillings: new Map(),
    auditor,
    hooks: NO_HOOKS,
    memory: new ProcessMemory(),
  };
  return createContext(runtime, base.tenantId).with({ origin: { ...base.origin, ip: '198.51.100.7' } });
}

/** Measures how long work leaves nothing else its turn. */
function watchHolds() {
  let [longestHoldMs, longHolds, holds] = [0, 0, 0];
  return {
    figures: () => ({ longestHoldMs, longHolds, holds }),
    async during(work: () => Promise<unknown>): Promise<void> {
      let last = performance.now();
      let isOver = false;
      const look = () => {
        const now = performance.now();
        longestHoldMs = Math.max(longestHoldMs, now - last);
        if (now - last > LONGEST_HOLD_MS) longHolds += 1;
        holds += 1;
        last = now;
        if (!isOver) setImmediate(look);
      };
      setImmediate(look);
      await work();
      isOver = true;
      look();
    },
  };
}

function watchTransactions(database: Database) {
  let longestMs = 0;
  const transaction: typeof database.transaction = async (work) => {
    const started = performance.now();
    try {
      return await database.transaction(work);
    } finally {
      longestMs = Math.max(longestMs, performance.now() - started);
    }
  };
  return { database: Object.assign(Object.create(database), { transaction }), longestMs: () => longestMs };
}

async function vacuum(db: Db): Promise<void> {
  if (db.dialect === 'postgres') for (const table of TABLES) await db.knex.raw('VACUUM ??', [table]);
}

async function sizesOf(db: Db): Promise<Pick<Growth, 'bytesOnDisk' | 'bytes' | 'rows'>> {
  const rows: Record<string, number> = {};
  const bytes: Record<string, number> = {};
  for (const table of TABLES) {
    const [counted] = await db.knex(table).count({ n: '*' });
    rows[table] = Number(counted?.n ?? 0);
    bytes[table] = await bytesOf(db, table);
  }
  return { bytesOnDisk: Object.values(bytes).reduce((sum, one) => sum + one, 0), bytes, rows };
}

async function bytesOf(db: Db, table: string): Promise<number> {
  if (db.dialect === 'postgres') {
    const { rows } = await db.knex.raw('SELECT pg_total_relation_size(?::regclass) AS bytes', [table]);
    return Number(rows[0].bytes);
  }
  const sql =
    'SELECT sum(pgsize) AS bytes FROM dbstat WHERE name IN (SELECT name FROM sqlite_master WHERE tbl_name = ?)';
  const [row] = await db.knex.raw(sql, [table]);
  return Number(row.bytes);
}

/**
 * What was promised of a month of 100,000 machines. Rows grow in step with machines, so a sample of them tells; not so
 * with days, since most rows are kept for two of them.
 */
export function judgeGrowth(kind: DatabaseKind, { machines, days }: Sample, growth: Growth): Verdict[] {
  const { longestHoldMs, longHolds, holds } = growth;
  const megabytes = (growth.bytesOnDisk / 1e6) * (PROMISED.machines / machines);
  const isMonth = days === PROMISED.days;
  return [
    {
      what: `${kind}: statistics of 100,000 machines in ${days} days, from ${machines.toLocaleString('en')}`,
      asked: isMonth ? `≤ ${PROMISED.megabytes} MB` : '–',
      measured: `${megabytes.toFixed(0)} MB`,
      ok: isMonth ? megabytes <= PROMISED.megabytes : null,
    },
    {
      what: `${kind}: longest hold by a flush (${longHolds.toLocaleString('en')} of ${holds.toLocaleString('en')} longer than ${LONGEST_HOLD_MS} ms)`,
      asked: `≤ ${LONGEST_HOLD_MS} ms`,
      measured: `${longestHoldMs.toFixed(1)} ms`,
      ok: longestHoldMs <= LONGEST_HOLD_MS,
    },
  ];
}

/** How much of the promised month is simulated. */
export const sampleOf = ({ licenses }: BenchOptions): Sample => ({
  machines: Math.min(licenses, MOST_MACHINES),
  days: licenses < MOST_MACHINES ? 2 : PROMISED.days,
});
