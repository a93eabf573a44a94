// Heartbeats, floating seats and usage of the real service in the client SDK (licensing.md 7.3).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import { startApp } from '../support/app.ts';
import { delegatedProduct } from '../support/online-key.ts';
import { machineId, machineOf, type Shop } from './live.ts';

let shop: Shop;
beforeAll(async () => {
  const app = await startApp();
  const product = await app.product();
  const signer = await delegatedProduct(app.ctx, product);
  shop = { app, product, signer, apiKey: (await app.apiKey('VALIDATE_ONLY')).secret };
});
afterAll(() => shop.app.close());

const inSeconds = (seconds: number) => new Date(shop.app.clock.epochMs() + seconds * 1000).toISOString();
const license = (extra: Parameters<Shop['app']['license']>[0] = {}) =>
  shop.app.license({ productId: shop.product.id, ...extra });
const second = { machine: { id: 'machine-0002' } };

describe('heartbeat', () => {
  it('says when the next one is due; nothing without a policy', async () => {
    const { id: policyId } = await shop.app.policy({ heartbeatInterval: 10 });
    const { key } = await license({ policyId });
    const { client } = machineOf(shop, key);
    await client.activate();
    expect(await client.heartbeat()).toEqual({ nextHeartbeatAt: inSeconds(600) });
    const plain = machineOf(shop, (await license()).key);
    await plain.client.activate();
    expect(await plain.client.heartbeat()).toEqual({ nextHeartbeatAt: null });
  });

  it('the loop ends when the machine was removed, and access() is asked when the license is inactive', async () => {
    const { id: policyId } = await shop.app.policy({ heartbeatInterval: 10 });
    const { id, key } = await license({ policyId });
    const { client, heard, answers } = machineOf(shop, key);
    await expect(client.heartbeat()).rejects.toMatchObject({ code: 'NOT_ACTIVATED' });
    expect(heard).toEqual([{ event: 'deactivated', value: { reason: 'NOT_ACTIVATED' } }]);
    await client.activate();
    await licenses.suspend(shop.app.ctx, id, { reason: 'ADMIN', note: null });
    const told = new Promise((resolve) => client.on('access', resolve));
    client.startHeartbeat();
    expect(await told).toMatchObject({ allowed: false, code: 'SUSPENDED' });
    expect(answers).toEqual(['400 heartbeat', '200 activate', '400 heartbeat', '200 validate']);
    await client.close();
  });
});

describe('floating seats', () => {
  it('checkout, extension and checkin', async () => {
    const { key } = await license({ type: 'FLOATING', maxActivations: 2, validUntil: inSeconds(9e6) });
    const { client } = machineOf(shop, key);
    const seat = await client.checkout({ leaseDuration: 600, metadata: { room: '4' } });
    expect(seat).toEqual({
      activation: {
        id: expect.stringMatching(/^act_/),
        machineId,
        machineName: 'Desk',
        activatedAt: shop.app.ctx.now(),
        leaseExpiresAt: inSeconds(600),
        metadata: { room: '4' },
      },
      seatsUsed: 1,
      seatsTotal: 2,
      seatsAvailable: 1,
    });
    expect(await client.access()).toMatchObject({
      allowed: true,
      seats: { seatsUsed: 1, seatsTotal: 2, seatsAvailable: 1 },
      activation: { leaseExpiresAt: inSeconds(600) },
    });
    expect((await client.checkout({ leaseDuration: 1200 })).activation.id).toBe(seat.activation.id);
    expect(await client.checkin()).toEqual({ seatsAvailable: 2 });
    await expect(client.checkin()).rejects.toMatchObject({ code: 'NOT_CHECKED_OUT' });
  });

  it('holdSeat takes, extends and gives back; the next machine gets the seat', async () => {
    const { key } = await license({ type: 'FLOATING', maxActivations: 1, validUntil: inSeconds(9e6) });
    const first = machineOf(shop, key);
    const held = await first.client.holdSeat({ leaseDuration: 600 });
    const late = machineOf(shop, key, second);
    await expect(late.client.holdSeat()).rejects.toMatchObject({
      code: 'SEAT_LIMIT_REACHED',
      body: { seatsTotal: 1, seatsAvailable: 0 },
      details: { nextLeaseExpiresAt: inSeconds(600) },
    });
    shop.app.clock.advance(300);
    await held.extend();
    expect(held.activation.leaseExpiresAt).toBe(inSeconds(600));
    expect(await held.release()).toEqual({ seatsUsed: 0, seatsTotal: 1, seatsAvailable: 1 });
    const taken = await late.client.holdSeat({ leaseDuration: 60 });
    expect(taken.seats).toEqual({ seatsUsed: 1, seatsTotal: 1, seatsAvailable: 0 });
    await Promise.all([first.client.close(), late.client.close()]);
    expect(first.heard).toEqual([]);
  });

  it('a license that is not floating says so', async () => {
    const { client } = machineOf(shop, (await license()).key);
    await expect(client.checkout()).rejects.toMatchObject({ code: 'NOT_FLOATING' });
  });
});

describe('usage', () => {
  it('is counted once under its key, warns and ends at the limit', async () => {
    const { key } = await license({ maxUses: 10 });
    const { client, heard } = machineOf(shop, key);
    await client.activate();
    const usage = { current: 7, max: 10, remaining: 3, percentUsed: 70 };
    expect(await client.recordUsage('export', 7, { pages: 3 })).toEqual({ recorded: true, usage });
    await client.recordUsage('export');
    expect(await client.recordUsage('export', 3)).toEqual({
      recorded: false,
      usage: { current: 8, max: 10 },
    });
    await client.recordUsage('print', 2);
    expect((await client.access()).usage).toEqual({ current: 10, max: 10, remaining: 0, percentUsed: 100 });
    expect(heard.map(({ event }) => event)).toEqual(['usage-warning', 'usage-exhausted', 'access']);
  });

  it('waits in the queue through an outage and is counted exactly once after a lost answer', async () => {
    const { key } = await license({ maxUses: 100 });
    let lose = false;
    const lossy: typeof fetch = async (input, init) => {
      const response = await fetch(input, init);
      if (lose) throw new TypeError('the line was cut after the request');
      return response;
    };
    const machine = machineOf(shop, key, { fetch: lossy });
    await machine.client.activate();
    await machine.client.queueUsage('export', 4);
    await machine.client.queueUsage('export', 5);
    lose = true;
    expect(await machine.client.flushUsage()).toEqual({ sent: 0, left: 2 });
    lose = false;
    const again = machineOf(shop, key, { storage: machine.storage });
    expect(await again.client.flushUsage()).toEqual({ sent: 2, left: 0 });
    expect((await again.client.access()).usage).toMatchObject({ current: 9, max: 100 });
  });
});
