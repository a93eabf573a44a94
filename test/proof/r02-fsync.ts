// R2: an acknowledged write is on the disk. Before each 2xx answer the database's log was flushed after its last write.
import { join } from 'node:path';
import { type Answer, type Client, createClient, parallel } from './parts/client.ts';
import { createApiKey, createProduct, installationAt, mintLicense, withKey } from './parts/installation.ts';
import { type Launch, type RunningServer, startServer } from './parts/processes.ts';
import { Complaints, type Outcome, type Proof, type ProofBench } from './parts/proof.ts';
import type { Random } from './parts/random.ts';
import { readTrace, requireStrace, straceWords, type TracedAnswer } from './parts/strace.ts';

const CLIENTS = 8;
const WRITES = 200;
const fixture = join(import.meta.dirname, 'parts/fixture-writes.ts');

const writesOf = ({ quick }: ProofBench): number => (quick ? WRITES / 10 : WRITES);

/** Every client's next request; a client sends one after the other on a connection of its own. */
type Workload = (client: number) => () => Promise<Answer>;

/** Sends the writes and judges every acknowledged one by the trace. */
async function judge(
  bench: ProofBench,
  trace: string,
  server: RunningServer,
  work: Workload,
): Promise<Outcome> {
  const count = writesOf(bench);
  const answers = await parallel(
    Array.from({ length: CLIENTS }, (_, client) => async () => {
      const next = work(client);
      const mine: Answer[] = [];
      for (let i = client; i < count; i += CLIENTS) mine.push(await next());
      return mine;
    }),
    CLIENTS,
  ).then((lists) => lists.flat());
  await server.stop();
  const traced = new Map(readTrace(trace).map((answer) => [answer.requestId, answer]));
  const acked = answers.filter(({ status }) => status >= 200 && status < 300);
  const unsynced = new Complaints();
  for (const { headers } of acked) examine(unsynced, String(headers['x-request-id']), traced);
  const refused = answers.find(({ status }) => status >= 300);
  const notes = [...unsynced.notes, ...(refused ? [`answered ${refused.status}: ${refused.body}`] : [])];
  return {
    figures: { writes: count, acked: acked.length, unsynced: unsynced.count },
    passed: acked.length === count && unsynced.count === 0,
    notes,
  };
}

function examine(unsynced: Complaints, requestId: string, traced: Map<string, TracedAnswer>): void {
  const answer = traced.get(requestId);
  unsynced.unless(answer?.wrote === true && answer.flushed, () => {
    if (!answer) return `${requestId} is not in the trace`;
    return `${requestId} was acknowledged ${answer.wrote ? 'before its write was flushed' : 'before it was written'}`;
  });
}

/** The program under strace: creates, activations and deactivations in turn, each client with its own license. */
async function run(bench: ProofBench): Promise<Outcome> {
  const trace = join(bench.folder, 'serve.trace');
  const installation = installationAt(bench, 'traced', {
    APPCTL_RATE_LIMIT: 'off',
    APPCTL_LOG_LEVEL: 'warn',
  });
  const server = await startServer({ ...installation.launch, prefix: straceWords(trace) });
  const client = createClient(server.url, 1);
  try {
    const { id: productId } = await createProduct(installation, 'editor');
    const headers = withKey(await createApiKey(installation, 'proof'));
    const { key } = await mintLicense(installation, 'editor', 1000);
    return await judge(bench, trace, server, (number) =>
      writesInTurn(client, { headers, productId, key }, number, bench.random),
    );
  } finally {
    client.close();
    await server.stop();
  }
}

interface Subject {
  headers: Record<string, string>;
  productId: string;
  key: string;
}

function writesInTurn(
  client: Client,
  { headers, productId, key }: Subject,
  number: number,
  random: Random,
): () => Promise<Answer> {
  const from = `127.0.0.${number + 1}`;
  const post = (path: string, body: unknown) =>
    client.ask({ method: 'POST', path: `/api/v1/license/${path}`, headers, body, from });
  let sent = number;
  let machineId = '';
  return () => {
    const turn = sent++ % 3;
    if (turn === 0) return post('create', { productId, customerEmail: `${random.word(8)}@example.com` });
    if (turn === 1 || machineId === '') {
      machineId = `machine-${number}-${random.word(8)}`;
      return post('activate', { licenseKey: key, machineId });
    }
    const deactivated = machineId;
    machineId = '';
    return post('deactivate', { licenseKey: key, machineId: deactivated });
  };
}

/** The counterpart with a planted fault, judged by the same eyes. */
const fault =
  (name: string) =>
  async (bench: ProofBench): Promise<Outcome> => {
    const trace = join(bench.folder, `${name}.trace`);
    const launch: Launch = {
      exe: fixture,
      cwd: bench.folder,
      env: {},
      prefix: [...straceWords(trace), process.execPath],
    };
    const server = await startServer(launch, ['--file', join(bench.folder, `${name}.db`), `--break=${name}`]);
    const client = createClient(server.url, 1);
    try {
      return await judge(bench, trace, server, (number) => {
        const from = `127.0.0.${number + 1}`;
        return () => client.ask({ method: 'POST', path: '/', body: {}, from });
      });
    } finally {
      client.close();
      await server.stop();
    }
  };

export const r02: Proof = {
  id: 'R02',
  databases: ['sqlite'],
  requireTools: requireStrace,
  faults: {
    'synchronous-normal': fault('synchronous-normal'),
    'synchronous-off': fault('synchronous-off'),
    'early-answer': fault('early-answer'),
  },
  run,
};
