// R14: limit N admits exactly N per window, for the real client, over all processes, across a graceful restart.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Bucket, buckets, Tally } from './parts/buckets.ts';
import type { Answer, Ask } from './parts/client.ts';
import { type Fleet, startFleet } from './parts/fleet.ts';
import {
  createApiKey,
  createProduct,
  type Installation,
  installationAt,
  mintLicense,
} from './parts/installation.ts';
import { forwarded, PROXY, readAsk, repeated, type Subject, writeAsk } from './parts/limit-requests.ts';
import { jsonCommand } from './parts/processes.ts';
import type { Outcome, Proof, ProofBench } from './parts/proof.ts';
import type { Random } from './parts/random.ts';

const ADDRESSES = 250;
const fixture = join(import.meta.dirname, 'parts/fixture-limits.ts');

/** Every address of loopback is a client of its own. */
async function countAddresses(fleet: Fleet, subject: Subject, tally: Tally, count: number): Promise<void> {
  const asks = repeated(count * 2, (i) => readAsk(subject, `127.0.0.${1 + (i % count)}`));
  const answers = await fleet.shoot(asks);
  for (let i = 0; i < count; i++) {
    tally.judge(buckets.read, `127.0.0.${1 + i}`, [answers[i] as Answer, answers[i + count] as Answer]);
  }
}

async function fillBuckets(fleet: Fleet, subject: Subject, tally: Tally): Promise<void> {
  const { apiKeys } = subject;
  const read = repeated(100, () => readAsk(subject, '127.0.1.1'));
  tally.judge(buckets.read, 'read', await fleet.shoot(read));
  const updates = repeated(100, () => ({ path: '/api/v1/updates/check', from: '127.0.1.1' }));
  tally.judge(buckets.updateCheck, 'update_check', await fleet.shoot(updates));
  // Side by side, so that a budget shared by mistake would show.
  const [first, second] = await Promise.all([
    fleet.shoot(repeated(50, () => writeAsk(subject, apiKeys.write))),
    fleet.shoot(repeated(50, () => writeAsk(subject, apiKeys.write2))),
  ]);
  tally.judge(buckets.write, 'write', first);
  tally.judge(buckets.write, 'write by another key', second);
}

/** Distinct unknown credentials of one address; one that is repeated is a broken client and counts once (D19d). */
async function guess(fleet: Fleet, subject: Subject, tally: Tally): Promise<void> {
  const { random, apiKeys } = subject;
  const unknown = (): string => `alk_${random.word(43)}`;
  const ask = (secret: string, from: string): Ask => ({ ...writeAsk(subject, secret), from });
  const guessed = await fleet.shoot(repeated(160, () => ask(unknown(), '127.0.1.2')));
  tally.requests += guessed.length;
  tally.windows += 1;
  tally.expectAdmitted(buckets.failures, 'guessed API keys', guessed);
  for (const answer of guessed) {
    if (answer.status === 429) tally.judgeHeaders(buckets.failures, 'guessed API keys', answer);
  }
  const blocked = await fleet.shootEach(ask(apiKeys.restart, '127.0.1.2'));
  tally.admitted.unless(
    blocked.every(({ status }) => status === 429),
    () => 'an address that guesses may use a right key',
  );
  const dead = unknown();
  const repeatedly = await fleet.shoot(repeated(160, () => ask(dead, '127.0.1.3')));
  const refused = repeatedly.filter(({ status }) => status !== 401).length;
  tally.admitted.unless(
    refused === 0,
    () => `one dead key, repeated, was answered ${refused} times other than 401`,
  );
  tally.requests += blocked.length + repeatedly.length;
}

async function comeThroughProxies(
  fleet: Fleet,
  tally: Tally,
  make: (from: string) => Ask,
  random: Random,
): Promise<void> {
  for (const [what, client] of Object.entries(forwarded)) {
    const asks = repeated(90, (i) => {
      const { from, header } = client(random, i);
      const ask = make(from);
      return { ...ask, headers: { ...ask.headers, 'X-Forwarded-For': header } };
    });
    tally.judge(buckets.read, what, await fleet.shoot(asks));
  }
}

/** A graceful restart forgets nothing: what was left before is what is left after. */
async function restart(
  fleet: Fleet,
  tally: Tally,
  used: { bucket: Bucket; ask(): Ask }[],
  between: () => void,
): Promise<void> {
  const before: Answer[][] = [];
  for (const { bucket, ask } of used)
    before.push(await fleet.shoot(repeated(Math.floor(bucket.max / 2), ask)));
  await fleet.restart();
  between();
  for (const [i, { bucket, ask }] of used.entries()) {
    const after = await fleet.shoot(repeated(bucket.max, ask));
    const all = [...(before[i] ?? []), ...after];
    const admitted = all.filter(({ status }) => status !== 429).length;
    tally.forgotten.unless(
      admitted === bucket.max,
      () => `${bucket.name}: ${admitted} of ${bucket.max} admitted before and after a restart`,
    );
    if (bucket !== buckets.failures) tally.judge(bucket, `${bucket.name} across a restart`, all);
  }
}

/** A window that has ended gives way to a full one, and a changed rule counts from its own first request. */
async function countWindows(
  fleet: Fleet,
  subject: Subject,
  tally: Tally,
  installation: Installation,
): Promise<void> {
  const bucket = { ...buckets.read, windowSeconds: 2 };
  const words = ['settings', 'set', 'licensing.limits.read.windowSeconds', String(bucket.windowSeconds)];
  await jsonCommand(installation.launch, words);
  await untilShort(fleet, subject, bucket);
  for (let window = 1; window <= 3; window++) {
    tally.judge(
      bucket,
      `short window ${window}`,
      await fleet.shoot(repeated(100, () => readAsk(subject, '127.0.1.6'))),
    );
    await sleep(bucket.windowSeconds * 1000 + 50);
  }
}

/** Each process of a server follows a changed setting by itself, within two seconds, and only one of them answers. */
const FOLLOWED_MS = 2500;

/** Resolves when all servers follow the changed setting; slow machines are given more. */
async function untilShort(fleet: Fleet, subject: Subject, bucket: Bucket): Promise<void> {
  for (let attempt = 1; attempt <= 100; attempt++) {
    const answers = await fleet.shootEach(readAsk(subject, `127.0.1.${6 + attempt}`));
    if (answers.every(({ headers }) => Number(headers['ratelimit-reset']) <= bucket.windowSeconds))
      return sleep(FOLLOWED_MS);
    await sleep(100);
  }
  throw new Error('a changed setting did not reach the servers');
}

async function prepare(bench: ProofBench, installation: Installation): Promise<Subject> {
  await createProduct(installation, 'editor');
  const { key } = await mintLicense(installation, 'editor', 1000);
  const make = (name: string) => createApiKey(installation, name);
  const apiKeys = {
    read: await make('read'),
    other: await make('other'),
    write: await make('write'),
    write2: await make('write2'),
    restart: await make('restart'),
  };
  return { random: bench.random, licenseKey: key, apiKeys };
}

/** Two servers share Postgres; a SQLite file has one, of one process and of two. */
async function run(bench: ProofBench): Promise<Outcome> {
  if (bench.database.kind === 'postgres') return runWith(bench, 'limited', 1);
  const one = await runWith(bench, 'limited', 1);
  const two = await runWith(bench, 'limited-together', 2);
  const sum = (name: string) => Number(one.figures[name]) + Number(two.figures[name]);
  const figures = Object.fromEntries(Object.keys(one.figures).map((name) => [name, sum(name)]));
  return { figures, passed: one.passed && two.passed, notes: [...one.notes, ...two.notes] };
}

/** Until all processes of a server serve. */
async function together({ launch }: Installation, workers: number): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    const { workers: now } = await jsonCommand<{ workers: { serving: number } }>(launch, ['status']);
    if (now.serving === workers) return;
    await sleep(100);
  }
  throw new Error(`${workers} processes did not come to serve`);
}

async function runWith(bench: ProofBench, name: string, workers: number): Promise<Outcome> {
  const onPostgres = bench.database.kind === 'postgres';
  const env = {
    APPCTL_TRUST_PROXY: `${PROXY}/32`,
    APPCTL_RATE_LIMIT_STORE: onPostgres ? 'postgres' : 'memory',
    APPCTL_LOG_LEVEL: 'warn',
    APPCTL_WORKERS: String(workers),
  };
  const installation = installationAt(bench, name, env);
  const servers = onPostgres ? 2 : 1;
  const ready = () => together(installation, workers);
  const fleet = await startFleet(installation.launch, servers, bench.random, { ready });
  const tally = new Tally();
  const clients = bench.quick ? ADDRESSES / 10 : ADDRESSES;
  try {
    const subject = await prepare(bench, installation);
    await countAddresses(fleet, subject, tally, clients);
    await fillBuckets(fleet, subject, tally);
    await guess(fleet, subject, tally);
    await comeThroughProxies(fleet, tally, (from) => readAsk(subject, from), bench.random);
    await restart(fleet, tally, restartedBuckets(subject), () => examineFile(installation, tally));
    await countWindows(fleet, subject, tally, installation);
  } finally {
    await fleet.stop();
  }
  return outcomeOf(tally, servers * workers, clients);
}

function restartedBuckets(subject: Subject): { bucket: Bucket; ask(): Ask }[] {
  const { random, apiKeys } = subject;
  return [
    { bucket: buckets.read, ask: () => readAsk(subject, '127.0.1.4') },
    { bucket: buckets.write, ask: () => writeAsk(subject, apiKeys.restart) },
    {
      bucket: buckets.failures,
      ask: () => ({ ...writeAsk(subject, `alk_${random.word(43)}`), from: '127.0.1.5' }),
    },
  ];
}

/** The windows of the last process are taken over once. */
function examineFile({ dataDir }: Installation, tally: Tally): void {
  tally.forgotten.unless(!existsSync(join(dataDir, 'run/limits.json')), () => 'limits.json is still there');
}

function outcomeOf(tally: Tally, processes: number, clients: number): Outcome {
  const { requests, windows, admitted, headers, forgotten } = tally;
  const figures = {
    processes,
    clients,
    windows,
    requests,
    inexact: admitted.count,
    wrong_headers: headers.count,
    forgotten: forgotten.count,
  };
  const notes = [...admitted.notes, ...headers.notes, ...forgotten.notes];
  return { figures, passed: notes.length === 0, notes };
}

/** The counterpart with a planted fault, which one part of the run must see. */
const fault =
  (name: string, clients: number, see: (fleet: Fleet, tally: Tally, bench: ProofBench) => Promise<void>) =>
  async (bench: ProofBench): Promise<Outcome> => {
    const launch = { exe: fixture, cwd: bench.folder, env: {}, prefix: [process.execPath] };
    const fleet = await startFleet(launch, 1, bench.random, { args: [`--break=${name}`] });
    const tally = new Tally();
    try {
      await see(fleet, tally, bench);
    } finally {
      await fleet.stop();
    }
    return outcomeOf(tally, 1, clients);
  };

const plain = (from: string): Ask => ({ path: '/', from });

export const r14: Proof = {
  id: 'R14',
  databases: ['sqlite', 'postgres'],
  needsQuiet: true,
  requireTools: () => undefined,
  faults: {
    'count-then-insert': fault('count-then-insert', 1, async (fleet, tally) => {
      tally.judge(buckets.read, 'read', await fleet.shoot(repeated(100, () => plain('127.0.1.1'))));
    }),
    'forgets-at-restart': fault('forgets-at-restart', 1, (fleet, tally) =>
      restart(fleet, tally, [{ bucket: buckets.read, ask: () => plain('127.0.1.1') }], () => undefined),
    ),
    'believes-any-header': fault('believes-any-header', 1, (fleet, tally, { random }) =>
      comeThroughProxies(fleet, tally, plain, random),
    ),
  },
  run,
};
