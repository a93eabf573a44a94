// Inboxes with one planted fault each, judged by the eyes that judge the program: each must be seen as what it is.
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { fixtureShop } from './fixture-shop.ts';
import { forgeries } from './forgeries.ts';
import { Findings, type Inbox, sendCopies, sendForged, sendTogether } from './inbox.ts';
import { startServer } from './processes.ts';
import type { Outcome, Proof, ProofBench } from './proof.ts';
import { PROCESSORS, purchase } from './purchases.ts';
import { openFile, openServer, type Reader } from './reader.ts';

const COPIES = 200;
const PURCHASES = 30;
const SETTLE_MS = 1000;

const TABLES = [
  'CREATE TABLE licenses (id text, order_id text)',
  'CREATE TABLE events (id text, type text, subject text)',
];

/** @returns the fixture's words that name the database, and a reader of it */
async function makeTables({ database, folder }: ProofBench): Promise<{ where: string[]; reader: Reader }> {
  if (database.url !== undefined) {
    for (const sql of TABLES) await database.execute(sql, []);
    return { where: ['--url', database.url], reader: await openServer(database.url) };
  }
  const file = join(folder, 'purchases.db');
  const made = new Database(file);
  made.pragma('journal_mode = WAL');
  made.pragma('synchronous = OFF');
  for (const sql of TABLES) made.exec(sql);
  made.close();
  return { where: ['--file', file], reader: await openFile(file) };
}

/** Tries a fixture; found when the complaints of the right kind are there. */
const fault =
  (
    name: string,
    kind: 'lost' | 'doubled' | 'forged',
    attack: (inbox: Inbox, found: Findings) => Promise<void>,
  ) =>
  async (bench: ProofBench): Promise<Outcome> => {
    const { where, reader } = await makeTables(bench);
    const exe = join(import.meta.dirname, 'fixture-inbox.ts');
    const launch = { exe, cwd: bench.folder, env: {}, prefix: [process.execPath] };
    const start = () => startServer(launch, [...where, `--break=${name}`]);
    const found = new Findings(SETTLE_MS);
    try {
      await attack({ shop: fixtureShop, reader, random: bench.random, servers: 1, start }, found);
    } finally {
      await reader.close();
    }
    const { requests, licenses, lost, doubled, forged } = found;
    const figures = { requests, licenses, lost: lost.count, doubled: doubled.count, forged: forged.count };
    return { figures, passed: found[kind].count === 0, notes: found[kind].notes };
  };

export const faults: Proof['faults'] = {
  'check-then-insert': fault('check-then-insert', 'doubled', (inbox, found) =>
    sendCopies(inbox, found, purchase('stripe', 'copied'), COPIES),
  ),
  'lax-signatures': fault('lax-signatures', 'forged', (inbox, found) =>
    sendForged(
      inbox,
      found,
      forgeries(fixtureShop, Math.floor(Date.now() / 1000)),
      PROCESSORS.map((processor) => purchase(processor, `pretended-${processor}`)),
    ),
  ),
  'forgets-some': fault('forgets-some', 'lost', (inbox, found) =>
    sendTogether(
      inbox,
      found,
      Array.from({ length: PURCHASES }, (_, i) => purchase('generic', `bought-${i}`)).map((bought) => ({
        ...bought,
        reports: bought.reports.slice(0, 1),
      })),
    ),
  ),
};
