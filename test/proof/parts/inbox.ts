// Reports of purchases sent to an inbox as processors send them, and what became of them.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, createClient } from './client.ts';
import type { Forgery } from './forgeries.ts';
import type { RunningServer } from './processes.ts';
import { Complaints } from './proof.ts';
import { type Purchase, type Report, type Shop, signatureOf } from './purchases.ts';
import type { Random } from './random.ts';
import type { Reader } from './reader.ts';

/** What takes part. */
export interface Inbox {
  shop: Shop;
  reader: Reader;
  random: Random;
  /** How many servers there are after a kill. */
  servers: number;
  start(): Promise<RunningServer>;
}

/** What all parts of a run add up. */
export class Findings {
  requests = 0;
  licenses = 0;
  slowestMs = 0;
  spooled = 0;
  /** Copies that a kill kept from being answered. */
  cut = 0;
  /** Answers that were not what was promised. */
  readonly answers = new Complaints();
  /** Purchases with fewer licenses than units. */
  readonly lost = new Complaints();
  /** Purchases with more licenses than units, or licenses that were told of otherwise than once. */
  readonly doubled = new Complaints();
  /** Licenses of what nobody has signed. */
  readonly forged = new Complaints();
  /** Licenses may be made so long after the last answer, in milliseconds. */
  readonly settleMs: number;

  constructor(settleMs: number) {
    this.settleMs = settleMs;
  }
}

const SOURCES = 20;
const PER_SOURCE = 50;
/** After the first answer; all the copies are on their way then. */
const KILL_MS = 60;
/** A processor does not wait longer. */
const LATE_MS = 15_000;
const POLL_MS = 200;

/** A connection that the kill has cut. */
const cut = Symbol('cut');

interface Sender {
  send(report: Report): Promise<Answer | typeof cut>;
  sendAs(forgery: Forgery): Promise<Answer>;
  close(): void;
}

/** Sends from twenty addresses in turn, each over many connections. */
function senderTo(url: string, shop: Shop, found: Findings): Sender {
  const client = createClient(url, PER_SOURCE);
  let sent = 0;
  const post = async (configId: string, body: string, headers: Forgery['headers']): Promise<Answer> => {
    const from = `127.0.0.${1 + (sent++ % SOURCES)}`;
    const path = `/api/v1/webhooks/inbound/${configId}`;
    const beganMs = performance.now();
    const answer = await client.ask({ method: 'POST', path, headers, body, from });
    found.requests += 1;
    found.slowestMs = Math.max(found.slowestMs, Math.round(performance.now() - beganMs));
    return answer;
  };
  return {
    async send(report) {
      const place = shop[report.processor];
      try {
        return await post(place.configId, report.body, signatureOf(place, report));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === undefined) throw error;
        return cut;
      }
    },
    sendAs: ({ configId, body, headers }) => post(configId, body, headers),
    close: () => client.close(),
  };
}

/** Whether it is the answer to a report that was signed. @returns what it said */
function hear(found: Findings, what: string, { status, body }: Answer): Record<string, unknown> {
  const said = status === 200 ? (JSON.parse(body) as Record<string, unknown>) : {};
  found.answers.unless(said.success === true, () => `${what} was answered ${status} ${body}`);
  if (said.spooled === true) found.spooled += 1;
  return said;
}

/** Copies of one report at once: half of them meet a kill, and are sent again with the other half after it. */
export async function sendCopies(
  inbox: Inbox,
  found: Findings,
  bought: Purchase,
  copies: number,
): Promise<void> {
  const { shop, random, start } = inbox;
  const report = bought.reports[0] as Report;
  const all = (count: number): Report[] => Array.from({ length: count }, () => report);
  const first = await start();
  const before = senderTo(first.url, shop, found);
  const some = Promise.withResolvers<void>();
  const halves = all(copies / 2).map(async (one) => {
    const answer = await before.send(one);
    some.resolve();
    return answer;
  });
  await some.promise;
  await sleep(random.below(KILL_MS));
  await first.kill();
  const answers = await Promise.all(halves);
  before.close();
  const missed = answers.filter((answer) => answer === cut).length;
  found.cut += missed;
  const seconds = await Promise.all(Array.from({ length: inbox.servers }, start));
  const senders = seconds.map(({ url }) => senderTo(url, shop, found));
  try {
    const rest = all(copies / 2 + missed).map((one, i) => (senders[i % senders.length] as Sender).send(one));
    answers.push(...(await Promise.all(rest)));
    const heard = answers.filter((answer) => answer !== cut);
    found.answers.unless(heard.length === copies, () => `${heard.length} answers to ${copies} copies`);
    const said = heard.map((answer) => hear(found, bought.orderId, answer));
    const made = said.reduce((sum, { licensesCreated }) => sum + Number(licensesCreated), 0);
    found.doubled.unless(made <= bought.units, () => `${bought.orderId}: ${made} licenses were promised`);
    await examine(inbox, found, [bought]);
  } finally {
    for (const sender of senders) sender.close();
    await Promise.all(seconds.map((server) => server.stop()));
  }
}

/** Every report of each purchase twice, all of one purchase at once. */
export async function sendTogether(
  inbox: Inbox,
  found: Findings,
  purchases: readonly Purchase[],
): Promise<void> {
  const server = await inbox.start();
  const sender = senderTo(server.url, inbox.shop, found);
  try {
    for (const { reports, orderId } of purchases) {
      const answers = await Promise.all([...reports, ...reports].map(sender.send));
      for (const answer of answers) if (answer !== cut) hear(found, orderId, answer);
      found.answers.unless(!answers.includes(cut), () => `${orderId} was not answered`);
    }
    await examine(inbox, found, purchases);
  } finally {
    sender.close();
    await server.stop();
  }
}

/** A database that goes away while purchases come in. */
export interface Trouble {
  begin(): Promise<void>;
  end(): Promise<void>;
  seconds: number;
  /** Reported while the database is there: a server then knows the places that they came to. */
  before: readonly Purchase[];
  purchases: readonly Purchase[];
  /** Sent with them. A server that does not know their places cannot refuse them at once. */
  forged: readonly Forgery[];
  /** Whether the server is killed before the database is back. */
  isKilled: boolean;
}

/** Everything that was reported while the database was away is there soon after it is back, and nothing else. */
export async function sendThrough(inbox: Inbox, found: Findings, trouble: Trouble): Promise<void> {
  const { seconds, before, purchases, forged, isKilled } = trouble;
  let server = await inbox.start();
  const sender = senderTo(server.url, inbox.shop, found);
  try {
    for (const bought of before) await report(sender, found, bought);
    await trouble.begin();
    const ms = (seconds * 1000) / purchases.length;
    const reported = Promise.all([
      ...purchases.map((bought, i) => sleep(i * ms).then(() => report(sender, found, bought))),
      ...forged.map((forgery, i) => sleep(i * ms).then(() => forge(sender, found, forgery))),
    ]);
    await Promise.race([reported, sleep(seconds * 1000 + LATE_MS)]);
    if (isKilled) await server.kill();
    await trouble.end();
    await reported;
    if (isKilled) server = await inbox.start();
    await examine(inbox, found, [...before, ...purchases]);
    const made = await licensesOf(inbox.reader);
    for (const order of made.keys())
      found.forged.unless(!/^(forged|altered)/.test(order), () => `${order} has licenses`);
  } finally {
    sender.close();
    await server.stop();
  }
}

async function report(sender: Sender, found: Findings, { reports, orderId }: Purchase): Promise<void> {
  const answer = await sender.send(reports[0] as Report);
  found.answers.unless(answer !== cut, () => `${orderId} was not answered`);
  if (answer !== cut) hear(found, orderId, answer);
}

async function forge(sender: Sender, found: Findings, forgery: Forgery): Promise<void> {
  const { status, body } = await sender.sendAs(forgery);
  found.answers.unless(status === 200, () => `${forgery.name} was answered ${status} ${body}`);
}

/** Forgeries make nothing; the purchase that they pretend to be would. */
export async function sendForged(
  inbox: Inbox,
  found: Findings,
  forged: readonly Forgery[],
  pretended: readonly Purchase[],
): Promise<void> {
  const server = await inbox.start();
  const sender = senderTo(server.url, inbox.shop, found);
  const countLicenses = async (): Promise<number> =>
    (await inbox.reader.all<{ n: number }>('SELECT count(*) AS n FROM licenses'))[0]?.n ?? 0;
  try {
    let before = await countLicenses();
    for (const forgery of forged) {
      const { status, body } = await sender.sendAs(forgery);
      const said = () => `${forgery.name} was answered ${status} ${body}`;
      found.answers.unless(status === 200 && JSON.parse(body).success === false, said);
      const now = await countLicenses();
      found.forged.unless(now === before, () => `${forgery.name} made ${now - before} licenses`);
      before = now;
    }
    for (const bought of pretended) await report(sender, found, bought);
    await examine(inbox, found, pretended);
  } finally {
    sender.close();
    await server.stop();
  }
}

/** Waits for the licenses of purchases, and counts them and what was told of them. */
export async function examine(
  { reader }: Pick<Inbox, 'reader'>,
  found: Findings,
  purchases: readonly Purchase[],
): Promise<void> {
  const end = performance.now() + found.settleMs;
  let stored = await licensesOf(reader);
  const isThere = ({ orderId, units }: Purchase): boolean => (stored.get(orderId)?.length ?? 0) >= units;
  while (!purchases.every(isThere) && performance.now() < end) {
    await sleep(POLL_MS);
    stored = await licensesOf(reader);
  }
  for (const { orderId, units } of purchases) {
    const told = stored.get(orderId) ?? [];
    found.licenses += told.length;
    found.lost.unless(told.length >= units, () => `${orderId} has ${told.length} licenses, not ${units}`);
    found.doubled.unless(told.length <= units, () => `${orderId} has ${told.length} licenses, not ${units}`);
    const odd = told.filter((n) => n !== 1).length;
    found.doubled.unless(odd === 0, () => `${orderId}: ${odd} licenses were not told of exactly once`);
  }
}

/** Of each order: how often each of its licenses was told of. */
async function licensesOf(reader: Reader): Promise<Map<string, number[]>> {
  const rows = await reader.all<{ order_id: string; told: number }>(
    `SELECT l.order_id, (SELECT count(*) FROM events e WHERE e.subject = l.id AND e.type = 'LICENSE_CREATED') AS told
     FROM licenses l WHERE l.order_id IS NOT NULL`,
  );
  const orders = Map.groupBy(rows, ({ order_id }) => order_id);
  return new Map([...orders].map(([orderId, list]) => [orderId, list.map(({ told }) => told)]));
}
