// R24: a mail goes to whom it is for and to nobody else, whatever somebody wrote into a field; receivers read it as it
// was meant; and what could not be sent for an hour arrives once.
import { join } from 'node:path';
import { type MailServer, openMailServer } from '../support/smtp-server.ts';
import { createClient } from './parts/client.ts';
import { createWallClock, findFaketime, type WallClock } from './parts/faketime.ts';
import { type Injection, injections } from './parts/mail-injections.ts';
import { orderAt, outlive, until, type Writer, writerOf } from './parts/mail-scene.ts';
import { examinePost, requirePython, SENDER } from './parts/post.ts';
import { startServer } from './parts/processes.ts';
import type { Complaints, Outcome, Proof, ProofBench } from './parts/proof.ts';
import { openReader, type Reader } from './parts/reader.ts';
import { askShopDoctor, openStorefront } from './parts/storefront.ts';

const LATE_ORDERS = 30;
const FAULT_ORDERS = 3;
/** Those of a checkout: a fixture has no other fields. */
const ofCheckout = injections.filter(({ field }) => field === 'email' || field === 'name');

interface Tried {
  taken: string[];
  refused: number;
}

/** Tries all of them, one after the other, and waits for what they set off. */
async function tryAll(writer: Writer, all: readonly Injection[]): Promise<Tried> {
  const tried: Tried = { taken: [], refused: 0 };
  for (const injection of all) {
    if (await writer.try(injection)) tried.taken.push(injection.to);
    else tried.refused += 1;
  }
  await until(async () => (await writer.waiting()) === 0, 'the mails are sent');
  return tried;
}

const WAITING = "SELECT count(*) AS n FROM email_log WHERE status IN ('queued', 'sending')";
const DUE = `${WAITING} AND (status = 'sending' OR next_attempt_at <= ?)`;

/** What waits, as the program itself has written it down. */
function waitingIn(reader: Reader, clock: WallClock): Pick<Writer, 'waiting' | 'due'> {
  const count = async (sql: string, ...values: string[]): Promise<number> =>
    (await reader.all<{ n: number }>(sql, ...values))[0]?.n ?? 0;
  return {
    waiting: () => count(WAITING),
    due: () => count(DUE, new Date(clock.nowMs()).toISOString()),
  };
}

/** Mails of which the program says that they cannot be sent to such an address: nothing went out. */
async function ended(reader: Reader, status: 'suppressed' | 'failed'): Promise<string[]> {
  const rows = await reader.all<{ to_address: string }>(
    'SELECT to_address FROM email_log WHERE status = ?',
    status,
  );
  return rows.map(({ to_address }) => to_address);
}

async function run(bench: ProofBench): Promise<Outcome> {
  const orders = bench.quick ? LATE_ORDERS / 10 : LATE_ORDERS;
  const clock = createWallClock(bench.folder);
  const first = await openMailServer();
  const shop = await openStorefront(bench, 'writing', {
    ...clock.env,
    APPCTL_SETTING_PAYMENT_PROCESSOR: 'offline',
    APPCTL_SMTP_URL: first.url,
    APPCTL_MAIL_FROM: SENDER,
  });
  const reader = await openReader(shop.installation);
  let mailServer: MailServer = first;
  try {
    const variantId = await shop.stocked('letter', 1000);
    const writer = writerOf(shop, variantId, waitingIn(reader, clock));
    const tried = await tryAll(writer, injections);
    const order = (email: string) => orderAt(shop.server.url, variantId, email, 'Ann Miller');
    const after = await outlive({ mailServer, clock, writer, orders, order });
    mailServer = after.mailServer;
    const silent = await ended(reader, 'suppressed');
    const owed = [...tried.taken.filter((to) => !silent.includes(to)), ...after.owed];
    const wrong = examinePost(mailServer, owed, bench.folder);
    const given = await ended(reader, 'failed');
    wrong.unless(given.length === 0, () => `given up: ${given.join(', ')}`);
    return judge(injections.length, tried, mailServer, orders, [
      wrong,
      await askShopDoctor(shop.installation),
    ]);
  } finally {
    await shop.server.stop();
    await reader.close();
    await mailServer.close();
  }
}

function judge(
  tries: number,
  { taken, refused }: Tried,
  { mails, refused: turnedAway }: MailServer,
  late: number,
  checks: readonly Complaints[],
): Outcome {
  const figures = {
    injections: tries,
    taken: taken.length,
    refused,
    late,
    turned_away: turnedAway.length,
    mails: mails.length,
    wrong: checks.reduce((sum, { count }) => sum + count, 0),
  };
  const notes = checks.flatMap((one) => one.notes);
  if (taken.length === 0 || mails.length === 0) notes.push('no mail was written');
  return { figures, passed: notes.length === 0, notes };
}

/** A mailer with one fault, judged by the same eyes. */
const withFault =
  (fault: string) =>
  async (bench: ProofBench): Promise<Outcome> => {
    const first = await openMailServer();
    const launch = {
      exe: join(import.meta.dirname, 'parts/fixture-mailer.ts'),
      cwd: bench.folder,
      env: {},
      prefix: [process.execPath],
    };
    const server = await startServer(launch, ['--smtp', String(first.port), '--break', fault]);
    const client = createClient(server.url, 1);
    let mailServer: MailServer = first;
    try {
      const order = (email: string, name = 'Ann') => orderAt(server.url, 'letter', email, name);
      const writer: Writer = {
        try: ({ field, text, to }) => (field === 'email' ? order(text) : order(to, text)),
        waiting: async () => JSON.parse((await client.ask({ path: '/api/shop/session' })).body).data.waiting,
        due: async () => 0,
      };
      const isOfOutage = fault === 'sends-twice' || fault === 'gives-up';
      const tried = await tryAll(writer, isOfOutage ? [] : ofCheckout);
      const outage = { mailServer, clock: null, writer, orders: FAULT_ORDERS, order };
      const after = isOfOutage ? await outlive(outage) : { mailServer, owed: [] };
      mailServer = after.mailServer;
      const wrong = examinePost(mailServer, [...tried.taken, ...after.owed], bench.folder);
      return judge(ofCheckout.length, tried, mailServer, after.owed.length, [wrong]);
    } finally {
      client.close();
      await server.stop();
      await mailServer.close();
    }
  };

const faults = ['pastes-headers', 'reads-lists', 'sends-twice', 'gives-up'];

export const r24: Proof = {
  id: 'R24',
  databases: ['sqlite', 'postgres'],
  requireTools() {
    findFaketime();
    requirePython();
  },
  faults: Object.fromEntries(faults.map((fault) => [fault, withFault(fault)])),
  run,
};
