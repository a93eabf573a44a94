// R4: a restart on an inherited socket refuses and resets nobody, whichever of the two processes comes first.
import { join } from 'node:path';
import { type Holder, openHolder, requirePython } from './parts/holder.ts';
import { createApiKey, createProduct, installationAt, mintLicense, withKey } from './parts/installation.ts';
import { jsonCommand, type Launch, startServer } from './parts/processes.ts';
import { Complaints, type Outcome, type Proof, type ProofBench } from './parts/proof.ts';
import { type Clients, type Met, startClients } from './parts/restart-load.ts';

const HANDOVERS = 20;
const FAULT_HANDOVERS = 8;
const CLIENTS = 50;
/** Requests between two handovers. */
const BETWEEN = 500;
const SLOWEST_MS = { successorFirst: 1000, predecessorFirst: 5000 };
const LONGEST_EXIT_MS = 10_000;
const fixture = join(import.meta.dirname, 'parts/fixture-restart.ts');

type Order = keyof typeof SLOWEST_MS;

async function run(bench: ProofBench): Promise<Outcome> {
  const installation = installationAt(bench, 'restarted', {
    APPCTL_RATE_LIMIT: 'off',
    APPCTL_LOG_LEVEL: 'error',
  });
  const { launch } = installation;
  const first = await startServer(launch);
  await createProduct(installation, 'editor');
  const apiKey = await createApiKey(installation, 'proof');
  const { key } = await mintLicense(installation, 'editor', 1000);
  await first.stop();
  const headers = withKey(apiKey);
  const paths = ['/api/health', `/api/v1/license/check/${key}`];
  const judged: Judged[] = [];
  const times = bench.quick ? HANDOVERS / 10 : HANDOVERS;
  for (const order of ['successorFirst', 'predecessorFirst'] as const) {
    judged.push(await onOneSocket(launch, ['serve'], { order, times, paths, headers }));
  }
  judged.push(await byCommand('byCommand', launch, { times, paths, headers }));
  const two = { ...launch, env: { ...launch.env, APPCTL_WORKERS: '2' } };
  judged.push(await byCommand('twoProcesses', two, { times, paths, headers }));
  return outcomeOf(judged);
}

interface Work {
  times: number;
  paths: readonly string[];
  headers: Record<string, string>;
}

interface Judged {
  name: string;
  met: Met;
  slowestMs: number;
  longestExitMs: number;
  wrongCodes: number;
}

async function onOneSocket(launch: Launch, words: string[], work: Work & { order: Order }): Promise<Judged> {
  const { order, times, paths, headers } = work;
  const holder = await openHolder(launch, words);
  const exits = { longestExitMs: 0, wrongCodes: 0 };
  try {
    let pid = await holder.start();
    const clients = startClients(holder.url, CLIENTS, paths, headers);
    for (let i = 0; i < times; i++) {
      await clients.more(BETWEEN);
      pid = await replace(holder, pid, order, exits);
    }
    const met = await endOf(clients);
    await holder.term(pid);
    return { name: order, met, slowestMs: SLOWEST_MS[order], ...exits };
  } finally {
    await holder.close();
  }
}

async function replace(
  holder: Holder,
  pid: number,
  order: Order,
  exits: { longestExitMs: number; wrongCodes: number },
): Promise<number> {
  const early = order === 'successorFirst' ? await holder.start() : null;
  const { code, ms } = await holder.term(pid);
  exits.longestExitMs = Math.max(exits.longestExitMs, ms);
  if (code !== 0) exits.wrongCodes += 1;
  return early ?? holder.start();
}

/** The server starts its own successor. */
async function byCommand(name: string, launch: Launch, { times, paths, headers }: Work): Promise<Judged> {
  const server = await startServer(launch);
  const clients = startClients(server.url, CLIENTS, paths, headers);
  let last = server.pid;
  try {
    for (let i = 0; i < times; i++) {
      await clients.more(BETWEEN);
      last = await restarted(launch, last);
    }
    const met = await endOf(clients);
    return { name, met, slowestMs: SLOWEST_MS.successorFirst, longestExitMs: 0, wrongCodes: 0 };
  } finally {
    await clients.end();
    process.kill(last, 'SIGTERM');
  }
}

/** The one before may not have ended yet: the next is asked for when it has. */
async function restarted(launch: Launch, before: number): Promise<number> {
  for (;;) {
    const { pid } = await jsonCommand<{ pid: number | null }>(launch, ['status']);
    if (pid === before) break;
  }
  return (await jsonCommand<{ pid: number }>(launch, ['restart'])).pid;
}

async function endOf(clients: Clients): Promise<Met> {
  await clients.more(BETWEEN);
  return clients.end();
}

function outcomeOf(judged: readonly Judged[]): Outcome {
  const complaints = new Complaints();
  for (const { name, met, slowestMs, longestExitMs, wrongCodes } of judged) {
    for (const kind of ['refused', 'reset', 'wrong'] as const) {
      complaints.unless(met[kind] === 0, () => `${name}: ${met[kind]} ${kind}: ${met.notes.join('; ')}`);
    }
    complaints.unless(
      met.slowestMs < slowestMs,
      () => `${name}: the slowest answer took ${met.slowestMs} ms`,
    );
    complaints.unless(longestExitMs <= LONGEST_EXIT_MS, () => `${name}: an exit took ${longestExitMs} ms`);
    complaints.unless(wrongCodes === 0, () => `${name}: ${wrongCodes} servers did not end with 0`);
  }
  const sum = (of: (one: Judged) => number): number => judged.reduce((all, one) => all + of(one), 0);
  const slowest = Object.fromEntries(judged.map(({ name, met }) => [`slowest_${name}_ms`, met.slowestMs]));
  const figures = {
    requests: sum(({ met }) => met.requests),
    refused: sum(({ met }) => met.refused),
    reset: sum(({ met }) => met.reset),
    non_2xx: sum(({ met }) => met.wrong),
    ...slowest,
    longest_exit_ms: Math.max(...judged.map(({ longestExitMs }) => longestExitMs)),
  };
  return { figures, passed: complaints.count === 0, notes: complaints.notes };
}

/** A counterpart with a planted fault, judged by the same eyes. */
const fault =
  (name: string) =>
  async ({ folder }: ProofBench): Promise<Outcome> => {
    const launch = { exe: fixture, cwd: folder, env: {}, prefix: [process.execPath] };
    const work = { order: 'successorFirst', times: FAULT_HANDOVERS, paths: ['/'], headers: {} } as const;
    return outcomeOf([await onOneSocket(launch, [`--break=${name}`], work)]);
  };

export const r04: Proof = {
  id: 'R04',
  databases: ['sqlite', 'postgres'],
  needsQuiet: true,
  requireTools: requirePython,
  faults: {
    'closes-idle-connections': fault('closes-idle-connections'),
    'cuts-requests': fault('cuts-requests'),
  },
  run,
};
