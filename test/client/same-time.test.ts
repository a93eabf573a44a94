// What is under way when the license changes hands: nothing of before may count after it (licensing.md 7.3).
import { afterEach, describe, expect, test, vi } from 'vitest';
import { webCryptoVerify } from '../../src/client/ed25519.ts';
import type { Verify } from '../../src/client/option-types.ts';
import {
  type Answer,
  activation,
  invalid,
  license,
  offline,
  ok,
  pass,
  type Scripted,
  type Server,
  scripted,
  settle,
  stopTimers,
  until,
  valid,
} from './scripted.ts';
import { machineId, startSeconds, token } from './signer.ts';

afterEach(() => void vi.useRealTimers());

const single = { retry: { attempts: 1 } };
const otherKey = 'APP-ZZZZ-ZZZZ-ZZZZ-ZZZZ';
const expiresAt = new Date((startSeconds + 2_592_000) * 1000).toISOString();
const withToken = ok({ token: token(), expiresAt });

/** A server that keeps the answers of one operation back until it is told to give them. */
function holding(operation: string, answer: Answer, others: Server = () => valid()) {
  const held: (() => void)[] = [];
  const server: Server = (asked) =>
    asked.operation === operation
      ? new Promise((resolve) => held.push(() => resolve(answer)))
      : others(asked);
  return { server, held };
}

describe('deactivate', () => {
  test.each(['a background refresh', 'refreshOfflineToken'])(
    'a token that %s had asked for is not kept after it',
    async (what) => {
      const { server, held } = holding('offline-token', withToken);
      let verified = 0;
      const verify: Verify = async (...parts) => {
        const isGood = await webCryptoVerify(...parts);
        verified += 1;
        return isGood;
      };
      const offered = { enabled: what === 'a background refresh' };
      const one = scripted(server, { ...single, verify, offline: offered });
      if (what === 'a background refresh') await one.client.access();
      else void one.client.refreshOfflineToken();
      await until(() => held.length === 1);
      one.serve(() => ok());
      await one.client.deactivate();
      held[0]?.();
      // That of the delegation and that of the token.
      await until(() => verified === 2);
      await settle();
      expect(one.stored.has('appctl.editor.token')).toBe(false);
      one.serve(offline);
      expect(await one.client.access({ force: true })).toMatchObject({ code: 'UNREACHABLE' });
    },
  );

  test('a good answer that was under way does not serve the next outage', async () => {
    const { server, held } = holding('validate', valid());
    const one = scripted(server, { ...single, offline: { outageGraceSeconds: 3600 } });
    const before = one.client.access();
    await until(() => held.length === 1);
    one.serve(() => ok());
    await one.client.deactivate();
    held[0]?.();
    expect(await before).toMatchObject({ code: 'VALID' });
    one.serve(offline);
    expect(await one.client.access()).toMatchObject({ code: 'UNREACHABLE' });
  });
});

test('access() after activate does not join a question from before it', async () => {
  const { server, held } = holding('validate', invalid('NOT_ACTIVATED'));
  const one = scripted(server, single);
  const before = one.client.access();
  await until(() => held.length === 1);
  one.serve(({ operation }) => (operation === 'activate' ? ok({ license, activation }) : valid()));
  await one.client.activate();
  expect(await one.client.access()).toMatchObject({ code: 'VALID' });
  held[0]?.();
  expect(await before).toMatchObject({ code: 'NOT_ACTIVATED' });
});

describe('setLicenseKey', () => {
  const used = ok({ usage: { current: 1, max: null } });

  test('uses of the license before are not counted on the new one', async () => {
    const { server, held } = holding('record-usage', used);
    const one = scripted(server, single);
    await one.client.queueUsage('first');
    await one.client.queueUsage('second');
    const flushed = one.client.flushUsage();
    await until(() => held.length === 1);
    const changed = one.client.setLicenseKey(otherKey);
    const later = one.client.flushUsage();
    await settle();
    held[0]?.();
    expect(await flushed).toEqual({ sent: 1, left: 1 });
    await changed;
    expect(await later).toEqual({ sent: 0, left: 0 });
    expect(one.asked.map(({ body }) => [body.feature, body.key === otherKey])).toEqual([['first', false]]);
    expect(one.of('usage-uncertain')).toEqual([{ feature: 'second', quantity: 1 }]);
  });

  test('a call that comes meanwhile is about the new key', async () => {
    const one = scripted(() => valid(), single);
    await one.client.access();
    const changed = one.client.setLicenseKey(otherKey);
    await one.client.access();
    await changed;
    expect(one.asked.map(({ body }) => body.licenseKey)).toEqual([expect.anything(), otherKey]);
  });

  test('a storage that fails does not make an answer about the key before count', async () => {
    const broken = () => Promise.reject(new Error('disk full'));
    const one = scripted(() => valid(), { ...single, storage: { get: broken, set: broken, delete: broken } });
    await one.client.access();
    await one.client.setLicenseKey(otherKey);
    expect(one.client.feature('sso')).toBeUndefined();
    one.serve(() => invalid('REVOKED'));
    expect(await one.client.access()).toMatchObject({ code: 'REVOKED' });
  });
});

describe('release of a held seat', () => {
  const seats = { seatsUsed: 1, seatsTotal: 5, seatsAvailable: 4 };
  const lease = (one: Scripted) => {
    const leaseExpiresAt = new Date(one.clock.ms + 600_000).toISOString();
    return ok({ activation: { id: 'act_1', machineId, leaseExpiresAt }, ...seats });
  };

  test('gives up an extension under way, so that it does not take the seat again', async () => {
    stopTimers();
    const one: Scripted = scripted(() => lease(one), single);
    const seat = await one.client.holdSeat();
    one.serve(({ operation }) => (operation === 'checkout' ? new Promise(() => undefined) : ok(seats)));
    while (one.asked.length < 2) await pass(one, 1);
    expect(one.asked[1]?.signal.aborted).toBe(false);
    await seat.release();
    expect(one.asked[1]?.signal.aborted).toBe(true);
    expect(one.operations()).toEqual(['checkout', 'checkout', 'checkin']);
    await pass(one, 600);
    expect(one.operations()).toHaveLength(3);
    expect([one.of('seat-lost'), vi.getTimerCount()]).toEqual([[], 0]);
  });

  test('gives up one that waits for its next attempt', async () => {
    stopTimers();
    const one: Scripted = scripted(() => lease(one), { retry: { attempts: 9, baseMs: 9e6, maxMs: 9e6 } });
    const seat = await one.client.holdSeat();
    one.serve(({ operation }) => (operation === 'checkout' ? offline({} as never) : ok(seats)));
    // How long it waits is drawn: not a wait that may end by itself before the seat is given back.
    while ((one.of('retry').at(-1)?.delayMs ?? 0) < 10_000) await pass(one, 1);
    const before = one.operations();
    expect(before.slice(0, 2)).toEqual(['checkout', 'checkout']);
    await seat.release();
    one.serve(() => lease(one));
    await pass(one, 9000);
    expect(one.operations()).toEqual([...before, 'checkin']);
  });
});
