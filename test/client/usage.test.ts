// Usage: recordUsage, the queue, and the marks (licensing.md 7.3, D78 to D81).
import { describe, expect, test } from 'vitest';
import { type Answer, licenseKey, offline, ok, refuse, type Scripted, scripted, valid } from './scripted.ts';

const single = { retry: { attempts: 1 } };
const used = (current: number, max: number | null = 10): Answer =>
  ok({ message: 'ok', usage: max === null ? { current, max } : { current, max, remaining: max - current } });
const full = (current = 10, max = 10) => refuse(400, 'USAGE_LIMIT_EXCEEDED', { usage: { current, max } });
const keysOf = ({ asked }: Scripted) => asked.map(({ headers }) => headers.get('X-Idempotency-Key'));
const queued = ({ stored }: Scripted) =>
  JSON.parse(stored.get('appctl.editor.usage') ?? '{"entries":[]}').entries;
const hour = 3600;

describe('recordUsage', () => {
  test('sends one use by default, each under a fresh idempotency key', async () => {
    const one = scripted(() => used(1));
    const usage = { current: 1, max: 10, remaining: 9 };
    expect(await one.client.recordUsage('export')).toEqual({ recorded: true, usage });
    await one.client.recordUsage('export', 5, { pages: 3 });
    const nonce = expect.any(String);
    const { machineId } = one.asked[0]?.body ?? {};
    expect(one.asked.map(({ body }) => body)).toEqual([
      { key: licenseKey, machineId, feature: 'export', quantity: 1, nonce },
      { key: licenseKey, machineId, feature: 'export', quantity: 5, metadata: { pages: 3 }, nonce },
    ]);
    const keys = keysOf(one);
    expect(new Set(keys).size).toBe(2);
    expect(keys.every((key) => /^[\w-]{22}$/.test(String(key)))).toBe(true);
  });

  test('a retry carries the same key', async () => {
    const answers = [refuse(503, 'SERVER_ERROR'), used(1)];
    const one = scripted(() => answers.shift() as Answer);
    await one.client.recordUsage('export');
    expect(new Set(keysOf(one)).size).toBe(1);
    expect(one.asked).toHaveLength(2);
  });

  test('USAGE_LIMIT_EXCEEDED gives recorded false with the usage; other refusals are thrown', async () => {
    const { client, serve } = scripted(() => full(9));
    expect(await client.recordUsage('export', 2)).toEqual({
      recorded: false,
      usage: { current: 9, max: 10 },
    });
    serve(() => refuse(400, 'LICENSE_EXPIRED'));
    await expect(client.recordUsage('export')).rejects.toMatchObject({ code: 'LICENSE_EXPIRED' });
  });

  test.each<[string, number]>([
    ['', 1],
    ['x'.repeat(101), 1],
    ['x', 0],
    ['x', 10_001],
    ['x', 1.5],
    ['x', Number.NaN],
  ])('%j × %d is a mistake of the application', async (feature, quantity) => {
    const { client, asked, stored } = scripted(() => used(1));
    await expect(client.recordUsage(feature, quantity)).rejects.toThrow(RangeError);
    await expect(client.queueUsage(feature, quantity)).rejects.toThrow(RangeError);
    expect(asked).toEqual([]);
    expect(stored.has('appctl.editor.usage')).toBe(false);
  });
});

test('marks: 80 % and 100 % are told once each, whoever reached them, and again after a reset', async () => {
  const one = scripted(() => used(0));
  const marks = async (...answers: Answer[]) => {
    for (const answer of answers) {
      one.serve(() => answer);
      await one.client.recordUsage('export');
    }
    const told = one.heard.filter(({ event }) => event.startsWith('usage-')).map(({ event }) => event);
    one.heard.length = 0;
    return told;
  };
  expect(await marks(used(7), used(7, null))).toEqual([]);
  expect(await marks(used(8), used(9))).toEqual(['usage-warning']);
  expect(await marks(used(10), full())).toEqual(['usage-exhausted']);
  expect(await marks(used(1), used(10))).toEqual(['usage-exhausted']);
  expect(await marks(used(1), full(9))).toEqual(['usage-warning']);
  one.serve(() => valid({ usage: { current: 10, max: 10, remaining: 0, percentUsed: 100 } }));
  await one.client.access();
  expect(one.of('usage-exhausted')).toMatchObject([{ current: 10, max: 10 }]);
});

describe('the queue', () => {
  test('keeps entries in the storage, sends them in order, and forgets them', async () => {
    const before = scripted(offline, single);
    await before.client.queueUsage('export', 2, { pages: 3 });
    await before.client.queueUsage('print');
    expect(before.asked).toEqual([]);
    expect(queued(before)).toMatchObject([
      { feature: 'export', quantity: 2, metadata: { pages: 3 }, triedAt: null },
      { feature: 'print', quantity: 1, triedAt: null },
    ]);
    expect(JSON.stringify([...before.stored])).not.toContain(licenseKey);
    const again = scripted(() => used(1), { ...single, stored: before.stored });
    expect(await again.client.flushUsage()).toEqual({ sent: 2, left: 0 });
    expect(again.asked.map(({ body }) => [body.feature, body.quantity])).toEqual([
      ['export', 2],
      ['print', 1],
    ]);
    expect(queued(again)).toEqual([]);
    expect(await again.client.flushUsage()).toEqual({ sent: 0, left: 0 });
  });

  test('an entry keeps its key over every attempt and restart', async () => {
    const one = scripted(offline, single);
    await one.client.queueUsage('export');
    expect(await one.client.flushUsage()).toEqual({ sent: 0, left: 1 });
    expect(one.of('background-error')).toMatchObject([{ code: 'NETWORK' }]);
    const again = scripted(() => used(1), { ...single, stored: one.stored });
    expect(await again.client.flushUsage()).toEqual({ sent: 1, left: 0 });
    expect(keysOf(again)).toEqual(keysOf(one));
  });

  test('is tried before it is sent: a crash in between leaves a trace', async () => {
    const one: Scripted = scripted(() => {
      expect(queued(one)[0].triedAt).toBe(one.clock.ms);
      return used(1);
    }, single);
    await one.client.queueUsage('export');
    await one.client.flushUsage();
    expect(one.asked).toHaveLength(1);
  });

  test('an entry that was tried and is older than 23 h is not sent but told', async () => {
    const one = scripted(offline, single);
    await one.client.queueUsage('export', 3);
    await one.client.flushUsage();
    await one.client.queueUsage('print');
    one.advance(23 * hour);
    await one.client.flushUsage();
    expect(one.of('usage-uncertain')).toEqual([]);
    one.advance(0.001);
    one.serve(() => used(1));
    expect(await one.client.flushUsage()).toEqual({ sent: 1, left: 0 });
    expect(one.of('usage-uncertain')).toEqual([{ feature: 'export', quantity: 3 }]);
    expect(one.asked.map(({ body }) => body.feature)).toEqual(['export', 'export', 'print']);
  });

  test('one that was never tried is sent whatever its age', async () => {
    const one = scripted(() => used(1), single);
    await one.client.queueUsage('export');
    one.advance(300 * 24 * hour);
    expect(await one.client.flushUsage()).toEqual({ sent: 1, left: 0 });
  });

  test('what the server will never take is dropped; what may pass later stays, in order', async () => {
    const one = scripted(() => full(), single);
    await one.client.queueUsage('a');
    expect(await one.client.flushUsage()).toEqual({ sent: 0, left: 0 });
    expect(one.of('usage-exhausted')).toHaveLength(1);
    one.serve(() => refuse(400, 'VALIDATION_ERROR'));
    await one.client.queueUsage('b');
    expect(await one.client.flushUsage()).toEqual({ sent: 0, left: 0 });
    expect(one.of('background-error')).toMatchObject([{ code: 'VALIDATION_ERROR' }]);
    one.serve(() => refuse(400, 'LICENSE_SUSPENDED'));
    await one.client.queueUsage('c');
    await one.client.queueUsage('d');
    expect(await one.client.flushUsage()).toEqual({ sent: 0, left: 2 });
    expect(one.asked.map(({ body }) => body.feature)).toEqual(['a', 'b', 'c']);
  });

  test('flushes and additions at the same time lose and repeat nothing', async () => {
    let current = 0;
    const one = scripted(async () => used((current += 1), null), single);
    const features = Array.from({ length: 20 }, (_, place) => `f${place}`);
    await Promise.all(
      features.flatMap((feature) => [one.client.queueUsage(feature), one.client.flushUsage()]),
    );
    await one.client.flushUsage();
    expect(one.asked.map(({ body }) => body.feature)).toEqual(features);
    expect(new Set(keysOf(one)).size).toBe(20);
  });

  test('close() flushes, one attempt each, and keeps what cannot be sent', async () => {
    const one = scripted(() => used(1));
    await one.client.queueUsage('export');
    await one.client.close();
    expect(one.asked).toHaveLength(1);
    expect(queued(one)).toEqual([]);
    const lost = scripted(offline);
    await lost.client.queueUsage('export');
    await lost.client.queueUsage('print');
    await lost.client.close();
    expect(lost.asked).toHaveLength(1);
    expect(queued(lost)).toHaveLength(2);
  });

  test('a damaged entry is left out and does not hold up the others', async () => {
    const one = scripted(offline, single);
    await one.client.queueUsage('export');
    const [good] = queued(one);
    const damaged = [
      null,
      7,
      'x',
      {},
      { ...good, id: 1 },
      { ...good, quantity: '1' },
      { ...good, triedAt: 'x' },
    ];
    one.stored.set('appctl.editor.usage', JSON.stringify({ entries: [...damaged, good] }));
    const again = scripted(() => used(1), { ...single, stored: one.stored });
    expect(await again.client.flushUsage()).toEqual({ sent: 1, left: 0 });
    expect(keysOf(again)).toEqual([good.id]);
  });

  test('a storage that fails is told to whoever queues', async () => {
    const { storage } = scripted();
    const set = () => Promise.reject(new Error('disk full'));
    const { client } = scripted(() => used(1), { storage: { ...storage, set } });
    await expect(client.queueUsage('export')).rejects.toThrow('disk full');
  });
});
