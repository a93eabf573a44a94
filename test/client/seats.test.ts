// Floating seats and holdSeat (licensing.md 7.3).
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  licenseKey,
  offline,
  ok,
  pass,
  refuse,
  type Scripted,
  scripted,
  settle,
  stopTimers,
} from './scripted.ts';
import { machineId } from './signer.ts';

beforeEach(stopTimers);
afterEach(() => void vi.useRealTimers());

const seats = { seatsUsed: 2, seatsTotal: 5, seatsAvailable: 3 };
const lease = (one: Scripted, seconds: number, id = 'act_1') =>
  ok({
    message: 'ok',
    activation: { id, machineId, leaseExpiresAt: new Date(one.clock.ms + seconds * 1000).toISOString() },
    ...seats,
  });
/** A client whose leases last so many seconds. */
function leasing(seconds: number, more: Parameters<typeof scripted>[1] = {}): Scripted {
  const one: Scripted = scripted(() => lease(one, seconds), { retry: { attempts: 1 }, ...more });
  return one;
}
const checkouts = ({ operations }: Scripted) => operations().filter((one) => one === 'checkout').length;

test('checkout and checkin say what the server says', async () => {
  const one = leasing(3600, { machine: { id: machineId, name: 'Desk' } });
  const metadata = { room: '4' };
  expect(await one.client.checkout({ leaseDuration: 3600, metadata })).toEqual({
    activation: {
      id: 'act_1',
      machineId,
      machineName: 'Desk',
      activatedAt: one.iso(),
      leaseExpiresAt: '2026-03-01T13:00:00.000Z',
    },
    ...seats,
  });
  expect(one.asked[0]?.body).toEqual({
    key: licenseKey,
    machineId,
    machineName: 'Desk',
    leaseDuration: 3600,
    metadata,
    nonce: expect.any(String),
  });
  one.serve(() => ok({ ...seats, seatsUsed: 1, seatsAvailable: 4 }));
  expect(await one.client.checkin()).toEqual({ seatsAvailable: 4 });
  await pass(one, 4000);
  expect(one.operations()).toEqual(['checkout', 'checkin']);
});

describe('holdSeat', () => {
  test('extends at half of the lease, ±10 %, again and again', async () => {
    const one = leasing(600);
    const seat = await one.client.holdSeat({ leaseDuration: 600 });
    expect(seat.seats).toEqual(seats);
    const { activatedAt, leaseExpiresAt } = seat.activation;
    await pass(one, 269);
    expect(checkouts(one)).toBe(1);
    await pass(one, 62);
    expect(checkouts(one)).toBe(2);
    expect(one.asked[1]?.body.leaseDuration).toBe(600);
    expect(seat.activation.activatedAt).toBe(activatedAt);
    expect(String(seat.activation.leaseExpiresAt) > String(leaseExpiresAt)).toBe(true);
    await pass(one, 1500);
    expect(checkouts(one)).toBeGreaterThan(5);
    expect(one.of('seat-lost')).toEqual([]);
    await one.client.close();
  });

  test('extend() changes the lease from then on', async () => {
    const one = leasing(600);
    const seat = await one.client.holdSeat({ leaseDuration: 600, metadata: { a: 1 } });
    await seat.extend(1200);
    one.serve(() => lease(one, 1200));
    await pass(one, 340);
    await settle();
    expect(one.asked.map(({ body }) => [body.leaseDuration, body.metadata])).toEqual([
      [600, { a: 1 }],
      [1200, { a: 1 }],
      [1200, { a: 1 }],
    ]);
    await one.client.close();
  });

  test.each(['SEAT_LIMIT_REACHED', 'LICENSE_REVOKED', 'LICENSE_SUSPENDED', 'LICENSE_EXPIRED'])(
    '%s ends it: lost, and the event',
    async (code) => {
      const one = leasing(600);
      const seat = await one.client.holdSeat();
      one.serve(() => refuse(400, code));
      await pass(one, 331);
      expect(await seat.lost).toMatchObject({ name: 'LicenseApiError', code });
      expect(one.of('seat-lost')).toEqual([{ reason: code }]);
      await pass(one, 1200);
      expect(checkouts(one)).toBe(2);
      await expect(seat.extend()).rejects.toMatchObject({ code: 'ABORTED' });
    },
  );

  test.each([
    ['an outage', offline],
    ['another refusal', () => refuse(404, 'NOT_FOUND')],
    ['a rate limit that outlasts the lease', () => refuse(429, 'RATE_LIMITED', {}, { 'Retry-After': '900' })],
  ])('%s is tried again until the lease ends', async (_what, failure) => {
    const one = leasing(600);
    const seat = await one.client.holdSeat();
    let lost: unknown = null;
    void seat.lost.then((error) => (lost = error));
    one.serve(failure);
    await pass(one, 590);
    expect(lost).toBeNull();
    expect(checkouts(one)).toBeGreaterThan(4);
    await pass(one, 30);
    expect(lost).toMatchObject({ code: expect.stringMatching(/^(NETWORK|NOT_FOUND|RATE_LIMITED)$/) });
    expect(one.of('seat-lost')).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('an outage that ends in time costs nothing', async () => {
    const one = leasing(600);
    const seat = await one.client.holdSeat();
    one.serve(offline);
    await pass(one, 500);
    one.serve(() => lease(one, 600));
    await pass(one, 90);
    expect(one.of('seat-lost')).toEqual([]);
    expect(Date.parse(String(seat.activation.leaseExpiresAt))).toBeGreaterThan(one.clock.ms + 300_000);
    await one.client.close();
  });

  test('a rate limit that fits into the lease is waited for', async () => {
    const own: Scripted = scripted(() => lease(own, 600));
    await own.client.holdSeat();
    own.serve(() => refuse(429, 'RATE_LIMITED', {}, { 'Retry-After': '120' }));
    await pass(own, 332);
    expect(own.of('retry')).toEqual([{ operation: 'checkout', attempt: 1, delayMs: 120_000 }]);
    own.serve(() => lease(own, 600));
    await pass(own, 121);
    expect(checkouts(own)).toBe(3);
    await own.client.close();
  });

  test('release() gives the seat back and ends the extensions', async () => {
    const one = leasing(600);
    const seat = await one.client.holdSeat();
    const freed = { seatsUsed: 1, seatsTotal: 5, seatsAvailable: 4 };
    one.serve(() => ok(freed));
    expect(await seat.release()).toEqual(freed);
    expect(seat.seats).toEqual(freed);
    await pass(one, 1200);
    expect(one.operations()).toEqual(['checkout', 'checkin']);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('close() keeps the seat: no checkin, no more extensions', async () => {
    const one = leasing(600);
    await one.client.holdSeat();
    await one.client.close();
    await pass(one, 1200);
    expect(one.operations()).toEqual(['checkout']);
    expect(one.of('seat-lost')).toEqual([]);
  });

  test('a clock that is wrong does not make it ask without end', async () => {
    const one: Scripted = scripted(() => lease(one, -5000), { retry: { attempts: 1 } });
    await one.client.holdSeat();
    await pass(one, 100);
    expect(checkouts(one)).toBeLessThan(8);
    await one.client.close();
  });

  test('no seat at the start is the caller’s to handle', async () => {
    const { client, of } = scripted(() => refuse(400, 'SEAT_LIMIT_REACHED', { seatsTotal: 5 }));
    await expect(client.holdSeat()).rejects.toMatchObject({
      code: 'SEAT_LIMIT_REACHED',
      body: { seatsTotal: 5 },
    });
    expect(of('seat-lost')).toEqual([]);
  });
});
