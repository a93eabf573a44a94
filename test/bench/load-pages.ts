// One slice of load on addresses that a list names, in a process of its own: paced, or as fast as the server answers.
import { readFileSync } from 'node:fs';
import autocannon from 'autocannon';
import { openHttpClient } from '../support/http-client.ts';
import { type LoadResult, percentile } from './load-job.ts';
import { paced } from './paced.ts';
import { runWrk } from './wrk.ts';

export interface PagesJob {
  url: string;
  /** JSON file with a list of paths. */
  paths: string;
  /** A text that stands in every right answer. */
  proof: string;
  connections: number;
  seconds: number;
  /** Requests a second; as many as the server answers when it is left out. */
  perSecond?: number | undefined;
  wrk: boolean;
}

const job = JSON.parse(process.argv[2] ?? '') as PagesJob;
const paths = JSON.parse(readFileSync(job.paths, 'utf8')) as string[];
/** A server that is this late has failed. */
const LATE_SECONDS = 30;
const headers = { 'Accept-Encoding': 'gzip' };

/** A time counts from when its request was due. Answers are not unpacked: what is wrong has another status. */
async function atPace(perSecond: number): Promise<LoadResult> {
  const client = openHttpClient(job.url);
  const cpuBefore = process.cpuUsage();
  const startedMs = performance.now();
  let wrong = 0;
  const times = await paced(perSecond, job.seconds, async (n) => {
    const { status } = await client.send(paths[n % paths.length] as string, { headers });
    if (status !== 200) wrong += 1;
  });
  const seconds = (performance.now() - startedMs) / 1000;
  client.close();
  return resultOf(times, seconds, process.cpuUsage(cpuBefore), wrong);
}

async function withAutocannon(): Promise<LoadResult> {
  const times: number[] = [];
  const cpuBefore = process.cpuUsage();
  const startedMs = performance.now();
  const load = autocannon({
    url: job.url,
    connections: job.connections,
    pipelining: 1,
    duration: job.seconds,
    timeout: LATE_SECONDS,
    sampleInt: 100,
    setupClient: (client) => client.setRequests(paths.map((path) => ({ method: 'GET', path, headers: {} }))),
    verifyBody: (body) => body.includes(job.proof),
  });
  load.on('response', (_client, status, _bytes, milliseconds) => {
    if (status === 200) times.push(milliseconds);
  });
  const { errors, mismatches } = await load;
  const seconds = (performance.now() - startedMs) / 1000;
  const sorted = Float64Array.from(times).sort();
  return resultOf(sorted, seconds, process.cpuUsage(cpuBefore), errors + mismatches);
}

function resultOf(times: Float64Array, seconds: number, cpu: NodeJS.CpuUsage, wrong: number): LoadResult {
  return {
    acknowledged: times.length - wrong,
    seconds,
    p50Ms: percentile(times, 0.5),
    p99Ms: percentile(times, 0.99),
    clientCpuPercent: ((cpu.user + cpu.system) / 1e6 / seconds) * 100,
    wrong,
    cutOff: 0,
  };
}

const shots = paths.map((path) => ({ method: 'GET' as const, path }));
const saturated = () => (job.wrk ? runWrk({ ...job, shots, headers: {}, tag: '' }) : withAutocannon());
const result = await (job.perSecond === undefined ? saturated() : atPace(job.perSecond));
process.stdout.write(`${JSON.stringify(result)}\n`);
