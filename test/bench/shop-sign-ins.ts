// The product page while 500 customers sign in at once.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openHttpClient } from '../support/http-client.ts';
import { output } from './child.ts';
import type { LoadResult } from './load-job.ts';
import type { SignInsJob } from './load-sign-ins.ts';
import { median } from './medians.ts';
import type { Verdict } from './ratios.ts';
import type { ShopScene } from './shop.ts';

const SIGN_INS = 500;
const MOST_TIMES = 2;
/** By turns, and medians: both hit the same noise. */
const TURNS = 3;
const TIMEOUT_MS = 120_000;
/** The visitors' process starts in this time. */
const LEAD_MS = 700;

/** @param visit looks at product pages for some seconds, in a process of its own */
export async function measureShopSignIns(
  { installation, server, options, say }: ShopScene,
  visit: (seconds: number) => Promise<LoadResult>,
): Promise<Verdict[]> {
  const headers = join(installation.dataDir, 'sign-ins.json');
  writeFileSync(headers, JSON.stringify(await sessions(server.url)));
  const seconds = Math.max(4, options.seconds);
  await visit(2);
  const [idle, beside]: [number[], number[]] = [[], []];
  let hashed = 0;
  for (let turn = 0; turn < TURNS; turn++) {
    idle.push((await visit(seconds)).p99Ms);
    const visited = visit(seconds);
    await sleep(LEAD_MS);
    const job: SignInsJob = { url: server.url, count: SIGN_INS, path: '/api/shop/auth/login', headers };
    const script = join(import.meta.dirname, 'load-sign-ins.ts');
    const said = await output(process.execPath, [script, JSON.stringify(job)], TIMEOUT_MS);
    hashed += (JSON.parse(said) as { hashed: number }).hashed;
    beside.push((await visited).p99Ms);
    say(`sign-ins: p99 ${idle.at(-1)?.toFixed(1)} ms alone, ${beside.at(-1)?.toFixed(1)} ms beside`);
  }
  const [idleMs, besideMs] = [median(idle), median(beside)];
  const each = Math.round(hashed / TURNS);
  return [
    {
      what: `p99 of the product page beside ${SIGN_INS} sign-ins at once (${each} hashed, the others put off; alone ${idleMs.toFixed(1)} ms)`,
      asked: `≤ ${(idleMs * MOST_TIMES).toFixed(1)} ms`,
      measured: `${besideMs.toFixed(1)} ms`,
      ok: besideMs <= idleMs * MOST_TIMES,
    },
  ];
}

/** Headers of browsers that have opened the shop. */
async function sessions(url: string): Promise<Record<string, string>[]> {
  const client = openHttpClient(url);
  const made: Record<string, string>[] = [];
  for (let n = 0; n < SIGN_INS; n++) {
    const { body, headers } = await client.send('/api/shop/session');
    const { csrf_token } = body.data as unknown as { csrf_token: string };
    const cookie = String(headers['set-cookie']?.[0]).split(';')[0] as string;
    made.push({ Cookie: cookie, 'X-CSRF-Token': csrf_token });
  }
  client.close();
  return made;
}
