import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as products from '#licensing/catalog/products/index.ts';
import * as configs from '#licensing/purchases/integrations/integrations.ts';
import * as live from '#licensing/purchases/integrations/live.ts';
import { touchLastEvent } from '#licensing/purchases/integrations/live.ts';
import { mapProduct } from '#licensing/purchases/integrations/mappings/mappings.ts';
import type {
  IntegrationCreateInput,
  IntegrationUpdateInput,
} from '#licensing/purchases/integrations/schemas.ts';
import { openTestContext, type TestContext } from '../support/context.ts';
import { twoWait } from '../support/lock-wait.ts';
import { codeOf, faultsOf } from '../support/refusal.ts';

const SECRET = 'whsec_0123456789abcdef';
const OTHER = 'whsec_fedcba9876543210';
const DAY = 86_400;

let t: TestContext;
beforeAll(async () => {
  t = await openTestContext();
});
afterAll(() => t.close());

const make = async (more: Partial<IntegrationCreateInput> = {}) => {
  t.clock.advance(1);
  return configs.create(t.ctx, { processor: 'GENERIC', signingSecret: SECRET, ...more });
};
const makeId = async (more: Partial<IntegrationCreateInput> = {}) => (await make(more)).config.id;
const typesOf = async (id: string) => (await t.eventsOf(id)).map(({ type }) => type);

describe('updateIntegration', () => {
  it('changes what is sent and tells what changed', async () => {
    const id = await makeId({ name: 'before', processor: 'SQUARE' });
    t.clock.advance(5);
    const { config } = await configs.update(t.ctx, id, {
      name: 'after',
      enabled: false,
      notificationUrl: 'https://a.x.test/',
    });
    expect(config).toMatchObject({ name: 'after', enabled: false, notificationUrl: 'https://a.x.test/' });
    expect(config.updatedAt).toBe(t.ctx.now());
    const cleared = await configs.update(t.ctx, id, { notificationUrl: null });
    expect(cleared.config.notificationUrl).toBeNull();
    expect(await typesOf(id)).toEqual([
      'INBOUND_CONFIG_CREATED',
      'INBOUND_CONFIG_UPDATED',
      'INBOUND_CONFIG_UPDATED',
    ]);
  });

  it('writes nothing when nothing differs, the secret with it', async () => {
    const id = await makeId({ name: 'same' });
    await configs.update(t.ctx, id, { name: 'same', enabled: true, signingSecret: SECRET });
    expect(await typesOf(id)).toEqual(['INBOUND_CONFIG_CREATED']);
    expect((await configs.get(t.ctx, id)).previousUntil).toBeNull();
  });

  it('accepts a replaced secret for 24 hours and not a millisecond longer', async () => {
    const id = await makeId();
    const { config, secret } = await configs.update(t.ctx, id, { signingSecret: OTHER });
    expect(secret).toBeUndefined();
    const until = new Date(Date.parse(t.ctx.now()) + DAY * 1000).toISOString();
    expect(config.previousUntil).toBe(until);
    const secretsNow = async () => (await live.load(t.ctx, id))?.secrets;
    expect(await secretsNow()).toEqual([OTHER, SECRET]);
    expect(await t.eventsOf(id)).toMatchObject([
      { type: 'INBOUND_CONFIG_CREATED' },
      { type: 'INBOUND_CONFIG_UPDATED', data: { secretReplaced: true, previousUntil: until } },
    ]);
    expect(JSON.stringify(await t.eventsOf(id))).not.toMatch(/whsec_|v1\./);
    t.clock.advance(DAY - 0.001);
    expect(await secretsNow()).toEqual([OTHER, SECRET]);
    expect(live.cached(t.ctx, id)?.secrets).toEqual([OTHER, SECRET]);
    t.clock.advance(0.001);
    // What is remembered ends as well.
    expect(live.cached(t.ctx, id)?.secrets).toEqual([OTHER]);
    expect(await secretsNow()).toEqual([OTHER]);
    expect((await configs.get(t.ctx, id)).previousUntil).toBeNull();
  });

  it('makes a new secret when it is asked to', async () => {
    const { config, secret } = await make({ signingSecret: undefined });
    const again = await configs.update(t.ctx, config.id, { generateSecret: true });
    expect(again.secret).toMatch(/^ins_[A-Za-z0-9_-]{43}$/);
    expect((await live.load(t.ctx, config.id))?.secrets).toEqual([again.secret, secret]);
  });

  it('refuses one of two that replace the secret at once: neither cuts off what the processor signs with', async () => {
    const id = await makeId();
    const asked = ['first-secret-0123456789', 'second-secret-0123456789'];
    const replace = (signingSecret: string) => configs.update(t.ctx, id, { signingSecret });
    let both: Promise<PromiseSettledResult<unknown>[]> = Promise.resolve([]);
    // Both have read the old secret before one of them may write.
    await t.ctx.tx(async ({ db }) => {
      await db.knex('license_inbound_configs').where({ id }).forUpdate().select('id');
      both = Promise.allSettled(asked.map(replace));
      await twoWait(t.database);
    });
    const outcomes = await both;
    const lost = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
    expect(lost).toHaveLength(1);
    expect(lost[0]).toMatchObject({ code: 'CONFLICT', status: 409, details: { reason: 'STALE_VERSION' } });
    const found = await live.load(t.ctx, id);
    expect(found?.secrets).toHaveLength(2);
    expect(found?.secrets[1]).toBe(SECRET);
    expect(asked).toContain(found?.secrets[0]);
  });

  it.each([
    [{ signingSecret: 'x'.repeat(15) }, 'signingSecret'],
    [{ signingSecret: OTHER, generateSecret: true }, 'signingSecret'],
    [{ name: '' }, 'name'],
    [{ enabled: null }, 'enabled'],
    [{ processor: 'STRIPE' }, ''],
    [{ notificationUrl: 'https://a.x.test/' }, 'notificationUrl'],
  ])('refuses %j', async (wrong, path) => {
    const id = await makeId();
    expect(await faultsOf(configs.update(t.ctx, id, wrong as IntegrationUpdateInput))).toEqual([path]);
    expect(await typesOf(id)).toEqual(['INBOUND_CONFIG_CREATED']);
  });

  it('does not take a name that another one has', async () => {
    const id = await makeId({ name: 'one' });
    await make({ name: 'two' });
    expect(await codeOf(configs.update(t.ctx, id, { name: 'two' }))).toBe('CONFLICT');
  });
});

describe('removeIntegration', () => {
  it('makes the configuration unknown at once, frees its name and its products, and keeps its row', async () => {
    const id = await makeId({ name: 'gone' });
    const product = await products.create(t.ctx, { name: 'Sold', slug: 'sold' });
    await mapProduct(t.ctx, id, { externalProductId: 'x', productId: 'sold' });
    await live.load(t.ctx, id);
    await configs.remove(t.ctx, id);
    expect(await live.load(t.ctx, id)).toBeNull();
    expect(live.cached(t.ctx, id)).toBeNull();
    expect(await codeOf(configs.get(t.ctx, id))).toBe('NOT_FOUND');
    expect(await codeOf(configs.update(t.ctx, id, { signingSecret: OTHER }))).toBe('NOT_FOUND');
    expect(await codeOf(configs.remove(t.ctx, id))).toBe('NOT_FOUND');
    await make({ name: 'gone' });
    await products.remove(t.ctx, product.id);
    expect((await typesOf(id)).sort()).toEqual([
      'INBOUND_CONFIG_CREATED',
      'INBOUND_CONFIG_DELETED',
      'PRODUCT_MAPPED',
    ]);
    const kept = await t.database.db.knex('license_inbound_configs').where({ id }).first();
    expect(kept).toMatchObject({ id, name: 'gone', deleted_at: expect.stringMatching(/^2026-/) });
  });
});

describe('live.load', () => {
  it('finds a configuration of any tenant with its mappings, and says when it is disabled', async () => {
    const ctx = await t.otherTenant();
    await products.create(ctx, { name: 'Editor', slug: 'editor' });
    const { config } = await configs.create(ctx, { processor: 'GENERIC', signingSecret: SECRET });
    const mapping = await mapProduct(ctx, config.id, { externalProductId: 'p1', productId: 'editor' });
    expect(await live.load(t.ctx, config.id)).toEqual({
      id: config.id,
      tenantId: ctx.tenantId,
      name: 'generic',
      processor: 'GENERIC',
      enabled: true,
      secrets: [SECRET],
      notificationUrl: null,
      mappings: [mapping],
    });
    await configs.update(ctx, config.id, { enabled: false });
    expect((await live.load(t.ctx, config.id))?.enabled).toBe(false);
    expect(live.cached(t.ctx, config.id)?.enabled).toBe(false);
  });

  it.each([
    '',
    'inb_',
    '__proto__',
    'inb_00000000000000000000000000',
    'key_01J9ZK3T5W8Y2QF4M6N7P0R1SV',
    'x'.repeat(5000),
  ])('knows no %j', async (id) => {
    expect(await live.load(t.ctx, id)).toBeNull();
    expect(live.cached(t.ctx, id)).toBeNull();
  });

  it('does not open a secret that was moved to another row', async () => {
    const [from, to] = [await makeId(), await makeId()];
    await t.database.transaction(async ({ knex }) => {
      const { secret_enc } = await knex('license_inbound_configs').where({ id: from }).first();
      await knex('license_inbound_configs').where({ id: to }).update({ secret_enc });
    });
    await expect(live.load(t.ctx, to)).rejects.toThrow('belongs to another row');
  });

  it('loads a stored wallet configuration, so that its events can be answered (D114)', async () => {
    const id = await makeId();
    await t.database.transaction(async ({ knex }) => {
      await knex('license_inbound_configs').where({ id }).update({ processor: 'WALLET' });
    });
    expect((await live.load(t.ctx, id))?.processor).toBe('WALLET');
  });
});

describe('touchLastEvent', () => {
  it('notes the time of an event at most once a minute', async () => {
    const id = await makeId();
    const last = async () => (await configs.get(t.ctx, id)).lastEventAt;
    await touchLastEvent(t.ctx, id);
    const first = t.ctx.now();
    expect(await last()).toBe(first);
    t.clock.advance(60);
    await live.load(t.ctx, id);
    await touchLastEvent(t.ctx, id);
    expect(await last()).toBe(first);
    t.clock.advance(0.001);
    await touchLastEvent(t.ctx, id);
    expect(await last()).toBe(t.ctx.now());
  });
});
