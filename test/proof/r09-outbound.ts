// R9, the license service's part of it: every event reaches whoever asked for it or ends after its last attempt, also
// when the receiver fails and the program is killed in the middle of its work.
import { createClient } from './parts/client.ts';
import { compare, type Findings, type Terms } from './parts/delivery-judge.ts';
import { killWhileSending } from './parts/delivery-killer.ts';
import { refusing, type Sender, tryFailing, tryRefusing } from './parts/disabling.ts';
import { licenseMaker, Made, makeEvents } from './parts/event-load.ts';
import { faults } from './parts/faulty-senders.ts';
import { createApiKey, type Installation, installationAt, withKey } from './parts/installation.ts';
import { opensslHmac, requireOpenssl } from './parts/openssl-hmac.ts';
import { type RunningServer, startServer } from './parts/processes.ts';
import { Complaints, type Outcome, type Proof, type ProofBench } from './parts/proof.ts';
import type { Random } from './parts/random.ts';
import { openReader, type Reader } from './parts/reader.ts';
import { type Receiver, type Reply, type Script, startReceiver } from './parts/receiver.ts';
import { drawLines, type Line, owedBy, storedOf, untilEnded } from './parts/webhook-scene.ts';

const EVENTS = 10_000;
const KILLS = 50;
/** Of one target two are on their way at once and twenty in all: ten webhooks keep all places busy. */
const MIXED_LINES = 10;
const IN_FLIGHT = 20;
const ANSWER_DELAY_MS = 40;
const PUNCTUAL_EVENTS = 40;
const PER_BULK = 20;
const DELAYS = [10, 30];
/** A lease of a killed process, both delays, and three attempts that are never answered, twice over. */
const DRAIN_MS = 200_000;
const FAILING_MS = 120_000;

/** Per mille of requests that are not just answered with 200; 30 % fail. A silence takes a place for ten seconds. */
const ODDS: readonly (readonly [Reply, perMille: number])[] = [
  [503, 120],
  [500, 80],
  ['reset', 50],
  ['flood', 20],
  ['silence', 3],
  [404, 17],
  [302, 10],
  ['drip', 10],
];

/** Everything that takes part. */
interface Scene {
  installation: Installation;
  apiKey: string;
  receiver: Receiver;
  lines: readonly Line[];
  made: Made;
}

async function run(bench: ProofBench): Promise<Outcome> {
  const receiver = await startReceiver();
  try {
    const [events, kills] = bench.quick ? [EVENTS / 10, KILLS / 10] : [EVENTS, KILLS];
    const scene = await prepare(bench, receiver);
    const { installation, made, lines, apiKey } = scene;
    const start = (): Promise<RunningServer> => startServer(installation.launch);
    const productIds = mixed(lines).map(({ productId }) => productId) as [string, ...string[]];
    const maker = licenseMaker(apiKey, productIds, bench.random, made);
    const disturbed = await killWhileSending({ start, receiver, maker, made }, bench.random, events, kills);
    const server = await start();
    try {
      await makeEvents(server.url, maker, made, events).done;
      return await conclude(scene, server, kills, disturbed);
    } finally {
      await server.stop();
    }
  } finally {
    await receiver.stop();
  }
}

const mixed = (lines: readonly Line[]): Line[] => lines.filter(({ name }) => name.startsWith('mixed-'));

async function prepare(bench: ProofBench, receiver: Receiver): Promise<Scene> {
  const installation = installationAt(bench, 'telling', {
    APPCTL_RATE_LIMIT: 'off',
    APPCTL_LOG_LEVEL: 'error',
    // R10 is about the guard; here the receiver is on this machine.
    APPCTL_WEBHOOK_ALLOW_PRIVATE: '127.0.0.0/8',
  });
  const server = await startServer(installation.launch);
  try {
    const apiKey = await createApiKey(installation, 'proof');
    const lines = await drawLines(installation, receiver, scriptsFor(bench.random), ANSWER_DELAY_MS);
    return { installation, apiKey, receiver, lines, made: new Made() };
  } finally {
    await server.stop();
  }
}

function scriptsFor(random: Random): Record<string, Script> {
  const byChance = Array.from({ length: MIXED_LINES }, (_, i): [string, Script] => [
    `mixed-${i}`,
    { by: 'chance', seed: random.below(2 ** 32), odds: ODDS },
  ]);
  return {
    ...Object.fromEntries(byChance),
    punctual: { by: 'attempt', replies: [503, 503, 200] },
    refusing,
    failing: { by: 'attempt', replies: [500] },
  };
}

/** What waits is sent to its end; meanwhile the other rules are tried, for which nobody may be killed. */
async function conclude(
  { installation, apiKey, receiver, lines, made }: Scene,
  server: RunningServer,
  kills: number,
  disturbed: number,
): Promise<Outcome> {
  const reader = await openReader(installation);
  try {
    const sender: Sender = { reader, receiver, emit: (line, count) => emit(server, apiKey, line, count) };
    const [punctual, refused, failing] = ['punctual', 'refusing', 'failing'].map(
      (name) => lines.find((line) => line.name === name) as Line,
    ) as [Line, Line, Line];
    // On a fast machine thousands wait here for one of the places, and would hold them up.
    await untilEnded(reader, DRAIN_MS);
    await sender.emit(punctual, PUNCTUAL_EVENTS);
    const rules = await Promise.all([tryRefusing(sender, refused), tryFailing(sender, failing, FAILING_MS)]);
    await untilEnded(reader, DRAIN_MS);
    const found = await examine(reader, receiver, lines, made);
    const odd = signatures(await receiver.received(), lines);
    return outcomeOf({ found, rules, odd, made, kills, disturbed });
  } finally {
    await reader.close();
  }
}

/** Makes licenses of a line's product: each is one event. */
async function emit(
  server: RunningServer,
  apiKey: string,
  { productId }: Line,
  count: number,
): Promise<void> {
  const client = createClient(server.url, 1);
  try {
    for (let left = count; left > 0; left -= PER_BULK) {
      const license = { productId, customerEmail: 'ann@example.com' };
      const body = { licenses: Array.from({ length: Math.min(left, PER_BULK) }, () => license) };
      const path = '/api/v1/license/create-bulk';
      const answer = await client.ask({ method: 'POST', path, headers: withKey(apiKey), body });
      if (answer.status >= 300) throw new Error(`create-bulk was answered ${answer.status}: ${answer.body}`);
    }
  } finally {
    client.close();
  }
}

async function examine(
  reader: Reader,
  receiver: Receiver,
  lines: readonly Line[],
  made: Made,
): Promise<Findings> {
  const owed = await owedBy(reader, lines);
  const terms: Terms = { delays: DELAYS, punctual: new Set(['punctual']) };
  // The events of a webhook that is disabled are owed to nobody.
  const untold = new Set(['refusing', 'failing']);
  const books = {
    owed: owed.filter(({ hook }) => !untold.has(hook)),
    stored: await storedOf(reader, lines),
    received: await receiver.received(),
  };
  const found = compare(books, terms);
  const told = new Set(owed.map(({ subject }) => subject));
  for (const id of made.subjects) found.lost.unless(told.has(id), () => `${id} was made and has no event`);
  return found;
}

/** Some of the requests, signed again by another program. */
function signatures(
  received: Awaited<ReturnType<Receiver['received']>>,
  lines: readonly Line[],
): { compared: number; odd: Complaints } {
  const odd = new Complaints();
  let compared = 0;
  for (const { hook, id, sample } of received) {
    const secret = lines.find(({ name }) => name === hook)?.secret;
    if (!sample || secret === undefined) continue;
    compared += 1;
    const expected = `sha256=${opensslHmac(secret, sample.body).toString('hex')}`;
    odd.unless(sample.signature === expected, () => `openssl signs ${id} otherwise`);
  }
  return { compared, odd };
}

function outcomeOf({
  found,
  rules,
  odd: { compared, odd },
  made,
  kills,
  disturbed,
}: {
  found: Findings;
  rules: readonly Complaints[];
  odd: ReturnType<typeof signatures>;
  made: Made;
  kills: number;
  disturbed: number;
}): Outcome {
  const most = kills * IN_FLIGHT;
  const figures = {
    events: made.count,
    kills,
    in_flight_kills: disturbed,
    delivered: found.delivered,
    failed: found.failed,
    lost: found.lost.count,
    wrong: found.wrong.count,
    strange: found.strange.count,
    unpunctual: found.unpunctual.count,
    duplicates: `${found.duplicates}/${most}`,
    openssl: compared,
    disabling: rules.reduce((sum, { count }) => sum + count, 0) === 0 ? 'exact' : 'wrong',
  };
  const { lost, wrong, strange, unpunctual } = found;
  const notes = [lost, wrong, strange, unpunctual, odd, ...rules].flatMap((complaints) => complaints.notes);
  if (found.duplicates > most) notes.push('more was sent twice than was on its way at the kills');
  if (disturbed === 0) notes.push('no kill met a request that was on its way');
  if (compared === 0) notes.push('no signature was compared');
  return { figures, passed: notes.length === 0, notes };
}

export const r09: Proof = {
  id: 'R09',
  databases: ['sqlite', 'postgres'],
  needsQuiet: true,
  requireTools: requireOpenssl,
  faults,
  run,
};
