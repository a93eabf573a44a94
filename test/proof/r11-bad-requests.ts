// R11: 150,000 bad requests from as many addresses leave the process as it was: its memory above all.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from './parts/client.ts';
import { type Flood, flood } from './parts/flood.ts';
import { installationAt } from './parts/installation.ts';
import { type Launch, type RunningServer, startServer } from './parts/processes.ts';
import { Complaints, MissingTool, type Outcome, type Proof, type ProofBench } from './parts/proof.ts';

const REQUESTS = 150_000;
/** Enough for the planted fault to pass every bound. */
const FAULTY_REQUESTS = 30_000;
const SETTLE_MS = 30_000;
const SAMPLE_EVERY_MS = 100;
const MOST_LATER_MB = 50;
const MOST_PEAK_MB = 100;
const SLOWEST_MS = 2000;
const MEGABYTE = 1024;
const fixture = join(import.meta.dirname, 'parts/fixture-flood.ts');

/** Megabytes of RAM that a process holds. */
function residentMb(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kilobytes) / MEGABYTE);
}

interface Memory {
  before: number;
  peak: number;
  later: number;
}

/** Memory of a server before, during and some time after a flood. */
async function measure(
  { pid, url }: RunningServer,
  random: ProofBench['random'],
  count: number,
  settleMs: number,
): Promise<Flood & Memory> {
  // A start has work to finish.
  await sleep(3000);
  const before = residentMb(pid);
  let peak = before;
  const sampling = setInterval(() => {
    peak = Math.max(peak, residentMb(pid));
  }, SAMPLE_EVERY_MS);
  try {
    const seen = await flood(url, random, count);
    await sleep(settleMs);
    const later = residentMb(pid);
    return { ...seen, before, peak: Math.max(peak, later), later };
  } finally {
    clearInterval(sampling);
  }
}

async function prove(
  launch: Launch,
  { random }: ProofBench,
  count: number,
  settleMs: number,
  args: readonly string[] = [],
): Promise<Outcome> {
  const server = await startServer(launch, args);
  const client = createClient(server.url, 1);
  try {
    const seen = await measure(server, random, count, settleMs);
    const { status } = await client.ask({ path: '/api/health' });
    return outcomeOf(seen, count, status);
  } finally {
    client.close();
    await server.stop();
  }
}

function outcomeOf(seen: Flood & Memory, count: number, health: number): Outcome {
  const wrong = new Complaints();
  const { before, peak, later, answers, failures } = seen;
  const slowest = Math.round(seen.slowestMs);
  wrong.unless(answers === count, () => `${answers} of ${count} requests were answered`);
  wrong.unless(failures === 0, () => `${failures} answers were 500 or above`);
  wrong.unless(slowest <= SLOWEST_MS, () => `an answer took ${slowest} ms`);
  wrong.unless(health === 200 || health === 404, () => `health answers ${health} afterwards`);
  wrong.unless(peak - before <= MOST_PEAK_MB, () => `memory rose by ${peak - before} MB`);
  wrong.unless(later - before <= MOST_LATER_MB, () => `${later - before} MB were kept`);
  const figures = {
    requests: answers,
    before_mb: before,
    peak_mb: peak,
    later_mb: later,
    slowest_ms: slowest,
  };
  return { figures, passed: wrong.count === 0, notes: wrong.notes };
}

export const r11: Proof = {
  id: 'R11',
  databases: ['sqlite', 'postgres'],
  needsQuiet: true,
  requireTools: () => {
    if (process.platform !== 'linux') throw new MissingTool('R11 reads memory from /proc, which Linux has');
  },
  faults: {
    'keeps-every-address': (bench) => {
      const launch = { exe: fixture, cwd: bench.folder, env: {}, prefix: [process.execPath] };
      return prove(launch, bench, FAULTY_REQUESTS, 0, ['--break=keeps-every-address']);
    },
  },
  // Every address of loopback is a trusted proxy, so that each request comes from an address of its own.
  run: (bench) => {
    const env = { APPCTL_TRUST_PROXY: '127.0.0.0/8', APPCTL_LOG_LEVEL: 'warn' };
    const { launch } = installationAt(bench, 'flooded', env);
    return prove(launch, bench, bench.quick ? REQUESTS / 10 : REQUESTS, SETTLE_MS);
  },
};
