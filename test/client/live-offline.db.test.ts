// Offline tokens of the real service in the client SDK (licensing.md 6.2, 7.3).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import * as offlineTokens from '#licensing/licenses/offline-tokens/index.ts';
import { verifyOfflineToken } from '../../src/client/index.ts';
import { startApp } from '../support/app.ts';
import { delegatedProduct } from '../support/online-key.ts';
import { machineId, machineOf, type Shop } from './live.ts';

const DAY = 86_400;

let shop: Shop;
beforeAll(async () => {
  const app = await startApp();
  const product = await app.product();
  const signer = await delegatedProduct(app.ctx, product);
  shop = { app, product, signer, apiKey: (await app.apiKey('VALIDATE_ONLY')).secret };
});
afterAll(() => shop.app.close());

const inDays = (days: number) => new Date(shop.app.clock.epochMs() + days * DAY * 1000).toISOString();
const license = (extra: Parameters<Shop['app']['license']>[0] = {}) =>
  shop.app.license({ productId: shop.product.id, ...extra });
const enabled = { offline: { enabled: true } };

describe('a laptop', () => {
  it('activates, loses the network, restarts and works until its token ends', async () => {
    const { key } = await license({ features: { sso: true } });
    const first = machineOf(shop, key, enabled);
    await first.client.activate();
    const offlineUntil = inDays(30);
    expect(await first.client.access()).toMatchObject({ allowed: true, source: 'server', offlineUntil });
    const again = machineOf(shop, key, { ...enabled, storage: first.storage });
    again.cut();
    expect(await again.client.access()).toMatchObject({
      allowed: true,
      source: 'offline-token',
      code: 'VALID',
      offlineUntil,
      features: { sso: true },
    });
    expect(again.client.feature('sso')).toBe(true);
    shop.app.clock.advance(30 * DAY);
    expect(await again.client.access()).toMatchObject({ allowed: false, code: 'TOKEN_EXPIRED' });
    again.mend();
    expect(await again.client.access()).toMatchObject({ allowed: true, source: 'server' });
  });

  it('hears of a revocation as soon as it is online, and then its token is gone', async () => {
    const { id, key } = await license();
    const { client, cut, mend } = machineOf(shop, key, enabled);
    await client.activate();
    await licenses.revoke(shop.app.ctx, { licenseId: id }, null);
    cut();
    expect(await client.access()).toMatchObject({ allowed: true, source: 'offline-token' });
    mend();
    expect(await client.access()).toMatchObject({ allowed: false, code: 'REVOKED' });
    cut();
    expect(await client.access({ force: true })).toMatchObject({ allowed: false, code: 'UNREACHABLE' });
  });

  it('is let in by its last signed answer while the service is busy, after a restart and for a day', async () => {
    const { key } = await license({ features: { sso: true } });
    const first = machineOf(shop, key);
    await first.client.activate();
    expect(await first.client.access()).toMatchObject({ allowed: true });
    expect(await first.storage.get(`appctl.${shop.product.slug}.answer`)).not.toContain(key);
    const busy: typeof fetch = async () => new Response('busy', { status: 429 });
    const typed = key.toLowerCase();
    const again = machineOf(shop, typed, { storage: first.storage, fetch: busy });
    const kept = { allowed: true, source: 'cache', features: { sso: true } };
    expect(await again.client.access()).toMatchObject(kept);
    shop.app.clock.advance(DAY + 1);
    expect(await again.client.access()).toMatchObject({ allowed: false, code: 'RATE_LIMITED' });
  });

  it('knows the end of its license and of its grace', async () => {
    const until = inDays(1);
    const { key } = await license({ type: 'SUBSCRIPTION', validUntil: until, gracePeriodSeconds: DAY });
    const { client, cut } = machineOf(shop, key, enabled);
    await client.activate();
    const graceExpiresAt = inDays(2);
    cut();
    shop.app.clock.advance(DAY);
    expect(await client.access()).toMatchObject({
      allowed: true,
      code: 'GRACE',
      status: 'EXPIRED',
      graceExpiresAt,
    });
    shop.app.clock.advance(DAY);
    expect(await client.access()).toMatchObject({ allowed: false, code: 'TOKEN_EXPIRED' });
  });

  it('is refused a token that its policy forbids, and works on while it is online', async () => {
    const { id: policyId } = await shop.app.policy({ offlineMaxTtlSeconds: 0 });
    const { key } = await license({ policyId });
    const { client, heard } = machineOf(shop, key, enabled);
    await client.activate();
    expect(heard).toMatchObject([{ event: 'background-error', value: { code: 'NOT_FOUND' } }]);
    expect(await client.access()).toMatchObject({ allowed: true, offlineUntil: null });
  });

  it('asks for the life that it wants', async () => {
    const { key } = await license();
    const { client } = machineOf(shop, key);
    await expect(client.refreshOfflineToken()).rejects.toMatchObject({ code: 'NOT_ACTIVATED' });
    await client.activate();
    expect(await client.refreshOfflineToken(3600)).toEqual({ expiresAt: inDays(1 / 24) });
    await expect(client.refreshOfflineToken(60)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });
});

describe('a machine without a network', () => {
  it('sends its request by another channel and takes the token that support returns', async () => {
    const { id } = await license({ features: { export: 7 } });
    const { client, cut, answers } = machineOf(shop, undefined, { appVersion: '2.0' });
    cut();
    expect(await client.access()).toMatchObject({ allowed: false, code: 'NO_LICENSE_KEY' });
    const request = JSON.parse(client.exportRequest());
    expect(request).toEqual({ product: shop.product.slug, machineId, appVersion: '2.0' });
    const issued = await offlineTokens.issue(shop.app.ctx, id, request.machineId, 90 * DAY, {
      activate: true,
    });
    const typed = issued.token.replace(/.{64}/g, '$&\n');
    expect(await client.importOfflineToken(typed)).toMatchObject({
      allowed: true,
      source: 'offline-token',
      offlineUntil: issued.expiresAt,
    });
    expect(await client.access()).toMatchObject({ allowed: true });
    expect(client.feature('export')).toBe(7);
    expect(answers).toEqual([]);
    const other = machineOf(shop, undefined, { machine: { id: 'machine-0002' } });
    expect(await other.client.importOfflineToken(typed)).toMatchObject({
      allowed: false,
      code: 'WRONG_MACHINE',
    });
  });

  it('verifyOfflineToken judges what the service signs, without a client', async () => {
    const { id } = await license();
    const { token } = await offlineTokens.issue(shop.app.ctx, id, machineId, DAY, { activate: true });
    const options = {
      rootKeys: [shop.signer.root.publicKey.toString('base64')],
      product: shop.product.slug,
      machineId,
      now: shop.app.clock.epochMs(),
      lastSeen: 0,
    };
    expect(await verifyOfflineToken(token, options)).toMatchObject({ code: 'VALID', allowed: true });
    expect(await verifyOfflineToken(token, { ...options, product: 'other' })).toMatchObject({
      code: 'DELEGATION_INVALID',
    });
  });
});

it('a machine whose clock is behind the service is told so', async () => {
  const { key } = await license();
  const { client, heard, cut } = machineOf(shop, key, {
    ...enabled,
    now: () => shop.app.clock.epochMs() - 301_000,
  });
  expect(await client.activate()).toMatchObject({ license: { key } });
  expect(heard).toMatchObject([{ event: 'background-error', value: { code: 'CLOCK_ROLLED_BACK' } }]);
  expect(await client.access()).toMatchObject({ allowed: true, source: 'server' });
  expect(heard.map(({ event }) => event)).toContain('clock-suspect');
  cut();
  expect(await client.access({ force: true })).toMatchObject({ allowed: false });
});
