import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createContext } from '#kernel/bound-context.ts';
import { systemClock } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { keyringOf } from '#kernel/crypto.ts';
import { openDatabase } from '#kernel/db/connect.ts';
import type { Database } from '#kernel/db/database.ts';
import { createMigrator } from '#kernel/db/migrate.ts';
import { generateSeed, signingKeyOf } from '#kernel/ed25519.ts';
import { NO_HOOKS } from '#kernel/hooks/hooks.ts';
import { createLog } from '#kernel/log.ts';
import { ProcessMemory } from '#kernel/process-memory.ts';
import * as signingKeys from '#licensing/catalog/keys/index.ts';
import { auditor } from '#platform/audit/local.ts';
import { DEFAULT_TENANT_ID } from '#platform/tenants/index.ts';
import { migrations } from '../../src/app/migrations.ts';
import { localStorageIn } from '../support/context.ts';
import { type FreshDatabase, migratedDatabaseUrl } from '../support/database.ts';

let fresh: FreshDatabase;
let database: Database;
let ctx: Ctx;
let products = 0;
/** A clock that never shows one time twice, so that the order of creation is certain. */
let epochMs = Date.parse('2026-01-02T03:04:05.000Z');

beforeAll(async () => {
  fresh = await migratedDatabaseUrl();
  const settings = { poolSize: 4, busyTimeoutMs: 5000, create: true, onError: () => undefined };
  database = await openDatabase(fresh.url, settings);
  await createMigrator(database, migrations, systemClock).up();
  ctx = createContext(
    {
      database,
      clock: { ...systemClock, epochMs: () => (epochMs += 1000) },
      keyring: keyringOf(Buffer.alloc(32, 5)),
      settings: { get: (setting) => setting.default, version: 0 },
      log: createLog({ level: 'silent', destination: 2 }),
      outboxSources: [],
      subscriptions: new Map(),
      fillings: new Map(),
      auditor,
      hooks: NO_HOOKS,
      serviceName: 'appctl',
      baseUrl: 'https://licenses.x.test',
      dataDir: '/nonexistent',
      memory: new ProcessMemory(),
      storage: localStorageIn('/nonexistent'),
      uploadLimitBytes: 1_000_000,
      media: localStorageIn('/nonexistent'),
      imageLimitBytes: 1_000_000,
      mode: 'production',
      processorUrls: new Map(),
    },
    DEFAULT_TENANT_ID,
  );
});
afterAll(async () => {
  await database.close();
  await fresh.drop();
});

async function newProduct(): Promise<{ id: string; slug: string }> {
  products += 1;
  const product = { id: ctx.newId('prd'), slug: `editor-${products}` };
  await database.transaction(async ({ knex }) => {
    await knex('license_products').insert({
      ...product,
      tenant_id: DEFAULT_TENANT_ID,
      name: 'Editor',
      type: 'DESKTOP',
      status: 'ACTIVE',
      licensing_mode: 'STANDARD',
      default_license_type: 'PERPETUAL',
      default_max_activations: 1,
      metadata: '{}',
      created_at: ctx.now(),
      updated_at: ctx.now(),
    });
  });
  return product;
}

const newKey = (label: string | null = null) => {
  const seed = generateSeed();
  return { publicKey: signingKeyOf(seed).publicKey, seed: null, label };
};

describe('register', () => {
  test('the first key of a product is ACTIVE, every later one NEXT', async () => {
    const product = await newProduct();
    const keys = [newKey(), newKey(), newKey()];
    const statuses = [];
    for (const key of keys) statuses.push((await signingKeys.register(ctx, product, key)).status);
    expect(statuses).toEqual(['ACTIVE', 'NEXT', 'NEXT']);
  });

  test('the same key again changes nothing', async () => {
    const product = await newProduct();
    const key = newKey();
    const first = await signingKeys.register(ctx, product, key);
    expect(await signingKeys.register(ctx, product, key)).toEqual(first);
    expect(
      (await signingKeys.list(ctx, { product: product.slug, page: 1, limit: 20 })).pagination.total,
    ).toBe(1);
  });

  test('of many keys registered at once exactly one is ACTIVE', async () => {
    const product = await newProduct();
    const keys = await Promise.all(
      Array.from({ length: 8 }, () => signingKeys.register(ctx, product, newKey())),
    );
    expect(keys.filter(({ status }) => status === 'ACTIVE')).toHaveLength(1);
    expect(keys.filter(({ status }) => status === 'NEXT')).toHaveLength(7);
  });

  test('a point of small order and a label of 101 characters are refused', async () => {
    const product = await newProduct();
    const weak = { ...newKey(), publicKey: Buffer.alloc(32) };
    await expect(signingKeys.register(ctx, product, weak)).rejects.toThrow(/small order/);
    await expect(signingKeys.register(ctx, product, newKey('x'.repeat(101)))).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
    });
    expect((await signingKeys.list(ctx, { product: product.slug, page: 1, limit: 20 })).items).toEqual([]);
  });
});

describe('reading', () => {
  test('list shows a page of one product or of all, newest first', async () => {
    const product = await newProduct();
    for (let i = 0; i < 3; i++) await signingKeys.register(ctx, product, newKey());
    const page = await signingKeys.list(ctx, { product: product.slug, page: 2, limit: 2 });
    expect(page.pagination).toEqual({ page: 2, limit: 2, total: 3, totalPages: 2 });
    expect(page.items.map(({ status }) => status)).toEqual(['ACTIVE']);
    const all = await signingKeys.list(ctx, { product: null, page: 1, limit: 1 });
    expect(all.pagination.total).toBeGreaterThan(3);
    expect((await signingKeys.list(ctx, { product: 'unknown', page: 1, limit: 20 })).items).toEqual([]);
  });

  test('get knows the key id; another tenant does not see it', async () => {
    const product = await newProduct();
    const key = await signingKeys.register(ctx, product, newKey());
    expect(await signingKeys.get(ctx, key.keyId)).toEqual(key);
    const elsewhere = ctx.with({ tenantId: 'ten_00000000000000000000000002' });
    await expect(signingKeys.get(elsewhere, key.keyId)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('the ACTIVE key comes first among those that verify', async () => {
    const product = await newProduct();
    const keys = [newKey(), newKey()];
    for (const key of keys) await signingKeys.register(ctx, product, key);
    expect(await signingKeys.publicKeysOf(ctx, product)).toEqual(keys.map(({ publicKey }) => publicKey));
  });
});

describe('server-held keys', () => {
  test('are stored sealed and opened only with the master key of this installation', async () => {
    const product = await newProduct();
    const seed = generateSeed();
    const { publicKey, keyId } = signingKeyOf(seed);
    const key = await signingKeys.register(ctx, product, { publicKey, seed, label: null });
    expect(key).toMatchObject({ serverHeld: true, encrypted: true });
    expect(await signingKeys.openServerHeld(ctx, keyId)).toEqual({ seed, minisignId: null });
    const row = await database.db.knex('license_signing_keys').where({ key_id: keyId }).first();
    expect(row.private_key).toMatch(/^v1\./);
    expect(row.private_key).not.toContain(seed.toString('base64url'));
  });

  test('a key whose private part is elsewhere cannot be opened', async () => {
    const key = await signingKeys.register(ctx, await newProduct(), newKey());
    await expect(signingKeys.openServerHeld(ctx, key.keyId)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(signingKeys.openServerHeld(ctx, '0'.repeat(16))).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });
});
