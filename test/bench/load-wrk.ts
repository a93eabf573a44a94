// One slice of load with wrk.
import { readFileSync } from 'node:fs';
import { activateShot, headersOf, heldShot, type LoadJob, proofOf, type Shot } from './load-job.ts';
import type { Fixtures } from './seed.ts';
import { machineMark, runWrk } from './wrk.ts';

const OPEN_KEYS = 20_000;

const job = JSON.parse(process.argv[2] ?? '') as LoadJob;
const fixtures = JSON.parse(readFileSync(job.fixtures, 'utf8')) as Fixtures;

/** Requests as Lua tables; wrk makes the bytes of those that do not change before it starts. */
function shots(): Shot[] {
  if (job.load === 'activate')
    return fixtures.open.slice(0, OPEN_KEYS).map((key) => activateShot(key, machineMark));
  return fixtures.held.map(heldShot(job));
}

const load = { ...job, shots: shots(), headers: headersOf(fixtures), proof: proofOf[job.load] };
process.stdout.write(`${JSON.stringify(await runWrk(load))}\n`);
