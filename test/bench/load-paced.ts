// One slice of load at a steady rate: each request leaves when it is due, as those of many installed programs do.
// autocannon sends what a second may hold at its beginning, which is another load.
import { readFileSync } from 'node:fs';
import { openHttpClient } from '../support/http-client.ts';
import {
  activateShot,
  headersOf,
  heldShot,
  type LoadJob,
  type LoadResult,
  percentile,
  proofOf,
  type Shot,
} from './load-job.ts';
import { paced } from './paced.ts';
import type { Fixtures } from './seed.ts';

const job = JSON.parse(process.argv[2] ?? '') as LoadJob;
const fixtures = JSON.parse(readFileSync(job.fixtures, 'utf8')) as Fixtures;
const headers = headersOf(fixtures);

const ofHeld = heldShot(job);
const shotOf = (n: number): Shot =>
  job.load === 'activate'
    ? activateShot(fixtures.open[n % fixtures.open.length] as string, `${job.tag}-${n}`)
    : ofHeld(fixtures.held[n % fixtures.held.length] as Fixtures['held'][number]);

/** @returns what was measured; a time counts from when its request was due, so that one which waits hides no other */
async function run({ url, perSecond = 1, seconds, load }: LoadJob): Promise<LoadResult> {
  const client = openHttpClient(url);
  const cpuBefore = process.cpuUsage();
  const startedMs = performance.now();
  let wrong = 0;
  const times = await paced(perSecond, seconds, async (n) => {
    const { path, ...sent } = shotOf(n);
    const reply = await client.send(path, { ...sent, headers: { ...headers, ...sent.headers } });
    if (reply.status !== 200 || !reply.text.includes(proofOf[load])) wrong += 1;
  });
  const took = (performance.now() - startedMs) / 1000;
  const cpu = process.cpuUsage(cpuBefore);
  client.close();
  return {
    acknowledged: times.length - wrong,
    seconds: took,
    p50Ms: percentile(times, 0.5),
    p99Ms: percentile(times, 0.99),
    clientCpuPercent: ((cpu.user + cpu.system) / 1e6 / took) * 100,
    wrong,
    cutOff: 0,
  };
}

process.stdout.write(`${JSON.stringify(await run(job))}\n`);
