// The panel in a browser with 100,000 licenses: lists beside validations, the palette, the live tail, and idle memory.
import { setTimeout as sleep } from 'node:timers/promises';
import * as accounts from '#platform/accounts/index.ts';
import { type Browser, openBrowser } from '../support/browser.ts';
import { type HttpClient, openHttpClient } from '../support/http-client.ts';
import type { RunningChild } from './child.ts';
import { seedDatabases } from './databases.ts';
import { percentile } from './load-job.ts';
import { median } from './medians.ts';
import type { BenchOptions, DatabaseKind } from './options.ts';
import { paced } from './paced.ts';
import { measureTail } from './panel-tail.ts';
import { measureIdle } from './program.ts';
import type { Verdict } from './ratios.ts';
import { type Installation, withInstance } from './seed.ts';
import { type Figures, runSlice } from './slice.ts';
import { openSql } from './sql.ts';
import { served, tokenOf } from './staff.ts';
import { listsOf, type Sample, sampleOf, searchesOf } from './staff-subjects.ts';
import type { Target } from './targets.ts';

const LISTS_PER_SECOND = 20;
const VALIDATES_PER_SECOND = 1000;
const MOST_LIST_MS = 100;
const MOST_VALIDATE_MS = 25;
const MOST_SEARCH_MS = 100;
const SEARCHES = 100;
const WARM_UP = 20;
const MOST_SECONDS = 10;
/** The client of validations starts its process in this time, and goes on as long after the last list. */
const LEAD_SECONDS = 2;
/** Of the executable, before there was a panel. */
const OWN_MB_BEFORE = 58;
const MOST_MORE_MB = 10;

/** Enough for everything that a server keeps of its tables while nobody asks. */
const FEW_LICENSES = 10;
/** What stands in the page of a list, also of one whose filters leave nothing, and in a page with hits. */
const LIST = '<div id="list"';
const HIT = '<ul class="hits">';
/** What htmx sends from the palette: the hits alone are answered. */
const AS_PALETTE = { 'HX-Request': 'true', 'HX-Target': 'div#palette-hits' };

const password = 'what the bench types into the form';
const email = 'bench@example.com';

const validates: Target = {
  name: 'validate',
  label: 'validate',
  script: 'appctl.ts',
  load: 'validate',
  database: 'large',
  isReference: false,
};

/** What takes part. */
interface Scene {
  readonly server: RunningChild;
  readonly installation: Installation;
  readonly sample: Sample;
  readonly browser: Browser;
  readonly seconds: number;
  readonly options: BenchOptions;
}

/** @param options `seconds` of each list, at most 10 */
export async function measurePanel(
  kind: DatabaseKind,
  options: BenchOptions,
  say: (line: string) => void,
): Promise<Verdict[]> {
  const seeded = await seedDatabases(kind, { ...options, fewLicenses: FEW_LICENSES });
  const { large, few } = seeded.installations;
  const tell = (verdicts: Verdict[]): Verdict[] => {
    for (const { what, measured } of verdicts) say(`${what}: ${measured}`);
    return verdicts.map((verdict) => ({ ...verdict, what: `${kind}: ${verdict.what}` }));
  };
  try {
    const idle = tell(judgeIdle(await measureIdle(few, say)));
    await createOwner(large);
    await settle(large);
    const token = await tokenOf(large);
    const sample = await sampleOf(large);
    const seconds = Math.min(options.seconds, MOST_SECONDS);
    const pages = await served(large, 'panel', async (server) => {
      const client = openHttpClient(server.url);
      const signIn = () => signedIn(client);
      try {
        const scene = { server, installation: large, sample, browser: await signIn(), seconds, options };
        return [
          ...tell(await measureLists(scene)),
          ...tell(await measureSearches(scene)),
          ...tell(await measureTail({ client, url: server.url, token, signIn })),
        ];
      } finally {
        client.close();
      }
    });
    return [...pages, ...idle];
  } finally {
    await seeded.remove();
  }
}

/** Whoever signs in, made through the program itself. */
export const createOwner = ({ dataDir, databaseUrl }: Installation): Promise<unknown> =>
  withInstance(dataDir, databaseUrl, ({ ctx }) =>
    accounts.createOwner(ctx, { email, name: 'Bench', password }),
  );

/** Leaves files and statistics as a database has them that has run for a while. */
export async function settle({ databaseUrl }: Installation): Promise<void> {
  const sql = await openSql(databaseUrl);
  await sql.settle();
  await sql.close();
}

/** Staff signed in as `createOwner` made them. */
export async function signedIn(client: HttpClient): Promise<Browser> {
  const browser = openBrowser(client.send);
  const { status, text } = await browser.submit('/admin/login', { email, password });
  if (status !== 303) throw new Error(`the sign-in was answered ${status}: ${text}`);
  return browser;
}

/** Opens a page that must show rows or hits. @param wanted what stands in its HTML */
async function open(browser: Browser, path: string, wanted: string, headers = {}): Promise<number> {
  const startedMs = performance.now();
  const { status, text } = await browser.open(path, headers);
  const tookMs = performance.now() - startedMs;
  if (status !== 200) throw new Error(`${path} was answered ${status}: ${text}`);
  if (!text.includes(wanted)) throw new Error(`${path} does not show ${wanted}`);
  return tookMs;
}

/** The list of licenses as a page, without filters and with them, while installed programs validate. */
async function measureLists(scene: Scene): Promise<Verdict[]> {
  await validated(scene, scene.seconds);
  const alone = await validated(scene, scene.seconds);
  const verdicts: Verdict[] = [];
  const beside: Figures[] = [];
  for (const [name, query] of Object.entries({ 'no filter': '', ...listsOf(scene.sample) })) {
    const { took, figures } = await measureList(scene, `/admin/licenses?${query}`);
    const [p50, p99] = [percentile(took, 0.5), percentile(took, 0.99)];
    beside.push(figures);
    verdicts.push({
      what: `p99 of the page of licenses by ${name}, ${LISTS_PER_SECOND} a second`,
      asked: `≤ ${MOST_LIST_MS} ms`,
      measured: `${p99.toFixed(0)} ms (p50 ${p50.toFixed(0)})`,
      ok: p99 <= MOST_LIST_MS,
    });
  }
  return [...verdicts, judgeValidates(alone, beside)];
}

function judgeValidates(alone: Figures, beside: readonly Figures[]): Verdict {
  const p99s = beside.map(({ p99Ms }) => p99Ms);
  const most = Math.max(...p99s);
  const perSecond = Math.round(median(beside.map(({ requestsPerSecond }) => requestsPerSecond)));
  return {
    what: `p99 of ${perSecond.toLocaleString('en')} validates a second beside them, the worst of ${p99s.length} (alone ${alone.p99Ms.toFixed(1)} ms)`,
    asked: `< ${MOST_VALIDATE_MS} ms`,
    measured: `${most.toFixed(1)} ms (median ${median(p99s).toFixed(1)})`,
    ok: most < MOST_VALIDATE_MS,
  };
}

async function measureList({ browser, ...scene }: Scene, path: string) {
  for (let n = 0; n < WARM_UP; n++) await open(browser, path, LIST);
  const running = validated(scene, scene.seconds + 2 * LEAD_SECONDS);
  // Whichever fails first ends the run; the other one is not left behind unheard.
  running.catch(() => undefined);
  await sleep(LEAD_SECONDS * 1000);
  const took = await paced(LISTS_PER_SECOND, scene.seconds, () => open(browser, path, LIST));
  return { took, figures: await running };
}

function validated(
  { server, installation, options: { connections, wrk } }: Omit<Scene, 'browser'>,
  seconds: number,
): Promise<Figures> {
  return runSlice(validates, server, installation, {
    seconds,
    connections,
    wrk,
    perSecond: VALIDATES_PER_SECOND,
  });
}

/** What the palette asks for while somebody types, and the page of the same search. */
async function measureSearches({ browser, sample }: Scene): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  for (const [name, text] of Object.entries(searchesOf(sample))) {
    const path = `/admin/search?q=${encodeURIComponent(text)}`;
    const palette = await timed(() => open(browser, path, HIT, AS_PALETTE));
    const page = await timed(() => open(browser, path, HIT));
    verdicts.push(
      judgeSearch(`the palette by ${name}`, palette),
      judgeSearch(`/admin/search by ${name}`, page),
    );
  }
  return verdicts;
}

async function timed(ask: () => Promise<number>): Promise<Float64Array> {
  for (let n = 0; n < WARM_UP; n++) await ask();
  const took: number[] = [];
  for (let n = 0; n < SEARCHES; n++) took.push(await ask());
  return Float64Array.from(took).sort();
}

function judgeSearch(what: string, took: Float64Array): Verdict {
  const [p50, p99] = [percentile(took, 0.5), percentile(took, 0.99)];
  return {
    what: `p99 of ${took.length} searches: ${what}`,
    asked: `≤ ${MOST_SEARCH_MS} ms`,
    measured: `${p99.toFixed(0)} ms (p50 ${p50.toFixed(0)})`,
    ok: p99 <= MOST_SEARCH_MS,
  };
}

/** Only of the executable is known what it held before there was a panel. */
const judgeIdle = (idle: readonly { name: string; ownMb: number }[]): Verdict[] =>
  idle.map(({ name, ownMb }) => {
    const isKnown = name === 'executable';
    const before = isKnown ? ` (before the panel: ${OWN_MB_BEFORE} MB)` : '';
    return {
      what: `${name}: idle memory of its own${before}`,
      asked: isKnown ? `≤ ${OWN_MB_BEFORE + MOST_MORE_MB} MB` : '–',
      measured: `${ownMb.toFixed(0)} MB`,
      ok: isKnown ? ownMb <= OWN_MB_BEFORE + MOST_MORE_MB : null,
    };
  });
