// Senders with one planted fault each, judged by the eyes that judge the program: each fault must be seen as what it is.
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { createClient } from './client.ts';
import { compare, type Findings } from './delivery-judge.ts';
import { killWhileSending } from './delivery-killer.ts';
import { refusing, type Sender, tryRefusing } from './disabling.ts';
import { Made, type Maker, makeEvents } from './event-load.ts';
import { type RunningServer, startServer } from './processes.ts';
import type { Outcome, Proof, ProofBench } from './proof.ts';
import { openFile, openServer, type Reader } from './reader.ts';
import { type Receiver, type Script, startReceiver } from './receiver.ts';
import { type Line, owedBy, storedOf, untilEnded } from './webhook-scene.ts';

const EVENTS = 200;
const KILLS = 3;
const PER_REQUEST = 10;
/** As in the fixture. */
const SECRET = 'the-secret-of-a-fixture';
const DELAYS = [1, 2];
const ANSWER_DELAY_MS = 40;
const DRAIN_MS = 20_000;

const TABLES = [
  'CREATE TABLE events (id text, type text, service text, subject text)',
  'CREATE TABLE licenses (id text, product_id text)',
  'CREATE TABLE webhook_deliveries (event_id text, webhook_id text, state text, attempts integer, due_ms bigint, body text)',
  'CREATE TABLE webhooks (id text, enabled integer, consecutive_failures integer)',
];

const mixed: Script = {
  by: 'chance',
  seed: 1,
  odds: [
    [503, 200],
    ['reset', 50],
    [404, 50],
  ],
};

const lineOf = (name: string): Line => ({ name, productId: name, webhookId: name, secret: SECRET });

/** @returns the fixture's words that name the database, and a reader of it */
async function makeTables({ database, folder }: ProofBench): Promise<{ where: string[]; reader: Reader }> {
  const rows = ['mixed', 'refusing'].map((name) => `INSERT INTO webhooks VALUES ('${name}', 1, 0)`);
  if (database.url !== undefined) {
    for (const sql of [...TABLES, ...rows]) await database.execute(sql, []);
    return { where: ['--url', database.url], reader: await openServer(database.url) };
  }
  const file = join(folder, 'events.db');
  const made = new Database(file);
  made.pragma('journal_mode = WAL');
  made.pragma('synchronous = OFF');
  for (const sql of [...TABLES, ...rows]) made.exec(sql);
  made.close();
  return { where: ['--file', file], reader: await openFile(file) };
}

async function emit(url: string, { name }: Line, count: number): Promise<string[]> {
  const client = createClient(url, 1);
  try {
    return await ask(client, name, count);
  } finally {
    client.close();
  }
}

const ask = async (client: ReturnType<typeof createClient>, name: string, count: number): Promise<string[]> =>
  JSON.parse((await client.ask({ method: 'POST', path: '/emit', body: { name, count } })).body) as string[];

const makerOf =
  (made: Made): Maker =>
  async (client) => {
    const ids = await ask(client, 'mixed', PER_REQUEST);
    made.count += ids.length;
    made.subjects.push(...ids);
  };

/** Starts a fixture, and hands over what is needed to try it. */
const withFault =
  (name: string, look: (stage: Stage, random: ProofBench['random']) => Promise<Outcome>) =>
  async (bench: ProofBench): Promise<Outcome> => {
    const { where, reader } = await makeTables(bench);
    const receiver = await startReceiver();
    const launch = {
      exe: join(import.meta.dirname, 'fixture-sender.ts'),
      cwd: bench.folder,
      env: {},
      prefix: [process.execPath],
    };
    const words = [...where, '--receiver', receiver.url, `--break=${name}`];
    try {
      for (const [hook, script] of Object.entries({ mixed, refusing })) {
        await receiver.listen({ name: hook, secret: SECRET, script, delayMs: ANSWER_DELAY_MS });
      }
      return await look({ reader, receiver, start: () => startServer(launch, words) }, bench.random);
    } finally {
      await reader.close();
      await receiver.stop();
    }
  };

interface Stage {
  reader: Reader;
  receiver: Receiver;
  start(): Promise<RunningServer>;
}

/** Kills included, as with the program; found when the complaints of the right kind are there. */
const campaign =
  (kind: 'lost' | 'wrong' | 'strange' | 'unpunctual') =>
  async (stage: Stage, random: ProofBench['random']) => {
    const { reader, receiver, start } = stage;
    const made = new Made();
    const maker = makerOf(made);
    await killWhileSending({ start, receiver, maker, made }, random, EVENTS, KILLS);
    const server = await start();
    try {
      await makeEvents(server.url, maker, made, EVENTS).done;
      await untilEnded(reader, DRAIN_MS);
      const lines = [lineOf('mixed')];
      const books = {
        owed: await owedBy(reader, lines),
        stored: await storedOf(reader, lines),
        received: await receiver.received(),
      };
      return outcomeOf(compare(books, { delays: DELAYS, punctual: new Set<string>() }), kind);
    } finally {
      await server.stop();
    }
  };

function outcomeOf(found: Findings, kind: 'lost' | 'wrong' | 'strange' | 'unpunctual'): Outcome {
  const { delivered, failed, duplicates, lost, wrong, strange, unpunctual } = found;
  const figures = {
    ...{ kills: KILLS, delivered, failed, lost: lost.count, wrong: wrong.count, strange: strange.count },
    ...{ unpunctual: unpunctual.count, duplicates },
  };
  return { figures, passed: found[kind].count === 0, notes: found[kind].notes };
}

async function disabling({ reader, receiver, start }: Stage): Promise<Outcome> {
  const server = await start();
  try {
    const sender: Sender = {
      ...{ reader, receiver },
      emit: async (line, count) => void (await emit(server.url, line, count)),
    };
    const { count, notes } = await tryRefusing(sender, lineOf('refusing'));
    return { figures: { disabling: count === 0 ? 'exact' : 'wrong' }, passed: count === 0, notes };
  } finally {
    await server.stop();
  }
}

export const faults: Proof['faults'] = {
  'marks-before-sending': withFault('marks-before-sending', campaign('lost')),
  'new-id-each-time': withFault('new-id-each-time', campaign('strange')),
  'retries-refusals': withFault('retries-refusals', campaign('wrong')),
  hurries: withFault('hurries', campaign('unpunctual')),
  'never-resets': withFault('never-resets', disabling),
};
