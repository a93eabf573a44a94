// The live tail: how long an event takes to who watches, and how long a stream outlives its session.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser } from '../support/browser.ts';
import { type EventStream, openEventStream } from '../support/event-stream.ts';
import type { HttpClient } from '../support/http-client.ts';
import type { Verdict } from './ratios.ts';

const EVENTS = 20;
const LOGOUTS = 3;
const MOST_DELAY_MS = 1000;
const MOST_END_MS = 5000;
/** After which nobody waits any longer: the run ends. */
const TIMEOUT_MS = 30_000;

/** What the tail is measured with. */
export interface TailScene {
  readonly client: HttpClient;
  readonly url: string;
  /** Of an owner: what it changes happens while another one watches. */
  readonly token: string;
  signIn(): Promise<Browser>;
}

/** Every event is made just after the last one was seen: the server has just looked, and looks again as late as it may. */
export async function measureTail(scene: TailScene): Promise<Verdict[]> {
  const watching = await scene.signIn();
  const stream = await follow(scene, watching);
  const delays: number[] = [];
  try {
    const id = await licenseOf(scene);
    for (let n = 0; n < EVENTS; n++) delays.push(await delayOf(scene, stream, id, n));
  } finally {
    stream.close();
  }
  const ends: number[] = [];
  for (let n = 0; n < LOGOUTS; n++) ends.push(await endAfterLogout(scene));
  const show = (ms: number) => `${ms.toFixed(0)} ms`;
  const most = (times: readonly number[]) => Math.max(...times);
  return [
    {
      what: `live tail: from the change to the event, the slowest of ${EVENTS}`,
      asked: `≤ ${show(MOST_DELAY_MS)}`,
      measured: show(most(delays)),
      ok: most(delays) <= MOST_DELAY_MS,
    },
    {
      what: `live tail: from the logout to its end, the slowest of ${LOGOUTS}`,
      asked: `≤ ${show(MOST_END_MS)}`,
      measured: show(most(ends)),
      ok: most(ends) <= MOST_END_MS,
    },
  ];
}

/** The stream that the page of events names, opened as its script does. */
async function follow({ url }: TailScene, browser: Browser): Promise<EventStream> {
  const { text } = await browser.open('/admin/events');
  const path = /data-stream="([^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&');
  if (path === undefined) throw new Error('the page of events names no stream');
  const stream = await openEventStream(url + path, { Cookie: `cart_session=${browser.session()}` });
  if (stream.status !== 200) throw new Error(`the stream was answered ${stream.status}`);
  return stream;
}

async function licenseOf({ client, token }: TailScene): Promise<string> {
  const { body } = await client.send('/api/v1/admin/licenses?limit=1', { headers: bearer(token) });
  return String(body.items?.[0]?.id);
}

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

/** From when a license is suspended or resumed until its event is there, in milliseconds. */
async function delayOf(
  { client, token }: TailScene,
  stream: EventStream,
  id: string,
  n: number,
): Promise<number> {
  const startedMs = performance.now();
  const seen = inTime('an event', async () => {
    for (;;) {
      const told = await stream.next();
      if (told === null) throw new Error('the stream ended before its event came');
      if (told.event.subject === id) return performance.now() - startedMs;
    }
  });
  // It is waited for below, where its failure is heard; until then the answer to the change comes first.
  seen.catch(() => undefined);
  const path = `/api/v1/admin/licenses/${id}/${n % 2 === 0 ? 'suspend' : 'resume'}`;
  const { status, text } = await client.send(path, { method: 'POST', body: {}, headers: bearer(token) });
  if (status !== 200) throw new Error(`a change was refused: ${text}`);
  return seen;
}

/** From when a session is ended until its stream is, in milliseconds: its rights have just been looked at. */
async function endAfterLogout(scene: TailScene): Promise<number> {
  const browser = await scene.signIn();
  const stream = await follow(scene, browser);
  const startedMs = performance.now();
  const { status } = await browser.submit('/admin/logout');
  if (status !== 303) throw new Error(`the logout was answered ${status}`);
  await inTime('the end of a stream', () => stream.end());
  return performance.now() - startedMs;
}

async function inTime<T>(what: string, work: () => Promise<T>): Promise<T> {
  const late = new AbortController();
  const timeout = sleep(TIMEOUT_MS, undefined, { signal: late.signal }).then(
    () => {
      throw new Error(`${what} did not come within ${TIMEOUT_MS / 1000} s`);
    },
    () => undefined as never,
  );
  try {
    return await Promise.race([work(), timeout]);
  } finally {
    late.abort();
  }
}
