import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endpointUrl } from '#licensing/purchases/integrations/integration.ts';
import * as configs from '#licensing/purchases/integrations/integrations.ts';
import * as live from '#licensing/purchases/integrations/live.ts';
import type { IntegrationCreateInput } from '#licensing/purchases/integrations/schemas.ts';
import { openTestContext, type TestContext } from '../support/context.ts';
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
    expect((await configs.list(ctx, { page: 1, limit: 50 })).items).toEqual([]);
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
  const page = await configs.list(ctx, { page: 1, limit: 2 });
  expect(page.items.map(({ name }) => name)).toEqual(['a', 'b']);
  expect(page.pagination).toEqual({ page: 1, limit: 2, total: 3, totalPages: 2 });
  expect(JSON.stringify(page)).not.toMatch(/secret/i);
  expect(await codeOf(configs.list(ctx, { page: 0, limit: 2 }))).toBe('VALIDATION_ERROR');
});
