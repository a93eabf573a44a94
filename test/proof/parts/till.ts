// A shop that is a fixture: two servers of it share the tables that a judge reads, with one planted fault.
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { StripeServer } from '../../support/processors/stripe-server.ts';
import type { ProofBench } from './proof.ts';
import { openFile, openServer, type Reader } from './reader.ts';
import { fixtureSides, type Sides } from './shop-sides.ts';

/** Faults by what they are about. */
export const tillFaults = {
  stock: ['takes-after-looking', 'charges-first', 'charges-again'],
  money: ['uses-after-counting', 'spends-after-looking', 'numbers-after-looking', 'places-per-report'],
} as const;
export type TillFault = (typeof tillFaults)[keyof typeof tillFaults][number];

/** What there is in the fixture, under the ids of a proof. */
export const THE_VARIANT = 'the-variant';
export const THE_CODE = 'the-code';
export const THE_CARD = 'the-card';

const TABLES = [
  'CREATE TABLE orders (id TEXT, order_number TEXT, email TEXT, placed_at TEXT, paid_cents INTEGER)',
  'CREATE TABLE payments (id TEXT, order_id TEXT, kind TEXT, status TEXT, captured_cents INTEGER)',
  'CREATE TABLE inventory_levels (variant_id TEXT, on_hand INTEGER, reserved INTEGER)',
  'CREATE TABLE stock_movements (variant_id TEXT, delta INTEGER)',
  'CREATE TABLE promotions (id TEXT, used_count INTEGER)',
  'CREATE TABLE promotion_redemptions (promotion_id TEXT, order_id TEXT, status TEXT)',
  'CREATE TABLE gift_cards (id TEXT, balance_cents INTEGER, held_cents INTEGER)',
  'CREATE TABLE gift_card_ledger (gift_card_id TEXT, delta_cents INTEGER, type TEXT)',
  'CREATE TABLE email_log (template TEXT, related_id TEXT)',
  'CREATE TABLE events (type TEXT, subject TEXT)',
];

/** A fixture at work. */
export interface Till {
  readonly sides: Sides;
  readonly reader: Reader;
  /** Of its servers. */
  readonly urls: readonly string[];
  close(): Promise<void>;
}

/** What it begins with. */
export interface Contents {
  readonly units?: number;
  readonly cardCents?: number;
  /** How many shoppers come at once. */
  readonly shoppers: number;
}

/** Opens one. */
export async function openTill(
  bench: ProofBench,
  stripe: StripeServer,
  fault: TillFault,
  { units = 1000, cardCents = 0, shoppers }: Contents,
): Promise<Till> {
  const { where, reader } = await makeTables(bench);
  await reader.run('INSERT INTO inventory_levels VALUES (?, ?, 0)', THE_VARIANT, units);
  await reader.run('INSERT INTO stock_movements VALUES (?, ?)', THE_VARIANT, units);
  await reader.run('INSERT INTO promotions VALUES (?, 0)', THE_CODE);
  await reader.run('INSERT INTO gift_cards VALUES (?, ?, 0)', THE_CARD, cardCents);
  await reader.run('INSERT INTO gift_card_ledger VALUES (?, ?, ?)', THE_CARD, cardCents, 'issue');
  const launch = {
    exe: join(import.meta.dirname, 'fixture-till.ts'),
    cwd: bench.folder,
    env: {},
    prefix: [process.execPath],
  };
  const words = [...where, '--stripe', stripe.url, '--break', fault];
  const { sides, urls } = await fixtureSides(launch, words, shoppers);
  return {
    sides,
    reader,
    urls,
    async close() {
      await Promise.all(sides.map((side) => side.stop()));
      await reader.close();
    },
  };
}

async function makeTables({ database, folder }: ProofBench): Promise<{ where: string[]; reader: Reader }> {
  if (database.url !== undefined) {
    for (const table of TABLES) await database.execute(table, []);
    return { where: ['--url', database.url], reader: await openServer(database.url) };
  }
  const file = join(folder, 'till.db');
  const made = new Database(file);
  made.pragma('journal_mode = WAL');
  made.pragma('synchronous = OFF');
  for (const table of TABLES) made.exec(table);
  made.close();
  return { where: ['--file', file], reader: await openFile(file) };
}
