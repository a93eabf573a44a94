// R1: what was acknowledged outlives kill -9, nothing is half done, and the program serves again at once. Of the shop also
// that the processor, which fails as well, has taken what the books say, once, and that paid orders, and no others, have their
// licenses.

import { STRIPE_KEYS } from '../support/processors/stripe-server.ts';
import { withSchema } from './parts/databases.ts';
import { type Front, startEarlyAnswer } from './parts/early-answer.ts';
import { findFaketime } from './parts/faketime.ts';
import { type Installation, installationAt } from './parts/installation.ts';
import { askDoctor, examineFile, examineInvariants } from './parts/invariants.ts';
import { killUnderLoad, percentile, startTimed } from './parts/killer.ts';
import { Ledger } from './parts/ledger.ts';
import { CLIENTS, prepareSubject, workUntilGone } from './parts/license-load.ts';
import { createWorker } from './parts/load.ts';
import type { RunningServer } from './parts/processes.ts';
import { Complaints, type Outcome, type Proof, type ProofBench, worse } from './parts/proof.ts';
import { randomFrom } from './parts/random.ts';
import { openReader, type Reader } from './parts/reader.ts';
import { examineShop, settleAll } from './parts/shop-examination.ts';
import { type Selling, type Survivor, sellUnderKills } from './parts/shop-kills.ts';

const KILLS = 500;
const READY_MS = 1500;
/** Everything is compared after so many kills, and at the end: what is lost stays lost. */
const COMPARE_EVERY = 10;
const FAULT_KILLS = 4;
const ORDERS = 500;
const SHOP_KILLS = 50;
const FAULT_SELLING = { orders: 20, kills: 2 };

/** What a run adds up. */
class Findings {
  readonly ledger = new Ledger();
  readonly refusals = new Complaints();
  readonly readyMs: number[] = [];
  lost = new Complaints();
  broken = new Complaints();
}

/** What a planted fault changes. */
interface Fault {
  /** Stands between clients and server. */
  front?(url: string): Promise<Front>;
  /** Changes the data behind the program's back, before it is looked at for the last time. */
  meddle?(reader: Reader): Promise<unknown>;
}

/** Changes the books of the shop behind the program's back. */
type ShopMeddle = (reader: Reader, survivor: Survivor) => Promise<unknown>;

async function prove(bench: ProofBench, kills: number, fault: Fault = {}): Promise<Outcome> {
  const installation = installationAt(bench, 'killed', {
    APPCTL_RATE_LIMIT: 'off',
    APPCTL_LOG_LEVEL: 'error',
  });
  const subject = await prepareSubject(installation);
  const found = new Findings();
  const workers = Array.from({ length: CLIENTS }, () =>
    createWorker(subject, randomFrom(bench.random.below(2 ** 32)), found.ledger, found.refusals),
  );
  for (let kill = 0; kill < kills; kill++) {
    const server = await ready(installation, found);
    if (kill % COMPARE_EVERY === 0) await compare(bench, installation, found);
    const front = await fault.front?.(server.url);
    await killUnderLoad(server, bench.random, () => workUntilGone(front?.url ?? server.url, workers));
    front?.close();
  }
  await conclude(bench, installation, found, fault);
  return outcomeOf(kills, found, fault);
}

async function ready(installation: Installation, found: Findings): Promise<RunningServer> {
  const { server, ms } = await startTimed(installation.launch);
  found.readyMs.push(ms);
  return server;
}

/** Closed before the next load: whoever keeps a SQLite file open spares the next start its recovery. */
async function compare({ database }: ProofBench, installation: Installation, found: Findings): Promise<void> {
  const reader = await openReader(installation);
  try {
    found.lost = worse(found.lost, await found.ledger.compare(reader));
    found.broken = worse(found.broken, await examineInvariants(reader));
    if (database.kind === 'sqlite') found.broken = worse(found.broken, await examineFile(reader));
  } finally {
    await reader.close();
  }
}

async function conclude(
  bench: ProofBench,
  installation: Installation,
  found: Findings,
  { meddle }: Fault,
): Promise<void> {
  const server = await ready(installation, found);
  try {
    if (meddle) {
      const reader = await openReader(installation);
      await meddle(reader);
      await reader.close();
    }
    await compare(bench, installation, found);
    found.broken = worse(found.broken, await askDoctor(installation));
  } finally {
    await server.stop();
  }
}

/** A planted fault must be seen in the data; that a machine is slow does not show that anybody looked. */
function outcomeOf(kills: number, found: Findings, { front, meddle }: Fault): Outcome {
  const { ledger, refusals, readyMs, lost, broken } = found;
  const figures = {
    kills,
    acked: ledger.acked,
    lost: lost.count,
    broken: broken.count,
    refused: refusals.count,
    p99_ready_ms: percentile(readyMs, 0.99),
  };
  const notes = [...lost.notes, ...broken.notes, ...refusals.notes];
  const isFault = front !== undefined || meddle !== undefined;
  if (!isFault && figures.p99_ready_ms > READY_MS)
    notes.push(`it takes ${figures.p99_ready_ms} ms to serve again`);
  if (!isFault && ledger.acked === 0) notes.push('nothing was acknowledged');
  return { figures, passed: notes.length === 0, notes };
}

const withFault =
  (fault: Fault) =>
  (bench: ProofBench): Promise<Outcome> =>
    prove(bench, FAULT_KILLS, fault);

const LAST_EVENT = "SELECT max(id) FROM events WHERE type = 'LICENSE_CREATED'";

/** The shop, killed while it sells; then the jobs that ask what became of lost answers, and a look at everything. */
async function proveShop(bench: ProofBench, selling: Selling, meddle?: ShopMeddle): Promise<Outcome> {
  const own = await withSchema(bench, 'shop');
  const survivor = await sellUnderKills(own, selling);
  await settleAll(own, survivor);
  const outcome = await examineShop(own, survivor, meddle);
  const slowest = percentile(survivor.readyMs, 0.99);
  if (meddle || slowest <= READY_MS) return outcome;
  return {
    ...outcome,
    passed: false,
    notes: [...outcome.notes, `the shop needs ${slowest} ms to serve again`],
  };
}

const withShopFault =
  (meddle: ShopMeddle) =>
  (bench: ProofBench): Promise<Outcome> =>
    proveShop(bench, FAULT_SELLING, meddle);

/** A payment that is in the books already is charged once more, behind the back of the program. */
const chargeAgain: ShopMeddle = async (reader, { stripe }) => {
  const [payment] = await reader.all<{ id: string }>("SELECT id FROM payments WHERE status = 'captured'");
  const form = { amount: '700', currency: 'usd', 'metadata[payment_id]': String(payment?.id) };
  const headers = { authorization: `Bearer ${STRIPE_KEYS.stripe_secret_key}` };
  const charge = { method: 'POST', body: new URLSearchParams(form), headers };
  const before = stripe.charges().length;
  // What is left of the planned faults of the processor is used up first.
  while (stripe.charges().length === before)
    await fetch(`${stripe.url}/v1/payment_intents`, charge).catch(() => undefined);
};

const LAST_MINT = 'SELECT max(id) FROM license_mints';
const FIRST_SOLD = "SELECT min(id) FROM licenses WHERE source = 'STOREFRONT'";
const LAST_ORDER = 'SELECT max(id) FROM orders WHERE placed_at IS NOT NULL';

async function run(bench: ProofBench): Promise<Outcome> {
  const share = bench.quick ? 10 : 1;
  const licenses = await prove(bench, KILLS / share);
  const shop = await proveShop(bench, { orders: ORDERS / share, kills: SHOP_KILLS / share });
  return {
    figures: { ...licenses.figures, ...shop.figures },
    passed: licenses.passed && shop.passed,
    notes: [...licenses.notes, ...shop.notes],
  };
}

export const r01: Proof = {
  id: 'R01',
  databases: ['sqlite', 'postgres'],
  needsQuiet: true,
  requireTools: () => void findFaketime(),
  faults: {
    'early-answer': withFault({ front: startEarlyAnswer }),
    'lost-row': withFault({
      meddle: (reader) => reader.run("DELETE FROM license_activations WHERE kind = 'NODE'"),
    }),
    'half-change': withFault({
      meddle: (reader) => reader.run(`DELETE FROM events WHERE id = (${LAST_EVENT})`),
    }),
    'second-charge': withShopFault(chargeAgain),
    'lost-unit': withShopFault((reader) => reader.run('UPDATE inventory_levels SET on_hand = on_hand - 1')),
    'lost-license': withShopFault((reader) =>
      reader.run(`DELETE FROM license_mints WHERE id = (${LAST_MINT})`),
    ),
    'license-given': withShopFault((reader) =>
      reader.run(`UPDATE licenses SET order_id = NULL WHERE id = (${FIRST_SOLD})`),
    ),
    'lost-order': withShopFault((reader) =>
      reader.run(`UPDATE orders SET placed_at = NULL WHERE id = (${LAST_ORDER})`),
    ),
  },
  run,
};
