import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as products from '#licensing/catalog/products/index.ts';
import { endpointUrl } from '#licensing/purchases/integrations/integration.ts';
import * as configs from '#licensing/purchases/integrations/integrations.ts';
import * as live from '#licensing/purchases/integrations/live.ts';
import { touchLastEvent } from '#licensing/purchases/integrations/live.ts';
import { mapProduct } from '#licensing/purchases/integrations/mappings/mappings.ts';
import { integrationRows } from '#licensing/purchases/integrations/queries.ts';
import type {
  IntegrationCreateInput,
  IntegrationUpdateInput,
} from '#licensing/purchases/integrations/schemas.ts';
import { openTestContext, type TestContext } from '../support/context.ts';
import { twoWait } from '../support/lock-wait.ts';
import { codeOf, faultsOf, refusalOf } from '../support/refusal.ts';

const SECRET = 'whsec_0123456789abcdef';
const OTHER = 'whsec_fedcba9876543210';

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

describe('createIntegration', () => {
  it('stores what is given, seals the secret and tells the timeline nothing of it', async () => {
    const { config, secret } = await make({
      name: 'shop',
      processor: 'SQUARE',
      notificationUrl: 'https://shop.x.test/Hook?a=1',
      enabled: false,
    });
    expect(secret).toBeUndefined();
    expect(config).toEqual({
      id: expect.stringMatching(/^inb_[0-9A-Z]{26}$/),
      tenantId: t.ctx.tenantId,
      name: 'shop',
      processor: 'SQUARE',
      notificationUrl: 'https://shop.x.test/Hook?a=1',
      enabled: false,
      previousUntil: null,
      lastEventAt: null,
      createdAt: t.ctx.now(),
      updatedAt: t.ctx.now(),
    });
    expect(await configs.get(t.ctx, config.id)).toEqual(config);
    expect(await t.eventsOf(config.id)).toEqual([
      { type: 'INBOUND_CONFIG_CREATED', data: { name: 'shop', processor: 'SQUARE', enabled: false } },
    ]);
    const row = await t.database.db.knex('license_inbound_configs').where({ id: config.id }).first();
    expect(JSON.stringify(row)).not.toContain(SECRET);
    expect(endpointUrl('https://x.test', config.id)).toBe(
      `https://x.test/api/v1/webhooks/inbound/${config.id}`,
    );
  });

  it('makes a secret for a generic processor, and for others when it is asked to', async () => {
    for (const input of [
      { processor: 'GENERIC' },
      { processor: 'GENERIC', generateSecret: true },
      { processor: 'STRIPE', generateSecret: true },
    ] as const) {
      const { config, secret } = await configs.create(t.ctx, input);
      expect(secret).toMatch(/^ins_[A-Za-z0-9_-]{43}$/);
      expect((await live.load(t.ctx, config.id))?.secrets).toEqual([secret]);
    }
  });

  it.each(['STRIPE', 'SQUARE'] as const)('asks for the secret of %s', async (processor) => {
    const refusal = await refusalOf(configs.create(t.ctx, { processor }));
    expect([refusal.code, refusal.status]).toEqual(['VALIDATION_ERROR', 400]);
    expect(refusal.message).toContain('signingSecret is required');
  });

  it('A167: takes secrets of 16 to 255 printable characters and refuses empty and shorter ones', async () => {
    for (const signingSecret of ['x'.repeat(16), 'y'.repeat(255), 'in ner~space!####'])
      await make({ signingSecret });
    for (const signingSecret of [
      '',
      'x'.repeat(15),
      'x'.repeat(256),
      ` ${'x'.repeat(20)}`,
      `${'x'.repeat(20)}\n`,
      `${'x'.repeat(10)}\t${'x'.repeat(10)}`,
      `${'x'.repeat(20)}ä`,
      `${'x'.repeat(16)}\0`,
    ]) {
      const refusal = await refusalOf(make({ signingSecret }));
      expect([refusal.code, refusal.status]).toEqual(['VALIDATION_ERROR', 400]);
      if (signingSecret !== '')
        expect(JSON.stringify(refusal.details) + refusal.message).not.toContain(signingSecret);
    }
  });

  it.each(['WALLET', 'wallet', 'PayPal'])('A179: refuses the wallet processor as %s', async (processor) => {
    const refusal = await refusalOf(make({ processor: processor as 'GENERIC' }));
    expect([refusal.code, refusal.status]).toEqual(['VALIDATION_ERROR', 400]);
    expect(refusal.message).toContain('certificate-based signatures are not supported');
  });

  it.each([
    [{ name: '' }, 'name'],
    [{ name: '   ' }, 'name'],
    [{ name: 'n'.repeat(101) }, 'name'],
    [{ processor: 'stripe' }, 'processor'],
    [{ processor: null }, 'processor'],
    [{ processor: '__proto__' }, 'processor'],
    [{ enabled: 'yes' }, 'enabled'],
    [{ signingSecret: 1234567890123456 }, 'signingSecret'],
    [{ generateSecret: true }, 'signingSecret'],
    [{ notificationUrl: 'https://shop.x.test/hook' }, 'notificationUrl'],
    [{ colour: 'red' }, ''],
  ])('refuses %j', async (wrong, path) => {
    expect(await faultsOf(make(wrong as Partial<IntegrationCreateInput>))).toEqual([path]);
  });

  it.each([
    ['http', 'http://shop.x.test/hook'],
    ['no scheme', 'shop.x.test/hook'],
    ['no host', 'https://'],
    ['a user', 'https://ann:pw@shop.x.test/'],
    ['a leading space', ' https://shop.x.test/'],
    ['a space inside', 'https://shop.x.test/a b'],
    ['a line feed', 'https://shop.x.test/\n'],
    ['letters beyond ASCII', 'https://shöp.x.test/'],
    ['2049 characters', `https://shop.x.test/${'a'.repeat(2029)}`],
  ])('refuses a notification URL with %s', async (_fault, notificationUrl) => {
    expect(await faultsOf(make({ processor: 'SQUARE', notificationUrl }))).toEqual(['notificationUrl']);
  });

  it('stores a notification URL of 2048 characters as it was written', async () => {
    const notificationUrl = `https://SHOP.x.test:443/${'a'.repeat(2048 - 24)}`;
    expect(notificationUrl).toHaveLength(2048);
    const { config } = await make({ processor: 'SQUARE', notificationUrl });
    expect((await live.load(t.ctx, config.id))?.notificationUrl).toBe(notificationUrl);
  });

  it('names a configuration after its processor, and counts on', async () => {
    const ctx = await t.otherTenant();
    const names = [];
    for (let n = 0; n < 3; n++) names.push((await configs.create(ctx, { processor: 'GENERIC' })).config.name);
    expect(names).toEqual(['generic', 'generic-2', 'generic-3']);
    const many = await Promise.all(
      Array.from({ length: 4 }, () => configs.create(ctx, { processor: 'GENERIC' })),
    );
    expect(many.map(({ config }) => config.name).sort()).toEqual([
      'generic-4',
      'generic-5',
      'generic-6',
      'generic-7',
    ]);
  });

  it('takes names of 1 and 100 characters in any script, each once', async () => {
    await make({ name: '店' });
    await make({ name: '😀'.repeat(100) });
    const refusal = await refusalOf(make({ name: '店' }));
    expect([refusal.code, refusal.status, refusal.details.reason]).toEqual(['CONFLICT', 409, 'DUPLICATE']);
    const outcomes = await Promise.allSettled([make({ name: 'twice' }), make({ name: 'twice' })]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });
});

describe('another tenant', () => {
  it('sees no configuration of this one', async () => {
    const ctx = await t.otherTenant();
    const id = await makeId();
    expect((await integrationRows.page(ctx, { offset: 0, limit: 50 })).items).toEqual([]);
    for (const refused of [
      () => configs.get(ctx, id),
      () => configs.update(ctx, id, { enabled: false }),
      () => configs.update(ctx, id, { signingSecret: OTHER }),
      () => configs.remove(ctx, id),
    ])
      expect(await codeOf(refused())).toBe('NOT_FOUND');
    expect(await typesOf(id)).toEqual(['INBOUND_CONFIG_CREATED']);
  });
});

it('lists configurations by name, a page at a time', async () => {
  const ctx = await t.otherTenant();
  for (const name of ['b', 'c', 'a']) await configs.create(ctx, { processor: 'GENERIC', name });
  const page = await integrationRows.page(ctx, { offset: 0, limit: 2 });
  expect(page.items.map(({ name }) => name)).toEqual(['a', 'b']);
  expect(page.total).toBe(3);
  expect(JSON.stringify(page)).not.toMatch(/secret/i);
});

const DAY = 86_400;

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
