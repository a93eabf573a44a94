// Heartbeats and their loop (licensing.md 7.3).
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  invalid,
  licenseKey,
  offline,
  ok,
  pass,
  refuse,
  type Scripted,
  type Server,
  scripted,
  settle,
  signed,
  stopTimers,
  until,
} from './scripted.ts';
import { machineId } from './signer.ts';

beforeEach(stopTimers);
afterEach(() => void vi.useRealTimers());

const single = { retry: { attempts: 1 } };
const next = (one: Scripted, seconds: number) =>
  ok({ nextHeartbeatAt: new Date(one.clock.ms + seconds * 1000).toISOString() });
/** A client whose server wants a heartbeat every so many seconds. */
function beating(seconds: number): Scripted {
  const one: Scripted = scripted(() => next(one, seconds), single);
  return one;
}
const beats = ({ operations }: Scripted) =>
  operations().filter((operation) => operation === 'heartbeat').length;

test('heartbeat() says when the next one is due', async () => {
  const one = beating(600);
  expect(await one.client.heartbeat()).toEqual({ nextHeartbeatAt: '2026-03-01T12:10:00.000Z' });
  expect(one.asked[0]?.body).toEqual({ key: licenseKey, machineId, nonce: expect.any(String) });
  one.serve(() => ok());
  expect(await one.client.heartbeat()).toEqual({ nextHeartbeatAt: null });
  await pass(one, 2000);
  expect(beats(one)).toBe(2);
});

describe('the loop', () => {
  test('beats at once and then 10 % before the next one is due, ±10 %, never late', async () => {
    const gaps: number[] = [];
    for (let run = 0; run < 12; run += 1) {
      const one = beating(600);
      one.client.startHeartbeat();
      one.client.startHeartbeat();
      await until(() => beats(one) === 1);
      await settle();
      await pass(one, 480);
      expect(beats(one)).toBe(1);
      let gap = 480;
      for (; beats(one) === 1 && gap < 700; gap += 1) await pass(one, 1);
      gaps.push(gap);
      await one.client.close();
    }
    expect(Math.min(...gaps)).toBeGreaterThan(485);
    expect(Math.max(...gaps)).toBeLessThan(596);
    expect(Math.max(...gaps) - Math.min(...gaps)).toBeGreaterThan(10);
  });

  const due = { nextHeartbeatAt: '2026-03-01T14:10:00.000Z' };
  test.each<[string, Server]>([
    ['the header Date', () => ok(due, { Date: 'Sun, 01 Mar 2026 14:00:00 GMT' })],
    ['a signed date', (asked) => signed(asked, ok(due), '2026-03-01T14:00:00.000Z')],
  ])('measures by the server’s clock, when the own one is wrong: %s', async (what, server) => {
    const one = scripted(server, single);
    one.client.startHeartbeat();
    await until(() => beats(one) === 1);
    // A signature is verified on another thread, which settle() does not wait for.
    await until(() => what === 'the header Date' || one.stored.has('appctl.editor.clock'));
    await settle();
    await pass(one, 480);
    expect(beats(one)).toBe(1);
    await pass(one, 120);
    expect(beats(one)).toBe(2);
    await one.client.close();
  });

  test('has no timer when the field is absent', async () => {
    const one = scripted(() => ok(), single);
    one.client.startHeartbeat();
    await until(() => beats(one) === 1);
    await settle();
    expect(vi.getTimerCount()).toBe(0);
    await pass(one, 2000);
    expect(beats(one)).toBe(1);
  });

  test('goes on until it is stopped, and can be started again', async () => {
    const one = beating(60);
    one.client.startHeartbeat();
    await until(() => beats(one) === 1);
    await pass(one, 600);
    const before = beats(one);
    expect(before).toBeGreaterThan(9);
    one.client.stopHeartbeat();
    await pass(one, 300);
    expect(beats(one)).toBe(before);
    one.client.startHeartbeat();
    await until(() => beats(one) === before + 1);
    await one.client.close();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('NOT_ACTIVATED: deactivated is told, and it stops', async () => {
    const one = beating(60);
    one.client.startHeartbeat();
    await until(() => beats(one) === 1);
    await settle();
    one.serve(() => refuse(400, 'NOT_ACTIVATED'));
    await pass(one, 60);
    expect(one.of('deactivated')).toEqual([{ reason: 'NOT_ACTIVATED' }]);
    await pass(one, 300);
    expect(beats(one)).toBe(2);
    expect(one.of('background-error')).toEqual([]);
  });

  test('LICENSE_INACTIVE: access() is asked, and the machine keeps beating in case of a renewal', async () => {
    const one = beating(60);
    one.client.startHeartbeat();
    await until(() => beats(one) === 1);
    await settle();
    one.serve(({ operation }) =>
      operation === 'heartbeat' ? refuse(400, 'LICENSE_INACTIVE') : invalid('EXPIRED', { status: 'EXPIRED' }),
    );
    await pass(one, 60);
    expect(one.of('access')).toMatchObject([{ allowed: false, code: 'EXPIRED' }]);
    expect(one.operations()).toEqual(['heartbeat', 'heartbeat', 'validate']);
    await pass(one, 70);
    expect(beats(one)).toBe(3);
    expect(one.of('background-error')).toEqual([]);
    await one.client.close();
  });

  test('an outage is told, and does not end it', async () => {
    const one = beating(60);
    one.client.startHeartbeat();
    await until(() => beats(one) === 1);
    await settle();
    one.serve(offline);
    await pass(one, 60);
    expect(one.of('background-error')).toMatchObject([{ code: 'NETWORK' }]);
    one.serve(() => next(one, 60));
    await pass(one, 70);
    expect(beats(one)).toBe(3);
    await one.client.close();
  });
});

test('heartbeat() by hand ends a loop that runs for nothing', async () => {
  const one = beating(60);
  one.client.startHeartbeat();
  await until(() => beats(one) === 1);
  await settle();
  one.serve(() => refuse(400, 'NOT_ACTIVATED'));
  await expect(one.client.heartbeat()).rejects.toMatchObject({ code: 'NOT_ACTIVATED' });
  await pass(one, 300);
  expect(beats(one)).toBe(2);
});

test('heartbeat() by hand throws, and reacts as the loop does', async () => {
  const one = scripted(() => refuse(400, 'NOT_ACTIVATED'), single);
  await expect(one.client.heartbeat()).rejects.toMatchObject({ code: 'NOT_ACTIVATED' });
  expect(one.of('deactivated')).toEqual([{ reason: 'NOT_ACTIVATED' }]);
  one.serve(({ operation }) =>
    operation === 'heartbeat' ? refuse(400, 'LICENSE_INACTIVE') : invalid('SUSPENDED'),
  );
  await expect(one.client.heartbeat()).rejects.toMatchObject({ code: 'LICENSE_INACTIVE' });
  await until(() => one.of('access').length === 1);
  expect(one.of('access')).toMatchObject([{ code: 'SUSPENDED' }]);
});
