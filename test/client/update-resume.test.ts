// Downloads that break off and go on (licensing.md 7.3).
import { describe, expect, test } from 'vitest';
import { bodyOf, bundle, collector, offering, offerOf, sendBundle, ship, updates } from './releases.ts';
import { type Answer, type Asked, offline, refuse, type Server } from './scripted.ts';

const shipped = ship();
const etag = `"${shipped.claims.sha256}"`;

/** Answers downloads in turn; the last one answers all that follow. */
async function run(servers: Server[], more: Parameters<typeof updates>[1] = {}) {
  let turn = 0;
  const download: Server = (asked) => (servers[turn++] ?? (servers.at(-1) as Server))(asked);
  const machine = updates(offering(shipped, {}, download), more);
  const offer = await offerOf(machine);
  const sink = collector();
  const outcome = await machine.client.downloadUpdate(offer, sink).catch((error: unknown) => error);
  const asked = machine.asked.filter(({ operation }) => operation === 'download');
  const ranges = asked.map(({ headers }) => [headers.get('Range'), headers.get('If-Range')]);
  return { outcome, sink, ranges, retries: machine.of('retry') };
}

/** Sends what is asked for up to a place, and then breaks. */
const until =
  (
    place: number,
    headers: Record<string, string> = {},
    end: Parameters<typeof bodyOf>[1] = 'breaks',
  ): Server =>
  (asked) => {
    const answer = sendBundle(asked, bundle, headers);
    const bytes = answer.body as Uint8Array;
    return { ...answer, body: bodyOf(bytes.subarray(0, place - (bundle.length - bytes.length)), end) };
  };
const send: Server = (asked) => sendBundle(asked, bundle);
/** The answer of `send`, changed. */
const but =
  (change: (answer: Answer, asked: Asked) => Partial<Answer>): Server =>
  (asked) => {
    const answer = sendBundle(asked, bundle);
    return { ...answer, ...change(answer, asked) };
  };
const withHeaders = (headers: Record<string, string>): Server =>
  but((answer) => ({ headers: { ...answer.headers, ...headers } }));

describe('a download that breaks off', () => {
  test('goes on where it was, if the bundle is still the same', async () => {
    const { outcome, sink, ranges, retries } = await run([until(300), until(500), send]);
    expect(outcome).toBeUndefined();
    expect(sink.done).toEqual(['write', 'commit']);
    expect(sink.bytes()).toEqual(bundle);
    expect(ranges).toEqual([
      [null, null],
      ['bytes=300-', etag],
      ['bytes=500-', etag],
    ]);
    expect(retries.map(({ operation, attempt }) => [operation, attempt])).toEqual([
      ['download', 1],
      ['download', 2],
    ]);
  });

  test('five times, and not more', async () => {
    const five = [200, 300, 400, 500, 600].map((place) => until(place));
    expect((await run([...five, send])).outcome).toBeUndefined();
    const { outcome, sink, ranges } = await run([...five, until(700), send]);
    expect(outcome).toMatchObject({ name: 'ClientError', code: 'NETWORK' });
    expect(ranges).toHaveLength(6);
    expect(sink.done).toEqual(['write', 'abort']);
  });

  test('attempts that bring nothing are counted as for any call, and progress begins the count anew', async () => {
    const { outcome, ranges } = await run([offline, offline, offline, send]);
    expect(outcome).toMatchObject({ code: 'NETWORK' });
    expect(ranges).toHaveLength(3);
    const again = await run([offline, offline, until(300), offline, offline, send]);
    expect(again.outcome).toBeUndefined();
  });

  test('goes on after a refusal of the moment, and waits as long as it is told', async () => {
    const limited = () => refuse(429, 'RATE_LIMITED', {}, { 'Retry-After': '0' });
    const { outcome, retries } = await run([until(300), limited, () => refuse(503, 'BUSY'), send]);
    expect([outcome, retries[1]?.delayMs]).toEqual([undefined, 0]);
    const long = await run([until(300), () => refuse(429, 'RATE_LIMITED', {}, { 'Retry-After': '31' })]);
    expect(long.outcome).toMatchObject({
      name: 'LicenseApiError',
      code: 'RATE_LIMITED',
      retryAfterSeconds: 31,
    });
    expect(long.ranges).toHaveLength(2);
  });

  test('a damaged bundle on the server is asked for once more', async () => {
    const { outcome, ranges } = await run([() => refuse(500, 'SERVER_ERROR')]);
    expect(outcome).toMatchObject({ code: 'SERVER_ERROR', httpStatus: 500 });
    expect(ranges).toHaveLength(2);
  });

  test('a body that ends too early is one that broke off', async () => {
    expect((await run([until(300, {}, 'ends'), send])).sink.bytes()).toEqual(bundle);
  });

  test('so is one that stays silent; the time of the sink is not counted', async () => {
    const { outcome, ranges } = await run([until(300, {}, 'stays silent'), send], { timeoutMs: 100 });
    expect([outcome, ranges.length]).toEqual([undefined, 2]);
    const sink = collector({ write: () => new Promise((resolve) => setTimeout(resolve, 30)) });
    const machine = updates(offering(shipped, {}, send), { timeoutMs: 100 });
    await machine.client.downloadUpdate(await offerOf(machine), sink);
    expect(sink.done.at(-1)).toBe('commit');
  });

  test('a line that breaks, or stays silent, behind the last byte breaks nothing', async () => {
    expect((await run([until(1000)])).ranges).toHaveLength(1);
    const { outcome, ranges } = await run([until(1000, {}, 'stays silent')], { timeoutMs: 100 });
    expect([outcome, ranges.length]).toEqual([undefined, 1]);
  });

  test('a weak tag promises nothing about bytes: it is not sent', async () => {
    const { outcome, ranges } = await run([until(300, { ETag: `W/${etag}` }), send]);
    expect([outcome, ranges[1]]).toEqual([undefined, ['bytes=300-', null]]);
  });
});

describe('a server that does not go on where it was asked to', () => {
  test('but begins anew: what is known already is left out', async () => {
    const whole = but((_, { headers }) => {
      expect(headers.get('Range')).toBe('bytes=300-');
      const { 'Content-Range': _range, ...rest } =
        sendBundle({ headers: new Headers() } as Asked, bundle).headers ?? {};
      return { status: 200, headers: rest, body: bodyOf(bundle, 'ends', 70) };
    });
    const { outcome, sink } = await run([until(300), whole]);
    expect(outcome).toBeUndefined();
    expect(sink.bytes()).toEqual(bundle);
  });

  test.each([
    ['another beginning', 'bytes 200-999/1000'],
    ['a later beginning', 'bytes 301-999/1000'],
    ['another end', 'bytes 300-998/1000'],
    ['another size', 'bytes 300-1999/2000'],
    ['an unknown size', 'bytes 300-999/*'],
    ['another unit', 'items 300-999/1000'],
    ['nothing', ''],
  ])('%s is BAD_RESPONSE', async (_what, range) => {
    const { outcome, sink, ranges } = await run([until(300), withHeaders({ 'Content-Range': range })]);
    expect(outcome).toMatchObject({ name: 'ClientError', code: 'BAD_RESPONSE' });
    expect([sink.done, sink.bytes().length, ranges.length]).toEqual([['write', 'abort'], 300, 2]);
  });

  test.each<[string, Server]>([
    ['another tag', withHeaders({ ETag: '"other"' })],
    [
      'another tag on the whole',
      but(() => ({ status: 200, headers: { ETag: '"other"' }, body: new Uint8Array(bundle) })),
    ],
    ['another bundle by its digest', withHeaders({ 'X-Bundle-SHA256': '0'.repeat(64) })],
    ['another length', withHeaders({ 'Content-Length': '1000' })],
    ['more than the rest', but(() => ({ body: new Uint8Array(701) }))],
    ['other bytes', but(() => ({ body: new Uint8Array(700) }))],
  ])('%s is HASH_MISMATCH', async (_what, server) => {
    const { outcome, sink } = await run([until(300), server]);
    expect(outcome).toMatchObject({ name: 'ClientError', code: 'HASH_MISMATCH' });
    expect(sink.done).toEqual(['write', 'abort']);
  });

  test('416 is its refusal', async () => {
    const { outcome } = await run([until(300), () => refuse(416, 'VALIDATION_ERROR')]);
    expect(outcome).toMatchObject({ name: 'LicenseApiError', httpStatus: 416 });
  });
});
