// The job that renews delegations where the server holds the root key, and warns where it does not (licensing 6.1, 4.5).

import { afterAll, beforeAll, expect, it } from 'vitest';
import { createContext } from '#kernel/bound-context.ts';
import { generateSeed, signingKeyOf } from '#kernel/ed25519.ts';
import { logTo } from '#kernel/log.ts';
import { keys as keysCapability } from '#licensing/catalog/keys/capability.ts';
import * as signingKeys from '#licensing/catalog/keys/index.ts';
import * as products from '#licensing/catalog/products/index.ts';
import { DEFAULT_TENANT_ID } from '#platform/tenants/index.ts';
import { openTestContext, type TestContext } from '../support/context.ts';
import { delegatedProduct } from '../support/online-key.ts';

const DAY = 86_400;
let test: TestContext;
const lines: string[] = [];
beforeAll(async () => {
  test = await openTestContext();
});
afterAll(() => test.close());

/** Runs the job as the server does, and gives what it counted and what it logged. */
async function runJob() {
  lines.length = 0;
  const log = logTo({ write: (line: string) => void lines.push(line) }, 'warn');
  const ctx = createContext({ ...test.runtime, log }, DEFAULT_TENANT_ID);
  const job = keysCapability.jobs?.find(({ name }) => name === 'delegation-renew');
  return { everySeconds: job?.everySeconds, counts: await job?.run(ctx), log: lines.join('') };
}

const keyOf = async (product: string, ctx = test.ctx) =>
  (await signingKeys.listOnline(ctx, { product, page: 1, limit: 1 })).items[0] as signingKeys.OnlineKey;

it('renews 30 days before the end, keeps what is allowed, and never before', async () => {
  const ctx = await test.otherTenant();
  const product = await products.create(ctx, { name: 'Held', slug: 'held' });
  const seed = generateSeed();
  const { publicKey } = signingKeyOf(seed);
  await signingKeys.register(ctx, product, { publicKey, seed, label: null });
  const first = await signingKeys.createOnline(ctx, 'held');
  expect(await runJob()).toEqual({ everySeconds: DAY, counts: { renewed: 0, warned: 0 }, log: '' });
  test.clock.advance(370 * DAY - 301);
  expect((await runJob()).counts).toEqual({ renewed: 0, warned: 0 });
  test.clock.advance(1);
  expect(await runJob()).toMatchObject({ counts: { renewed: 1, warned: 0 }, log: '' });
  const renewed = await keyOf('held', ctx);
  expect(renewed).toMatchObject({ keyId: first.keyId, status: 'ACTIVE' });
  expect(renewed.delegation?.use).toEqual(first.delegation?.use);
  expect(Date.parse(renewed.delegation?.expiresAt ?? '')).toBe(
    test.clock.epochMs() + (400 * DAY - 300) * 1000,
  );
  expect((await runJob()).counts).toEqual({ renewed: 0, warned: 0 });
});

it('warns every day where the root key is elsewhere, and says nothing of keys without a delegation', async () => {
  const product = await products.create(test.ctx, { name: 'Away', slug: 'away' });
  const { keyId } = await delegatedProduct(test.ctx, product, { days: 31, uses: ['license'] });
  await signingKeys.createOnline(test.ctx, 'away');
  expect((await runJob()).counts).toEqual({ renewed: 0, warned: 0 });
  test.clock.advance(DAY);
  for (let day = 0; day < 2; day += 1) {
    const { counts, log } = await runJob();
    expect(counts).toEqual({ renewed: 0, warned: 1 });
    expect(log).toContain(keyId);
    expect(log).toContain('away');
    expect(log).toContain('EXPIRES_SOON');
  }
  test.clock.advance(30 * DAY);
  expect((await runJob()).log).toContain('EXPIRED');
});

it('delegates anew when the root key was retired and the server holds the one in use', async () => {
  const product = await products.create(test.ctx, { name: 'Moved', slug: 'moved' });
  const { root, keyId } = await delegatedProduct(test.ctx, product, { uses: ['license', 'response'] });
  await test.database.transaction(async ({ knex }) => {
    await knex('license_signing_keys').where({ key_id: root.keyId }).update({ status: 'RETIRED' });
  });
  const seed = generateSeed();
  const next = signingKeyOf(seed);
  await signingKeys.register(test.ctx, product, { publicKey: next.publicKey, seed, label: null });
  expect((await runJob()).counts?.renewed).toBe(1);
  expect((await keyOf('moved')).delegation).toMatchObject({
    root: next.keyId,
    use: ['license', 'response'],
    valid: true,
  });
  expect(await signingKeys.signerFor(test.ctx, product.id, 'license')).toMatchObject({ keyId });
});

it('a root key that the master key does not open keeps no other from being renewed', async () => {
  const sealed = await test.database.db
    .knex('license_signing_keys')
    .where({ role: 'ROOT' })
    .whereNotNull('private_key');
  const [broken] = sealed as { id: string; product_id: string }[];
  await test.database.transaction(async ({ knex }) => {
    await knex('license_signing_keys').where({ id: broken?.id }).update({ private_key: 'v1.00000000.a.b.c' });
  });
  test.clock.advance(395 * DAY);
  const { counts, log } = await runJob();
  expect(counts).toEqual({ renewed: 1, warned: 2 });
  expect(log).toContain('could not be renewed');
});
