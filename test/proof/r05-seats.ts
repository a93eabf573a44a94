// R5: whoever asks and however many at once, no more seats are held than there are.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Tally } from '../support/seat-workers.ts';
import { createClient } from './parts/client.ts';
import {
  createApiKey,
  createProduct,
  type Installation,
  installationAt,
  withKey,
} from './parts/installation.ts';
import { type RunningServer, startServer } from './parts/processes.ts';
import type { Outcome, Proof, ProofBench } from './parts/proof.ts';
import { openReader, type Reader } from './parts/reader.ts';
import { processRival, type Rival, serverRival } from './parts/rivals.ts';
import { makeFixtureTable } from './parts/seat-table.ts';

const SEATS = 10;
const WORKERS = 50;
const SECONDS = 60;
const FAULT_SECONDS = 1;
/** Checkout, extension and checkin by every worker; the clock is looked at in between. */
const ROUNDS = 4;
const SAMPLE_MS = 5;
/** In one go, half of them from each process. */
const SAME_MACHINE = 50;
const RACERS = 200;
const FIGHT_OUTCOMES = ['checkout done', 'extension done', 'checkin done', 'checkout SEAT_LIMIT_REACHED'];
const RACE_OUTCOMES = ['activated', 'ACTIVATION_FAILED'];
const LIVE = 'SELECT count(*) AS n FROM license_activations WHERE license_id = ? AND ended_at IS NULL';

/** A license as both sides name it. */
interface Named {
  id: string;
  key: string;
}

/** Everything that takes part. */
interface Scene {
  rivals: readonly [Rival, Rival];
  reader: Reader;
  /** What the servers wrote to their logs. */
  output(): string;
  close(): Promise<void>;
}

/** What was seen. */
interface Seen {
  tallies: Tally[];
  samples: number;
  /** The most live leases at once. */
  most: number;
}

const machines = (side: number, count: number): string[] =>
  Array.from({ length: count }, (_, i) => `machine-${side}-${i}`);

/** Two sides take seats and give them back, while a third connection counts. */
async function fight({ rivals, reader }: Scene, { id, key }: Named, seconds: number): Promise<Seen> {
  const seen: Seen = { tallies: [], samples: 0, most: 0 };
  const until = performance.now() + seconds * 1000;
  const side = async (rival: Rival, number: number): Promise<void> => {
    const work = { licenseKey: key, machineIds: machines(number, WORKERS), rounds: ROUNDS };
    while (performance.now() < until) seen.tallies.push(await rival.fight(work));
  };
  let isOver = false;
  const look = async (): Promise<void> => {
    while (!isOver) {
      seen.most = Math.max(seen.most, await liveOf(reader, id));
      seen.samples += 1;
      await sleep(SAMPLE_MS);
    }
  };
  const looking = look();
  await Promise.all(rivals.map(side)).finally(() => {
    isOver = true;
  });
  await looking;
  return seen;
}

const liveOf = async (reader: Reader, id: string): Promise<number> =>
  (await reader.all<{ n: number }>(LIVE, id))[0]?.n ?? 0;

/** Names of outcomes, with how often each came. */
function sum(tallies: readonly Tally[]): Map<string, number> {
  const all = new Map<string, number>();
  for (const [name, n] of tallies.flatMap(Object.entries)) all.set(name, (all.get(name) ?? 0) + n);
  return all;
}

/** One machine checks out many times at once. */
async function sameMachine({ rivals, reader }: Scene, { id, key }: Named): Promise<[seats: number, Tally[]]> {
  const machineIds = Array.from({ length: SAME_MACHINE / 2 }, () => 'the-same-machine');
  const work = { licenseKey: key, machineIds, rounds: 0 };
  const tallies = await Promise.all(rivals.map((rival) => rival.fight(work)));
  return [await liveOf(reader, id), tallies];
}

/** Many machines race for the only activation. */
async function race({ rivals, reader }: Scene, { id, key }: Named): Promise<[activations: number, string[]]> {
  const outcomes = await Promise.all(
    rivals.map((rival, side) => rival.activate(key, machines(side, RACERS / 2))),
  );
  return [await liveOf(reader, id), outcomes.flat()];
}

/** The executable, and beside it a second one or, where one file serves one server, a process of another kind. */
async function run(bench: ProofBench): Promise<Outcome> {
  const installation = installationAt(bench, 'fought-for', {
    APPCTL_RATE_LIMIT: 'off',
    APPCTL_LOG_LEVEL: 'warn',
  });
  const first = await startServer(installation.launch);
  const { id: productId } = await createProduct(installation, 'editor');
  const apiKey = await createApiKey(installation, 'proof');
  const [floating, shared, node] = await Promise.all([
    makeLicense(first, apiKey, { productId, type: 'FLOATING', maxActivations: SEATS }),
    makeLicense(first, apiKey, { productId, type: 'FLOATING', maxActivations: SEATS }),
    makeLicense(first, apiKey, { productId, maxActivations: 1 }),
  ]);
  const scene = await open(bench, installation, first, apiKey);
  try {
    const seconds = bench.quick ? SECONDS / 10 : SECONDS;
    const seen = await fight(scene, floating, seconds);
    return judge(scene, seconds, seen, await sameMachine(scene, shared), await race(scene, node));
  } finally {
    await scene.close();
  }
}

async function open(
  { database }: ProofBench,
  installation: Installation,
  first: RunningServer,
  apiKey: string,
): Promise<Scene> {
  const { launch } = installation;
  const second = database.kind === 'postgres' ? await startServer(launch) : null;
  const rivals: Scene['rivals'] = [
    serverRival(first, apiKey, RACERS),
    second ? serverRival(second, apiKey, RACERS) : await processRival(launch),
  ];
  const reader = await openReader(installation);
  return {
    rivals,
    reader,
    output: () => `${first.output()}${second?.output() ?? ''}`,
    async close() {
      await Promise.all(rivals.map((rival) => rival.stop()));
      await reader.close();
    },
  };
}

async function makeLicense(server: RunningServer, apiKey: string, more: object): Promise<Named> {
  const client = createClient(server.url, 1);
  const body = { customerEmail: 'ann@example.com', ...more };
  const ask = { method: 'POST' as const, path: '/api/v1/license/create', headers: withKey(apiKey), body };
  const answer = await client.ask(ask);
  client.close();
  return JSON.parse(answer.body).license;
}

function judge(
  scene: Scene,
  seconds: number,
  seen: Seen,
  [seats, sameOutcomes]: [number, Tally[]],
  [activations, raceOutcomes]: [number, string[]],
): Outcome {
  const all = sum([...seen.tallies, ...sameOutcomes]);
  const wrong = [
    ...[...all.keys()].filter((outcome) => !FIGHT_OUTCOMES.includes(outcome)),
    ...raceOutcomes.filter((outcome) => !RACE_OUTCOMES.includes(outcome)),
  ];
  const winners = raceOutcomes.filter((outcome) => outcome === 'activated').length;
  const busy = [...wrong, scene.output()].join('\n').match(/SQLITE_BUSY|database is locked/g)?.length ?? 0;
  const taken = all.get('checkout done') ?? 0;
  const figures = {
    seconds,
    checkouts: taken,
    denied: all.get('checkout SEAT_LIMIT_REACHED') ?? 0,
    samples: seen.samples,
    most_live: seen.most,
    wrong_answers: wrong.length,
    busy,
    same_machine_seats: seats,
    race_activations: activations,
    race_winners: winners,
  };
  const notes = wrong.slice(0, 10);
  if (seen.most !== SEATS) notes.push(`${seen.most} seats were held at once, of ${SEATS}`);
  if (seats !== 1) notes.push(`one machine holds ${seats} seats`);
  if (activations !== 1 || winners !== 1) notes.push(`${winners} machines were told that they won one slot`);
  if (busy > 0) notes.push('SQLite was busy');
  return { figures, passed: notes.length === 0, notes };
}

/** Counterparts that count first and insert then, judged by the same eyes. */
async function countThenInsert(bench: ProofBench): Promise<Outcome> {
  const { where, reader } = await makeFixtureTable(bench);
  const launch = {
    exe: join(import.meta.dirname, 'parts/fixture-seats.ts'),
    cwd: bench.folder,
    env: {},
    prefix: [process.execPath],
  };
  const words = [...where, '--seats', String(SEATS)];
  const servers = await Promise.all([startServer(launch, words), startServer(launch, words)]);
  const rivals = servers.map((server) => serverRival(server, '', RACERS)) as unknown as Scene['rivals'];
  try {
    const scene: Scene = { rivals, reader, output: () => '', close: async () => undefined };
    const named = (id: string): Named => ({ id, key: id });
    const seen = await fight(scene, named('fought-for'), FAULT_SECONDS);
    return judge(scene, FAULT_SECONDS, seen, await sameMachine(scene, named('same')), [1, ['activated']]);
  } finally {
    await Promise.all(rivals.map((rival) => rival.stop()));
    await reader.close();
  }
}

export const r05: Proof = {
  id: 'R05',
  databases: ['sqlite', 'postgres'],
  requireTools: () => undefined,
  faults: { 'count-then-insert': countThenInsert },
  run,
};
