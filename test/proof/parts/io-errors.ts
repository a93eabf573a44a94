// A disk that reports errors while SQLite writes: strace makes the calls fail. What is acknowledged was flushed after it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, type Client, createClient } from './client.ts';
import { createApiKey, createProduct, installationAt, withKey } from './installation.ts';
import { examineFile, examineInvariants } from './invariants.ts';
import { type Launch, type RunningServer, startServer } from './processes.ts';
import type { Outcome, ProofBench } from './proof.ts';
import { openReader } from './reader.ts';
import { readTrace, straceWords } from './strace.ts';
import { codeOf } from './strain.ts';
import { StrainFindings } from './strain-judge.ts';

/** Which calls fail, and which of them: some after the start of the server, and none at the end. */
const FAULTS: readonly string[] = [
  'fsync,fdatasync:error=EIO:when=40..110+7',
  'pwrite64:error=EIO:when=300..900+29',
  'pwrite64:error=ENOSPC:when=300..900+31',
];
const PLANTED = 'fsync,fdatasync:error=EIO:when=20..60+3';
const WRITES = 250;
/** All of these must be made. */
const LAST_WRITES = 20;
const RECOVERED_MS = 5000;

/** Runs a program under strace, and lets calls fail. */
const failing = (launch: Launch, trace: string, fault: string, more: readonly string[] = []): Launch => ({
  ...launch,
  prefix: [...straceWords(trace), '-e', `inject=${fault}`, ...more],
});

const isAcked = ({ status }: Answer): boolean => status >= 200 && status < 300;

/** Sends writes one after the other, and looks at each that was acknowledged in what the kernel saw. */
async function writeAll(
  found: StrainFindings,
  server: RunningServer,
  trace: string,
  write: () => Promise<Answer>,
): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let i = 0; i < WRITES; i++) answers.push(await write());
  const last = answers.slice(-LAST_WRITES).filter((answer) => !isAcked(answer));
  found.late.unless(last.length === 0, () => `the last writes are not made: ${last[0]?.body}`);
  for (const { status, body } of answers.filter((answer) => !isAcked(answer))) {
    found.add('failed', 1);
    const isPromised = status === 500 && codeOf(body) === 'SERVER_ERROR';
    found.wrong.unless(isPromised, () => `a write was answered ${status}: ${body}`);
  }
  await found.stop(server);
  const traced = new Map(readTrace(trace).map((answer) => [answer.requestId, answer]));
  for (const { headers } of answers.filter(isAcked)) {
    const seen = traced.get(String(headers['x-request-id']));
    found.add('acked', 1);
    found.lost.unless(
      seen?.wrote === true && seen.flushed,
      () => `${headers['x-request-id']} was not flushed`,
    );
  }
  const injected = readFileSync(trace, 'utf8').split('(INJECTED)').length - 1;
  found.add('errors', injected);
  if (injected === 0) throw new Error('no call failed');
  return answers;
}

/** The program under one fault. @returns ids of the licenses that it acknowledged */
async function playOne(
  found: StrainFindings,
  launch: Launch,
  trace: string,
  write: (client: Client) => Promise<Answer>,
): Promise<string[]> {
  const server = await startServer(launch);
  const client = createClient(server.url, 1);
  let sent = 0;
  try {
    const answers = await writeAll(found, server, trace, async () => {
      const answer = await write(client);
      sent += 1;
      if (sent === WRITES) await untilHealthy(found, client);
      return answer;
    });
    return answers.filter(isAcked).map(({ body }) => JSON.parse(body).license.id as string);
  } finally {
    client.close();
    await server.kill();
  }
}

async function untilHealthy(found: StrainFindings, client: Client): Promise<void> {
  const endMs = performance.now() + RECOVERED_MS;
  while ((await client.ask({ path: '/api/health' })).status !== 200 && performance.now() < endMs)
    await sleep(50);
  found.late.unless(performance.now() < endMs, () => 'health does not come back');
}

/** The program under each fault. */
export async function playErrors(bench: ProofBench): Promise<Outcome> {
  const found = new StrainFindings();
  const env = { APPCTL_RATE_LIMIT: 'off', APPCTL_LOG_LEVEL: 'fatal' };
  const installation = installationAt(bench, 'failing', env);
  const { launch } = installation;
  const first = await startServer(launch);
  const { id: productId } = await createProduct(installation, 'editor');
  const headers = withKey(await createApiKey(installation, 'proof'));
  await first.stop();
  const body = { productId, customerEmail: 'ann@example.com' };
  const write = (client: Client) =>
    client.ask({ method: 'POST', path: '/api/v1/license/create', headers, body });
  const ids: string[] = [];
  for (const [i, fault] of FAULTS.entries()) {
    const trace = join(bench.folder, `${i}.trace`);
    ids.push(...(await playOne(found, failing(launch, trace, fault), trace, write)));
  }
  const reader = await openReader(installation);
  const there = new Set((await reader.all<{ id: string }>('SELECT id FROM licenses')).map(({ id }) => id));
  for (const id of ids) found.lost.unless(there.has(id), () => `${id} is not there`);
  for (const broken of [await examineInvariants(reader), await examineFile(reader)])
    for (const note of broken.notes) found.partial.unless(false, () => note);
  await reader.close();
  return found.outcome();
}

/** A server that acknowledges what its disk did not take. */
export async function playIgnoredErrors(bench: ProofBench): Promise<Outcome> {
  const found = new StrainFindings();
  const trace = join(bench.folder, 'ignored.trace');
  const launch = { exe: join(import.meta.dirname, 'fixture-writes.ts'), cwd: bench.folder, env: {} };
  const file = join(bench.folder, 'ignored.db');
  const server = await startServer(failing(launch, trace, PLANTED, [process.execPath]), [
    '--file',
    file,
    '--break=ignores-errors',
  ]);
  const client = createClient(server.url, 1);
  await writeAll(found, server, trace, () => client.ask({ method: 'POST', path: '/', body: {} }));
  client.close();
  return { ...found.outcome(), passed: found.lost.count === 0 };
}
