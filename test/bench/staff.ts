// What staff waits for with 100,000 licenses: lists, searches and exports over HTTP, and sign-ins beside validations.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import * as adminTokens from '#platform/admin-tokens/index.ts';
import { type HttpClient, openHttpClient } from '../support/http-client.ts';
import { type RunningChild, startServer } from './child.ts';
import { seedDatabases } from './databases.ts';
import { percentile } from './load-job.ts';
import type { BenchOptions, DatabaseKind } from './options.ts';
import { paced } from './paced.ts';
import { residentBytes } from './process-figures.ts';
import type { Verdict } from './ratios.ts';
import { type Installation, withInstance } from './seed.ts';
import type { ServerJob } from './served.ts';
import { openSql } from './sql.ts';
import { measureSignIns } from './staff-sign-ins.ts';
import { listsOf, type Sample, sampleOf, searchesOf } from './staff-subjects.ts';

const PER_SECOND = 50;
/** Of a list at 50 requests a second, of a search, and of the resident memory of an export. */
const MOST_P99_MS = 60;
const MOST_SEARCH_MS = 50;
const MOST_GROWTH_MB = 40;
const SEARCHES = 20;
const WARM_UP = 20;
const SAMPLE_MS = 20;
const MOST_SECONDS = 10;

/** @param options `seconds` of each list, at most 10 */
export async function measureStaff(
  kind: DatabaseKind,
  options: BenchOptions,
  say: (line: string) => void,
): Promise<Verdict[]> {
  const seeded = await seedDatabases(kind, { ...options, fewLicenses: 10 });
  const installation = seeded.installations.large;
  const seconds = Math.min(options.seconds, MOST_SECONDS);
  try {
    const token = await tokenOf(installation);
    const sql = await openSql(installation.databaseUrl);
    await sql.settle();
    await sql.close();
    const sample = await sampleOf(installation);
    const tell = (verdicts: Verdict[]): Verdict[] => {
      for (const { what, measured } of verdicts) say(`${what}: ${measured}`);
      return verdicts.map((verdict) => ({ ...verdict, what: `${kind}: ${verdict.what}` }));
    };
    return [
      ...tell(await served(installation, 'lists', (server) => measureLists(server, token, sample, seconds))),
      ...tell(await served(installation, 'csv', (server) => measureExport(server, token, 'csv'))),
      ...tell(await served(installation, 'jsonl', (server) => measureExport(server, token, 'jsonl'))),
      ...tell(
        await served(installation, 'sign-ins', (server) => measureSignIns(server, installation, seconds)),
      ),
    ];
  } finally {
    await seeded.remove();
  }
}

/** A token of an owner, made through the program itself. */
export const tokenOf = ({ dataDir, databaseUrl }: Installation): Promise<string> =>
  withInstance(
    dataDir,
    databaseUrl,
    async ({ ctx }) => (await adminTokens.create(ctx, { name: 'bench', role: 'owner' })).secret,
  );

/** Works with a server that has just started. @param name of a folder of its own @param more of what it is to do */
export async function served<T>(
  { dataDir, databaseUrl }: Installation,
  name: string,
  work: (server: RunningChild) => Promise<T>,
  more: Partial<ServerJob> = {},
): Promise<T> {
  const serverDir = join(dataDir, `served-${name}`);
  mkdirSync(serverDir, { mode: 0o700 });
  const server = await startServer('appctl.ts', {
    dataDir,
    databaseUrl,
    serverDir,
    isUnlimited: true,
    ...more,
  });
  try {
    return await work(server);
  } finally {
    await server.stop();
  }
}

type Get = (path: string) => Promise<number>;

/** @returns a request that answers how long it took, in milliseconds */
function getter(client: HttpClient, token: string): Get {
  return async (path) => {
    const startedMs = performance.now();
    const { status, text } = await client.send(`/api/v1/admin${path}`, {
      headers: { Authorization: `Bearer ${token}` },
    });
    if (status !== 200) throw new Error(`${path} was refused: ${text}`);
    return performance.now() - startedMs;
  };
}

async function measureLists(
  server: RunningChild,
  token: string,
  sample: Sample,
  seconds: number,
): Promise<Verdict[]> {
  const client = openHttpClient(server.url);
  const get = getter(client, token);
  const verdicts: Verdict[] = [];
  try {
    for (const [name, query] of Object.entries(listsOf(sample)))
      verdicts.push(await measureList(get, name, `/licenses?limit=50&${query}`, seconds));
    for (const [name, text] of Object.entries(searchesOf(sample)))
      verdicts.push(await measureSearch(get, name, `/licenses?limit=50&q=${encodeURIComponent(text)}`));
    return verdicts;
  } finally {
    client.close();
  }
}

async function measureList(get: Get, name: string, path: string, seconds: number): Promise<Verdict> {
  for (let n = 0; n < WARM_UP; n++) await get(path);
  const sorted = await paced(PER_SECOND, seconds, () => get(path));
  const [p50, p99] = [percentile(sorted, 0.5), percentile(sorted, 0.99)];
  return {
    what: `p99 of a list by ${name}, ${PER_SECOND} a second`,
    asked: `≤ ${MOST_P99_MS} ms`,
    measured: `${p99.toFixed(0)} ms (p50 ${p50.toFixed(0)})`,
    ok: p99 <= MOST_P99_MS,
  };
}

async function measureSearch(get: Get, name: string, path: string): Promise<Verdict> {
  for (let n = 0; n < WARM_UP / 4; n++) await get(path);
  const times: number[] = [];
  for (let n = 0; n < SEARCHES; n++) times.push(await get(path));
  const sorted = Float64Array.from(times).sort();
  const [p50, max] = [percentile(sorted, 0.5), percentile(sorted, 1)];
  return {
    what: `the slowest of ${SEARCHES} searches by ${name}`,
    asked: `≤ ${MOST_SEARCH_MS} ms`,
    measured: `${max.toFixed(0)} ms (p50 ${p50.toFixed(0)})`,
    ok: max <= MOST_SEARCH_MS,
  };
}

/** A server that was asked for a few lists, as any is that runs. */
async function measureExport(server: RunningChild, token: string, format: string): Promise<Verdict[]> {
  const client = openHttpClient(server.url);
  try {
    for (let n = 0; n < WARM_UP; n++) await getter(client, token)('/licenses?limit=50');
  } finally {
    client.close();
  }
  const before = residentBytes(server.pid);
  let peak = before;
  const timer = setInterval(() => {
    peak = Math.max(peak, residentBytes(server.pid));
  }, SAMPLE_MS);
  const startedMs = performance.now();
  let bytes = 0;
  try {
    const reply = await fetch(`${server.url}/api/v1/admin/licenses/export?format=${format}`, {
      headers: { Authorization: `Bearer ${token}` },
    });
    if (reply.status !== 200) throw new Error(`the export was refused: ${await reply.text()}`);
    for await (const chunk of reply.body ?? []) bytes += chunk.length;
  } finally {
    clearInterval(timer);
  }
  const growthMb = (peak - before) / 1e6;
  const took = ((performance.now() - startedMs) / 1000).toFixed(1);
  return [
    {
      what: `memory that an export of all licenses adds: ${format}, ${(bytes / 1e6).toFixed(0)} MB in ${took} s`,
      asked: `≤ ${MOST_GROWTH_MB} MB`,
      measured: `${growthMb.toFixed(0)} MB`,
      ok: growthMb <= MOST_GROWTH_MB,
    },
  ];
}
