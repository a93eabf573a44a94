// Validations while 500 people sign in at once: how long they wait, and what the sign-ins take of memory.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { longTasksAtOnce } from '#kernel/thread-pool.ts';
import { openHttpClient } from '../support/http-client.ts';
import { output, type RunningChild } from './child.ts';
import { headersOf, percentile, validateShot } from './load-job.ts';
import type { SignInsJob } from './load-sign-ins.ts';
import { median } from './medians.ts';
import { paced } from './paced.ts';
import { residentBytes } from './process-figures.ts';
import type { Verdict } from './ratios.ts';
import type { Fixtures, Installation } from './seed.ts';

const SIGN_INS = 500;
const PER_SECOND = 200;
const MOST_TIMES = 2;
/** By turns, and medians: both hit the same noise. */
const TURNS = 3;
/** What argon2id takes for one password (reliability M13). */
const HASH_MB = 19.92;
/** What 500 connections with their requests take, whoever they ask for what. */
const CONNECTIONS_MB = 40;
const SAMPLE_MS = 10;
const TIMEOUT_MS = 60_000;

/** @param seconds of validations without sign-ins, and then beside them; each several times */
export async function measureSignIns(
  server: RunningChild,
  { fixtures: file }: Installation,
  seconds: number,
): Promise<Verdict[]> {
  const fixtures = JSON.parse(readFileSync(file, 'utf8')) as Fixtures;
  await validations(server, fixtures, seconds);
  const idle = [await validations(server, fixtures, seconds)];
  const beside: number[] = [];
  const before = residentBytes(server.pid);
  let [peak, hashed] = [before, 0];
  const timer = setInterval(() => {
    peak = Math.max(peak, residentBytes(server.pid));
  }, SAMPLE_MS);
  for (let turn = 0; turn < TURNS; turn++) {
    if (turn > 0) idle.push(await validations(server, fixtures, seconds));
    const validated = validations(server, fixtures, seconds);
    hashed += await signIns(server);
    beside.push(await validated);
  }
  clearInterval(timer);
  const [idleMs, besideMs] = [median(idle), median(beside)];
  const growthMb = (peak - before) / 1e6;
  const mostMb = longTasksAtOnce() * HASH_MB + CONNECTIONS_MB;
  const each = Math.round(hashed / TURNS);
  return [
    {
      what: `p99 of validate beside ${SIGN_INS} sign-ins at once (${each} hashed, the others put off; alone ${idleMs.toFixed(1)} ms)`,
      asked: `≤ ${(idleMs * MOST_TIMES).toFixed(1)} ms`,
      measured: `${besideMs.toFixed(1)} ms`,
      ok: besideMs <= idleMs * MOST_TIMES,
    },
    {
      what: `memory that they add, ${longTasksAtOnce()} hashes of ${HASH_MB.toFixed(0)} MB at a time and the connections`,
      asked: `≤ ${mostMb.toFixed(0)} MB`,
      measured: `${growthMb.toFixed(0)} MB`,
      ok: growthMb <= mostMb,
    },
  ];
}

/** @returns how many of the passwords were hashed */
async function signIns(server: RunningChild): Promise<number> {
  const job: SignInsJob = { url: server.url, count: SIGN_INS };
  const script = join(import.meta.dirname, 'load-sign-ins.ts');
  const said = await output(process.execPath, [script, JSON.stringify(job)], TIMEOUT_MS);
  return (JSON.parse(said) as { hashed: number }).hashed;
}

/** p99 of validations that leave on time, in milliseconds from when each was due. */
async function validations({ url }: RunningChild, fixtures: Fixtures, seconds: number): Promise<number> {
  const client = openHttpClient(url);
  try {
    const took = await paced(PER_SECOND, seconds, async (n) => {
      const { path, body = '' } = validateShot(
        fixtures.held[n % fixtures.held.length] as Fixtures['held'][number],
      );
      const { status, text } = await client.send(path, { body, headers: headersOf(fixtures) });
      if (status !== 200) throw new Error(`a validation was refused: ${text}`);
    });
    return percentile(took, 0.99);
  } finally {
    client.close();
  }
}
