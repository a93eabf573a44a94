// The pages and the public JSON of a shop with 10,000 products and 30,000 variants, and an upload of 50 pictures beside
// them: rows of name, requests/s, p50 and p99, which can be laid beside those of another shop of that size.
import { join } from 'node:path';
import { output, type RunningChild } from './child.ts';
import { seedDatabases } from './databases.ts';
import type { LoadResult } from './load-job.ts';
import type { PagesJob } from './load-pages.ts';
import { median } from './medians.ts';
import type { BenchOptions, DatabaseKind } from './options.ts';
import { residentBytes } from './process-figures.ts';
import type { Verdict } from './ratios.ts';
import type { Installation } from './seed.ts';
import { measureHooks } from './shop-hooks.ts';
import { measureLicenses } from './shop-licenses.ts';
import { measureOrders } from './shop-orders.ts';
import { aboutColors, aboutTopics, brandCount, pathsFile, type ShopPaths, seedShop } from './shop-seed.ts';
import { measureShopSignIns } from './shop-sign-ins.ts';
import { measureUpload } from './shop-upload.ts';
import { openSql } from './sql.ts';
import { served } from './staff.ts';

const GRACE_SECONDS = 60;
const WARM_UP_SECONDS = 2;
/** Addresses that a day's visitors open most. */
const POPULAR = 100;

/** One row of the bench. */
interface Row {
  readonly name: string;
  readonly paths: readonly string[];
  readonly proof: string;
  /** Requests a second; without it the server is saturated. */
  readonly perSecond?: number;
  readonly p50?: number;
  readonly p99?: number;
  /** Requests a second that were asked for, saturated. */
  readonly least?: number;
}

/** What was measured of a row. */
export interface ShopRow {
  readonly name: string;
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** The rows as they can be laid beside another program's. */
export const rowsTable = (rows: readonly ShopRow[]): string =>
  [
    'name, requests/s, p50, p99',
    ...rows.map(({ name, requestsPerSecond, p50Ms, p99Ms }) =>
      [name, Math.round(requestsPerSecond), p50Ms.toFixed(1), p99Ms.toFixed(1)].join(', '),
    ),
  ].join('\n');

/** @param options `products` of the shop; `seconds` of each row */
export async function measureShop(
  kind: DatabaseKind,
  options: BenchOptions,
  say: (line: string) => void,
): Promise<{ rows: ShopRow[]; verdicts: Verdict[] }> {
  const seeded = await seedDatabases(kind, { ...options, licenses: 100, fewLicenses: 10 });
  const installation = seeded.installations.large;
  try {
    const paths = await seedShop(installation, options.products, say);
    const sql = await openSql(installation.databaseUrl);
    await sql.settle();
    await sql.close();
    const shop = await served(installation, 'shop', (server) =>
      measureServed(kind, { installation, server, options, say }, paths),
    );
    // The job that renders pictures runs beside pages.
    const upload = await served(
      installation,
      'upload',
      (server) => {
        const scene = { installation, server, options, say };
        const row = {
          name: 'beside uploads',
          paths: paths.slugs.map(product),
          proof: '<main',
          perSecond: 50,
        };
        return measureUpload(scene, (seconds) => slice(scene, row, seconds));
      },
      { runsJobs: true },
    );
    const beside = toldAs(kind, say, [upload.row], upload.verdicts);
    const ordering = await served(installation, 'orders', (server) =>
      measureOrders(kind, { installation, server, options, say }),
    );
    const orders = toldAs(kind, say, ordering.rows, ordering.verdicts);
    const others = toldAs(
      kind,
      say,
      [],
      [
        ...(await served(installation, 'sign-ins', (server) => {
          const scene = { installation, server, options, say };
          const row = {
            name: 'beside sign-ins',
            paths: paths.slugs.map(product),
            proof: '<main',
            perSecond: 100,
          };
          return measureShopSignIns(scene, (seconds) => slice(scene, row, seconds));
        })),
        ...(await measureHooks(installation, options, ordering.opened, say)),
        ...(await measureLicenses(installation, options, say)),
      ],
    );
    for (const { what, measured } of others.verdicts) say(`${what}: ${measured}`);
    return {
      rows: [...shop.rows, ...beside.rows, ...orders.rows],
      verdicts: [...shop.verdicts, ...beside.verdicts, ...orders.verdicts, ...others.verdicts],
    };
  } finally {
    await seeded.remove();
  }
}

/** What takes part. */
export interface ShopScene {
  readonly installation: Installation;
  readonly server: RunningChild;
  readonly options: BenchOptions;
  readonly say: (line: string) => void;
}

function toldAs(
  kind: DatabaseKind,
  say: (line: string) => void,
  rows: readonly ShopRow[],
  verdicts: readonly Verdict[],
) {
  for (const { name, requestsPerSecond, p50Ms, p99Ms } of rows)
    say(`${name}: ${requestsPerSecond.toFixed(0)}/s, p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`);
  return {
    rows: rows.map((row) => ({ ...row, name: `${kind}: ${row.name}` })),
    verdicts: verdicts.map((one) => ({ ...one, what: `${kind}: ${one.what}` })),
  };
}

async function measureServed(kind: DatabaseKind, scene: ShopScene, paths: ShopPaths) {
  const rows: ShopRow[] = [];
  const verdicts: Verdict[] = [await firstPage(kind, scene, paths)];
  for (const row of rowsOf(paths)) {
    const measured = await measureRow(scene, row);
    const told = toldAs(kind, scene.say, [measured], judge(row, measured));
    rows.push(...told.rows);
    verdicts.push(...told.verdicts);
  }
  const mb = residentBytes(scene.server.pid) / 1e6;
  verdicts.push({ what: `${kind}: memory after it`, asked: '–', measured: `${mb.toFixed(0)} MB`, ok: null });
  return { rows, verdicts };
}

/** The first page waits until the products have been read, which an open shop does when its server starts. */
async function firstPage(kind: DatabaseKind, { server }: ShopScene, { slugs }: ShopPaths): Promise<Verdict> {
  const startedMs = performance.now();
  const { status } = await fetch(new URL(product(slugs[0] ?? ''), server.url));
  if (status !== 200) throw new Error(`the first page was answered ${status}`);
  const seconds = (performance.now() - startedMs) / 1000;
  const what = `${kind}: first page of a shop that was closed when its server started`;
  return { what, asked: '–', measured: `${seconds.toFixed(1)} s`, ok: null };
}

const product = (slug: string): string => `/shop/products/${slug}`;
const json = (slug: string): string => `/api/shop/products/${slug}`;

/** Lists that are narrowed by three facets, 500 different ones. */
const lists = Array.from({ length: 500 }, (_, n) => {
  const color = aboutColors[n % aboutColors.length];
  const tag = aboutTopics[n % aboutTopics.length];
  return `/shop/products?option.Color=${color}&tag=${tag}&max=${200 + (n % brandCount)}`;
});

function rowsOf({ slugs, words }: ShopPaths): Row[] {
  // Spread over the shop, so that neither end of it is the newest.
  const all = slugs.filter((_, n) => n % 2 === 0);
  const popular = slugs.filter((_, n) => n % Math.ceil(slugs.length / POPULAR) === 0);
  const searches = words.flatMap((word) =>
    Array.from({ length: 20 }, (_, n) => `/shop/search?q=${encodeURIComponent(`${word} ${n}`)}`),
  );
  const page = '<main';
  return [
    { name: 'product page', paths: all.map(product), proof: page, perSecond: 200, p50: 8, p99: 40 },
    { name: 'list with three facets', paths: lists, proof: page, perSecond: 100, p99: 80 },
    {
      name: 'search',
      paths: [...words.map((word) => `/shop/search?q=${encodeURIComponent(word)}`), ...searches],
      proof: page,
      perSecond: 100,
      p99: 80,
    },
    { name: 'GET /api/shop/products/{slug}', paths: popular.map(json), proof: '"slug"', least: 3000 },
    {
      name: 'GET /api/shop/products/{slug}, all products',
      paths: all.map(json),
      proof: '"slug"',
      least: 3000,
    },
    { name: 'product page, saturated', paths: popular.map(product), proof: page, least: 1100 },
    { name: 'product page, saturated, all products', paths: all.map(product), proof: page, least: 1100 },
    { name: 'home', paths: ['/shop/'], proof: page },
    { name: 'list', paths: ['/shop/products'], proof: page },
  ];
}

async function measureRow(scene: ShopScene, row: Row): Promise<ShopRow> {
  const { options } = scene;
  await slice(scene, row, WARM_UP_SECONDS);
  const rounds: LoadResult[] = [];
  for (let n = 0; n < options.rounds; n++) rounds.push(await slice(scene, row, options.seconds));
  const of = (figure: (one: LoadResult) => number) => median(rounds.map(figure));
  return {
    name: row.name,
    requestsPerSecond: of(({ acknowledged, seconds }) => acknowledged / seconds),
    p50Ms: of(({ p50Ms }) => p50Ms),
    p99Ms: of(({ p99Ms }) => p99Ms),
  };
}

/** @throws Error when an answer was wrong */
async function slice(
  { installation, server, options }: ShopScene,
  { name, paths, proof, perSecond }: Row,
  seconds: number,
): Promise<LoadResult> {
  const { connections, wrk } = options;
  const file = pathsFile(installation, name.replaceAll(/\W+/g, '-'), paths);
  const job: PagesJob = { url: server.url, paths: file, proof, connections, seconds, perSecond, wrk };
  const script = join(import.meta.dirname, 'load-pages.ts');
  const args = [script, JSON.stringify(job)];
  const result = JSON.parse(
    await output(process.execPath, args, (seconds + GRACE_SECONDS) * 1000),
  ) as LoadResult;
  if (result.wrong > 0 || result.acknowledged === 0)
    throw new Error(`${name}: ${result.wrong} wrong answers beside ${result.acknowledged} right ones`);
  return result;
}

function judge({ name, p50, p99, least }: Row, { requestsPerSecond, p50Ms, p99Ms }: ShopRow): Verdict[] {
  const most = (what: string, bound: number | undefined, ms: number): Verdict[] =>
    bound === undefined
      ? []
      : [
          {
            what: `${name}: ${what}`,
            asked: `≤ ${bound} ms`,
            measured: `${ms.toFixed(1)} ms`,
            ok: ms <= bound,
          },
        ];
  const measured = Math.round(requestsPerSecond).toLocaleString('en');
  const speed: Verdict[] =
    least === undefined
      ? []
      : [
          {
            what: name,
            asked: `≥ ${least.toLocaleString('en')}/s`,
            measured: `${measured}/s`,
            ok: requestsPerSecond >= least,
          },
        ];
  return [...most('p50', p50, p50Ms), ...most('p99', p99, p99Ms), ...speed];
}
