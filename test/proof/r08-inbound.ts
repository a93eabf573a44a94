// R8: whoever has paid gets what was bought, once, however often and however it is reported, and nobody else does.
import { faults } from './parts/faulty-inboxes.ts';
import { type Forgery, forgeries } from './parts/forgeries.ts';
import { Findings, type Inbox, sendCopies, sendForged, sendThrough, sendTogether } from './parts/inbox.ts';
import { createProduct, type Installation, installationAt } from './parts/installation.ts';
import { requireOpenssl } from './parts/openssl-hmac.ts';
import { type Outage, openOutage } from './parts/outage.ts';
import { startServer } from './parts/processes.ts';
import type { Outcome, Proof, ProofBench } from './parts/proof.ts';
import {
  askPackages,
  openPlaces,
  PROCESSORS,
  type ProcessorName,
  type Purchase,
  purchase,
  type Shop,
} from './parts/purchases.ts';
import { openReader } from './parts/reader.ts';

const COPIES = 1000;
const PAIRS = 50;
const OUTAGE_SECONDS = 30;
const AWAY = 200;
/** The same again, shorter, with a kill before the database is back. */
const KILLED_SECONDS = 5;
const KILLED_AWAY = 30;
const FORGED_AWAY_EVERY = 7;
/** What could not be done at once is tried again after a minute. */
const SETTLE_MS = 90_000;
/** A processor waits about so long, and reports again when it was not answered. */
const PATIENCE_MS = 10_000;

async function run(bench: ProofBench): Promise<Outcome> {
  const outage = await openOutage(bench.database);
  const installation = installationAt({ ...bench, database: outage.database }, 'paid', {
    APPCTL_RATE_LIMIT: 'off',
    // What is refused and what goes wrong while the database is away is logged as it should be.
    APPCTL_LOG_LEVEL: 'fatal',
  });
  const start = () => startServer(installation.launch);
  const shop = await openShop(installation);
  await askPackages(shop);
  const direct = {
    ...installation,
    launch: { ...installation.launch, env: environment(installation, bench) },
  };
  const reader = await openReader(direct);
  const servers = bench.database.kind === 'postgres' ? 2 : 1;
  const inbox: Inbox = { shop, reader, random: bench.random, servers, start };
  try {
    return await prove(bench, installation, inbox, outage);
  } finally {
    await reader.close();
    await outage.close();
  }
}

async function prove(
  { quick }: ProofBench,
  { dataDir }: Installation,
  inbox: Inbox,
  outage: Outage,
): Promise<Outcome> {
  const found = new Findings(SETTLE_MS);
  const share = (count: number): number => (quick ? count / 10 : count);
  for (const processor of PROCESSORS) {
    await sendCopies(inbox, found, purchase(processor, `copied-${processor}`), share(COPIES));
  }
  const pairs = Array.from({ length: share(PAIRS) }, (_, i) => purchase('stripe', `pair-${i}`));
  await sendTogether(inbox, found, pairs);
  /** Made when they are sent: what is stamped with a time to come is true for a moment when that has come. */
  const forge = (): Forgery[] => forgeries(inbox.shop, Math.floor(Date.now() / 1000));
  const forged = forge();
  await sendForged(inbox, found, forged, each('pretended'));
  const busyMs = found.slowestMs;
  found.slowestMs = 0;
  const trouble = { begin: () => outage.begin(dataDir), end: outage.end, before: [], isKilled: false };
  const [seconds, away] = quick ? [OUTAGE_SECONDS / 5, share(2 * AWAY)] : [OUTAGE_SECONDS, AWAY];
  const some = (): Forgery[] => forge().filter((_, i) => i % FORGED_AWAY_EVERY === 0);
  await sendThrough(inbox, found, { ...trouble, seconds, purchases: many('away', away), forged: some() });
  await sendThrough(inbox, found, {
    ...trouble,
    seconds: KILLED_SECONDS,
    before: each('known'),
    purchases: many('killed', KILLED_AWAY),
    forged: some(),
    isKilled: true,
  });
  const counts = { copies: share(COPIES) * PROCESSORS.length, pairs: pairs.length, forgeries: forged.length };
  return outcomeOf(found, { ...counts, away: away + KILLED_AWAY }, busyMs);
}

const each = (name: string): Purchase[] =>
  PROCESSORS.map((processor) => purchase(processor, `${name}-${processor}`));

const many = (name: string, count: number): Purchase[] =>
  Array.from({ length: count }, (_, i) =>
    purchase(PROCESSORS[i % PROCESSORS.length] as ProcessorName, `${name}-${i}`),
  );

/** Past the outage, so that the proof itself can read. */
const environment = ({ launch }: Installation, { database }: ProofBench): Record<string, string> =>
  database.url === undefined ? launch.env : { ...launch.env, APPCTL_DATABASE_URL: database.url };

async function openShop(installation: Installation): Promise<Shop> {
  const server = await startServer(installation.launch);
  try {
    await createProduct(installation, 'editor');
    return await openPlaces(installation, 'editor');
  } finally {
    await server.stop();
  }
}

function outcomeOf(
  { requests, licenses, slowestMs, spooled, cut, answers, lost, doubled, forged }: Findings,
  counts: Record<string, number>,
  busyMs: number,
): Outcome {
  const figures = {
    ...counts,
    requests,
    cut_by_kills: cut,
    licenses,
    wrong_answers: answers.count,
    lost: lost.count,
    doubled: doubled.count,
    forged: forged.count,
    spooled,
    slowest_ms: busyMs,
    slowest_away_ms: slowestMs,
  };
  const notes = [answers, lost, doubled, forged].flatMap((complaints) => complaints.notes);
  if (cut === 0) notes.push('no kill met a report that was on its way');
  if (spooled === 0) notes.push('nothing was spooled: the database was not away');
  if (slowestMs > PATIENCE_MS)
    notes.push(`a report was answered after ${slowestMs} ms while the database was away`);
  return { figures, passed: notes.length === 0, notes };
}

export const r08: Proof = {
  id: 'R08',
  databases: ['sqlite', 'postgres'],
  minutes: 5,
  requireTools: requireOpenssl,
  faults,
  run,
};
