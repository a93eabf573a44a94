import { arch, cpus, freemem, platform, release, totalmem } from 'node:os';
import { buildInfo } from '#kernel/build-info.ts';
import type { CheckScope } from '#kernel/check.ts';
import { isoTime, systemClock } from '#kernel/clock.ts';
import { maskEntry } from '#kernel/config/mask.ts';
import { configTable } from '#kernel/config/table.ts';
import { databaseSize, largestTables } from '#kernel/db/condition.ts';
import { callServer } from '#kernel/http/admin-socket.ts';
import { list as listJobs } from '#kernel/jobs/repository.ts';
import { newestRuns } from '#kernel/jobs/runs/repository.ts';
import { socketPath } from '../../app/run-files.ts';
import { schemaDrift } from '../../app/schema-drift.ts';
import type { ServerStatus } from '../../app/server-report.ts';
import { collectStatus } from '../../app/status.ts';
import { linesOf } from '../../app/system-checks.ts';
import { newest, sourceOf } from '../logs/logs.ts';

/** A member of the archive. */
export interface Part {
  readonly name: string;
  /** What it is, in a line. */
  readonly what: string;
  /** A document, or text as it is. @throws whatever hinders it: an archive of a broken installation tells why */
  make(): Promise<object | string>;
}

const MOST_TABLES = 500;

/**
 * All members but the list of them.
 *
 * @param found what the checks found, where they were run already
 * @param lines of the log
 */
export const partsOf = (
  scope: CheckScope,
  found: readonly object[] | null,
  lines: number,
): readonly Part[] => [
  { name: 'version.json', what: 'versions of the program, of Node.js and of the system', make: versions },
  {
    name: 'config.json',
    what: 'the configuration with its sources, without secrets',
    make: async () => configOf(scope),
  },
  { name: 'status.json', what: 'server, database, queues, counts and warnings', make: () => statusOf(scope) },
  {
    name: 'doctor.json',
    what: 'every check with what it found',
    make: async () => ({ checks: found ?? (await linesOf(scope)) }),
  },
  {
    name: 'schema.json',
    what: 'migrations, and where the schema differs from them',
    make: () => schemaOf(scope),
  },
  { name: 'jobs.json', what: 'jobs, with their newest runs', make: () => jobsOf(scope) },
  { name: 'tables.json', what: 'how large each table is', make: () => tablesOf(scope) },
  { name: 'log.ndjson', what: `the newest ${lines} lines of the log`, make: () => logOf(scope, lines) },
];

const versions = async (): Promise<object> => ({
  ...buildInfo(),
  node: process.versions.node,
  platform: platform(),
  release: release(),
  arch: arch(),
  cpus: cpus().length,
  memoryBytes: totalmem(),
  freeMemoryBytes: freemem(),
  madeAt: isoTime(systemClock.epochMs()),
});

/** What is personal of a configuration is taken out with everything else; a key that nobody set tells nothing. */
function configOf({ entries, problems, warnings, configFile }: CheckScope): object {
  const keys = configTable.flatMap(({ key }) => {
    const entry = entries[key];
    return entry === undefined ? [] : [[key, maskEntry(key, entry)] as const];
  });
  return { configFile, problems, warnings, values: Object.fromEntries(keys) };
}

async function statusOf(scope: CheckScope): Promise<object> {
  const { config } = scope;
  if (config === null) throw new Error('the configuration is invalid');
  const server = await callServer<ServerStatus>(socketPath(config), 'status').catch(() => null);
  return collectStatus({ config, ...openedOf(scope) }, server);
}

async function schemaOf(scope: CheckScope): Promise<object> {
  const { database, migrator } = openedOf(scope);
  const { applied, pending, unknown } = await migrator.status();
  return { applied, pending, unknown, drift: await schemaDrift({ database, migrator }) };
}

async function jobsOf(scope: CheckScope): Promise<object> {
  const { ctx } = currentOf(scope);
  return { jobs: await listJobs(ctx), runs: await newestRuns(ctx) };
}

async function tablesOf(scope: CheckScope): Promise<object> {
  const { database } = openedOf(scope);
  const bytes = await databaseSize(database);
  return { databaseBytes: bytes, tables: await largestTables(database, MOST_TABLES, bytes) };
}

async function logOf({ config }: CheckScope, lines: number): Promise<string> {
  if (config === null) throw new Error('the configuration is invalid');
  const found = await newest(await sourceOf(config), {}, lines);
  return found.map(({ text }) => `${text}\n`).join('');
}

function openedOf({ opened, failure }: CheckScope): NonNullable<CheckScope['opened']> {
  if (opened) return opened;
  throw new Error(failure instanceof Error ? failure.message : 'the database cannot be opened');
}

function currentOf(scope: CheckScope): NonNullable<CheckScope['opened']> {
  const opened = openedOf(scope);
  if (opened.current) return opened;
  throw new Error('the schema does not match this program');
}
