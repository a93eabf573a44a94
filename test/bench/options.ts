// What `npm run bench -- …` was asked for.
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { parseArgs } from 'node:util';
import { type TargetName, targetNames } from './targets.ts';

export type DatabaseKind = 'sqlite' | 'postgres';

/** Besides servers under load: `cull` and `outbox` for work beside load, `audit` for what the log costs changes by staff,
 * `staff` for what staff waits for, `panel` for its pages in a browser, `shop` for what shoppers wait for, `reports` for
 * figures of many orders, `lighthouse` for how a browser judges that, `download`, `statistics` for a month of them, `program` for its start, `workers` for a server of two processes. */
const besides = [
  'cull',
  'outbox',
  'audit',
  'staff',
  'panel',
  'shop',
  'reports',
  'lighthouse',
  'download',
  'statistics',
  'program',
  'workers',
] as const;
/** What is measured. */
export type Subject = TargetName | (typeof besides)[number];

export interface BenchOptions {
  databases: DatabaseKind[];
  licenses: number;
  /** Licenses of the database that shows whether the number of licenses costs anything. */
  fewLicenses: number;
  /** Products of the shop; each has three variants on the average. */
  products: number;
  /** Orders that reports add up. */
  orders: number;
  /** Length of one slice of load. */
  seconds: number;
  rounds: number;
  connections: number;
  only: ReadonlySet<Subject>;
  /** Where all figures are written as JSON. */
  json: string | null;
  markdown: boolean;
  /** Loads with wrk; otherwise with autocannon, which takes a third of two cores and hides as much of a server's speed. */
  wrk: boolean;
}

export const usage = `npm run bench -- [options]
  --db sqlite,postgres   databases to measure on (both)
  --licenses 100000      licenses in the large database
  --products 10000       products of the shop
  --orders 200000        orders that reports add up
  --seconds 6            length of one slice of load
  --rounds 3             slices per target; medians are printed
  --connections 32       keep-alive connections of the load client
  --only NAMES           of ${[...targetNames, ...besides].join(', ')}
  --json FILE            also writes every figure of every slice
  --markdown             prints Markdown tables
  --client NAME          wrk or autocannon (wrk where it is on PATH)
  --quick                2,000 licenses, 200 products, 4,000 orders, one round of 2 s: shows that it works, measures nothing`;

const flags = {
  db: { type: 'string', default: 'sqlite,postgres' },
  licenses: { type: 'string' },
  products: { type: 'string' },
  orders: { type: 'string' },
  seconds: { type: 'string' },
  rounds: { type: 'string' },
  connections: { type: 'string', default: '32' },
  only: { type: 'string' },
  json: { type: 'string' },
  markdown: { type: 'boolean', default: false },
  client: { type: 'string' },
  quick: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

/**
 * Reads the command line.
 * @returns null when only help was asked for
 * @throws Error naming the option that is wrong
 */
export function readOptions(args: readonly string[]): BenchOptions | null {
  const { values } = parseArgs({ args: [...args], options: flags, strict: true });
  if (values.help) return null;
  const { quick } = values;
  const licenses = count('licenses', values.licenses ?? (quick ? '2000' : '100000'), 100);
  return {
    databases: list('db', values.db, ['sqlite', 'postgres']),
    licenses,
    fewLicenses: Math.min(licenses, quick ? 200 : 1000),
    products: count('products', values.products ?? (quick ? '200' : '10000'), 100),
    orders: count('orders', values.orders ?? (quick ? '4000' : '200000'), 4000),
    seconds: count('seconds', values.seconds ?? (quick ? '2' : '6'), 1),
    rounds: count('rounds', values.rounds ?? (quick ? '1' : '3'), 1),
    connections: count('connections', values.connections, 1),
    only: withBase(list('only', values.only, [...targetNames, ...besides])),
    json: values.json ?? null,
    markdown: values.markdown,
    wrk: loadsWithWrk(values.client),
  };
}

/** What `--client` says; without it wrk is used where it is installed. */
function loadsWithWrk(client: string | undefined): boolean {
  if (client === 'autocannon') return false;
  if (client !== undefined && client !== 'wrk') throw new Error('--client must be wrk or autocannon');
  const isInstalled = (process.env.PATH ?? '')
    .split(delimiter)
    .some((folder) => existsSync(join(folder, 'wrk')));
  if (client === 'wrk' && !isInstalled)
    throw new Error('--client wrk: wrk is not on PATH (apt-get install wrk)');
  return isInstalled;
}

/** What was promised of an update check is a share of validate, and of a write a share of the limit beside it. */
function withBase(names: readonly Subject[]): ReadonlySet<Subject> {
  const all = new Set(names);
  if (all.has('update-check')) all.add('validate');
  if (WRITES.some((name) => all.has(name))) all.add('read-limit');
  return all;
}

const WRITES: readonly Subject[] = ['activate', 'heartbeat', 'record-usage'];

function count(name: string, text: string, min: number): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < min)
    throw new Error(`--${name} must be a whole number from ${min}`);
  return value;
}

/** An absent list names everything. */
function list<T extends string>(name: string, text: string | undefined, allowed: readonly T[]): T[] {
  if (text === undefined) return [...allowed];
  const names = text.split(',').map((part) => part.trim());
  const wrong = names.find((part) => !allowed.includes(part as T));
  if (wrong !== undefined) throw new Error(`--${name}: ${wrong} is none of ${allowed.join(', ')}`);
  return names as T[];
}
