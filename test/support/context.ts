// A migrated database with a ctx on it: what a use case needs, without a server or a command around it.
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createContext } from '#kernel/bound-context.ts';
import type { Capability } from '#kernel/capability.ts';
import type { Clock } from '#kernel/clock.ts';
import type { Ctx, Runtime } from '#kernel/context.ts';
import { keyringOf } from '#kernel/crypto.ts';
import { openDatabase } from '#kernel/db/connect.ts';
import type { Database } from '#kernel/db/database.ts';
import { createMigrator } from '#kernel/db/migrate.ts';
import { fillingsIn, subscriptionsOf } from '#kernel/gather.ts';
import { createHooks } from '#kernel/hooks/hooks.ts';
import { newId } from '#kernel/ids.ts';
import { logTo } from '#kernel/log.ts';
import { ProcessMemory } from '#kernel/process-memory.ts';
import { licensingSettings } from '#licensing/contract/settings.ts';
import { auditor } from '#platform/audit/local.ts';
import { createSettingsStore, type SettingsStore } from '#platform/settings/index.ts';
import { createStorage } from '#platform/storage/index.ts';
import { DEFAULT_TENANT_ID } from '#platform/tenants/index.ts';
import { migrations } from '../../src/app/migrations.ts';
import { migratedDatabaseUrl } from './database.ts';
import { scratchFolder } from './scratch-folder.ts';

/** Stands still until it is told to go on. */
export type TestClock = Clock & { advance(seconds: number): void };

/** What a test file opens once and closes in `afterAll`. */
export type TestContext = {
  /** Of the default tenant, as the system. */
  ctx: Ctx;
  clock: TestClock;
  database: Database;
  settings: SettingsStore;
  runtime: Runtime;
  url: string;
  /** A ctx as an API key has it: confined to products when ids are given. */
  asApiKey(productIds?: readonly string[] | null): Ctx;
  /** Makes another tenant, active, and gives a ctx of it. */
  otherTenant(): Promise<Ctx>;
  /** Types and data of the events of a subject, oldest first. */
  eventsOf(subject: string): Promise<{ type: string; data: Record<string, unknown> }[]>;
  close(): Promise<void>;
};

const start = Date.parse('2026-03-01T12:00:00.000Z');

/** @returns a clock that shows 2026-03-01T12:00:00.000Z and moves by `advance` only */
export function testClock(): TestClock {
  let passedMs = 0;
  return {
    epochMs: () => start + passedMs,
    monotonicMs: () => passedMs,
    advance: (seconds) => {
      passedMs += seconds * 1000;
    },
  };
}

/**
 * Opens a database of its own, migrated: of each kind for files named `*.db.test.ts`, of SQLite for others.
 * @param capabilities whose subscribers hear of events
 * @returns a ctx with a random master key, licensing settings at their defaults and a log that nobody reads
 */
export async function openTestContext(capabilities: readonly Capability[] = []): Promise<TestContext> {
  const { url, drop } = await migratedDatabaseUrl();
  const folder = scratchFolder('appctl-context-');
  const clock = testClock();
  const database = await openDatabase(url, {
    poolSize: 10,
    busyTimeoutMs: 5000,
    create: true,
    onError: () => undefined,
  });
  await createMigrator(database, migrations, clock).up();
  const keyring = keyringOf(randomBytes(32));
  const settings = createSettingsStore(licensingSettings, new Map(), keyring);
  const log = logTo({ write: () => undefined }, 'silent');
  const runtime: Runtime = {
    serviceName: 'appctl',
    baseUrl: 'https://licenses.x.test',
    dataDir: folder,
    database,
    clock,
    keyring,
    settings,
    log,
    outboxSources: [],
    subscriptions: subscriptionsOf(capabilities),
    fillings: fillingsIn(capabilities),
    auditor,
    hooks: createHooks({ dir: join(folder, 'hooks'), points: [], log }),
    memory: new ProcessMemory(),
    storage: localStorageIn(folder),
    media: localStorageIn(folder, 'media'),
    uploadLimitBytes: 1_000_000,
    imageLimitBytes: 25_000_000,
    mode: 'development',
    processorUrls: new Map(),
  };
  const ctx = createContext(runtime, DEFAULT_TENANT_ID);
  await settings.refresh(ctx);
  return {
    ctx,
    clock,
    database,
    settings,
    runtime,
    url,
    asApiKey: (productIds = null) =>
      ctx.with({
        actor: {
          kind: 'api_key',
          id: 'key_test',
          label: 'test',
          ...(productIds && { scopes: { license_product: productIds } }),
        },
      }),
    otherTenant: async () => ctx.with({ tenantId: await insertTenant(database, clock) }),
    eventsOf: (subject) => readEvents(database, subject),
    close: async () => {
      await database.close();
      await drop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Bundles in a folder of their own below `folder`. */
export const localStorageIn = (folder: string, kept: 'bundles' | 'media' = 'bundles'): Runtime['storage'] =>
  createStorage(
    {
      dataDir: folder,
      storage: {
        url: `file:${folder}`,
        s3AccessKeyId: undefined,
        s3SecretAccessKey: undefined,
        bundlesDir: join(folder, 'bundles'),
        mediaDir: join(folder, 'media'),
      },
    },
    kept,
  );

/** As `readEvents`, of the signing keys of a product. */
export async function readKeyEvents(database: Database, productId: string) {
  const keys: { id: string }[] = await database.db
    .knex('license_signing_keys')
    .where({ product_id: productId })
    .select('id');
  return readEvents(database, ...keys.map(({ id }) => id));
}

/** Writes another tenant, active, and returns its id. */
export async function insertTenant(database: Database, clock: Clock): Promise<string> {
  const id = newId('ten', clock.epochMs());
  const at = new Date(clock.epochMs()).toISOString();
  await database.transaction(async ({ knex }) => {
    await knex('license_tenants').insert({
      id,
      slug: id.slice(-12).toLowerCase(),
      name: 'Other',
      hostnames: '[]',
      status: 'ACTIVE',
      created_at: at,
      updated_at: at,
    });
  });
  return id;
}

/**
 * Types and data of the events of a subject and of the changes that only the audit log has, oldest first. Ids of one
 * millisecond are in no order, so events of one use case are told apart by their type.
 */
export async function readEvents({ db }: Database, ...subjects: string[]) {
  const events: { at: string; type: string; data: string }[] = await db
    .knex('events')
    .whereIn('subject', subjects)
    .select('at', 'type', 'data');
  const told = db.knex('events').whereNotNull('audit_id').select('audit_id');
  const changes: typeof events = await db
    .knex('audit_log')
    .whereIn('target_id', subjects)
    .whereNotIn('id', told)
    .select('at', { type: 'action', data: 'details' });
  return [...events, ...changes]
    .map((row) => ({ ...row, order: `${row.at} ${row.type}` }))
    .toSorted((a, b) => (a.order < b.order ? -1 : 1))
    .map((row) => ({ type: row.type, data: JSON.parse(row.data) as Record<string, unknown> }));
}
