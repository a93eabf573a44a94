// One slice of load with autocannon, in a process of its own so that its work is not the server's.
import { readFileSync } from 'node:fs';
import autocannon, { type Client, type Request } from 'autocannon';
import {
  activateShot,
  headersOf,
  heldShot,
  type LoadJob,
  type LoadResult,
  percentile,
  proofOf,
} from './load-job.ts';
import type { Fixtures } from './seed.ts';

/** autocannon's own end cuts requests off; this late it must never come. */
const LATE_SECONDS = 30;

const job = JSON.parse(process.argv[2] ?? '') as LoadJob;
const fixtures = JSON.parse(readFileSync(job.fixtures, 'utf8')) as Fixtures;
const headers = headersOf(fixtures);
const clients: Client[] = [];

/** Every connection walks through its own part of the fixtures. */
function requestsOf(connection: number): Request[] {
  if (job.load === 'activate') return [activations(connection)];
  const mine = fixtures.held.filter((_, i) => i % job.connections === connection);
  // With fewer fixtures than connections some share them.
  const used = mine.length > 0 ? mine : fixtures.held;
  const shotOf = heldShot(job);
  return used.map((held) => ({ headers: { ...headers }, ...shotOf(held) }));
}

/** A new machine each time, on the next of the licenses with free slots. */
function activations(connection: number): Request {
  const { open } = fixtures;
  let sent = 0;
  return {
    method: 'POST',
    path: '/api/v1/license/activate',
    headers: { ...headers },
    setupRequest(request) {
      const licenseKey = open[(connection + sent * job.connections) % open.length] as string;
      const number = String(sent++).padStart(7, '0');
      return { ...request, ...activateShot(licenseKey, `${job.tag}-${connection}-${number}`) };
    },
  };
}

async function run(): Promise<LoadResult> {
  const times: number[] = [];
  let wrongStatus = 0;
  let firstMs = 0;
  let lastMs = 0;
  const cpuBefore = process.cpuUsage();
  const load = autocannon({
    url: job.url,
    connections: job.connections,
    pipelining: 1,
    duration: job.seconds + LATE_SECONDS,
    timeout: LATE_SECONDS,
    sampleInt: 100,
    setupClient(client) {
      client.setRequests(requestsOf(clients.length));
      clients.push(client);
    },
    verifyBody: (body) => body.includes(proofOf[job.load]),
  });
  load.on('response', (_client, status, _bytes, milliseconds) => {
    lastMs = performance.now();
    if (times.length === 0) firstMs = lastMs - milliseconds;
    if (status === 200) times.push(milliseconds);
    else wrongStatus += 1;
  });
  // Nobody is cut off: each connection waits for the answer that it is owed, and then ends.
  setTimeout(() => {
    for (const client of clients) client.responseMax = client.reqsMade;
  }, job.seconds * 1000);
  const { errors, mismatches } = await load;
  const cpu = process.cpuUsage(cpuBefore);
  const seconds = (lastMs - firstMs) / 1000;
  const sorted = Float64Array.from(times).sort();
  return {
    acknowledged: times.length,
    seconds,
    p50Ms: percentile(sorted, 0.5),
    p99Ms: percentile(sorted, 0.99),
    clientCpuPercent: ((cpu.user + cpu.system) / 1e6 / seconds) * 100,
    wrong: wrongStatus + errors + mismatches,
    cutOff: 0,
  };
}

process.stdout.write(`${JSON.stringify(await run())}\n`);
