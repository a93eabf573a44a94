// The real application on a database of its own: what a test of an HTTP API works with.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '#kernel/clock.ts';
import { loadConfig } from '#kernel/config/load.ts';
import type { Ctx, OutboxSource, StoredEvent } from '#kernel/context.ts';
import { type Log, logTo } from '#kernel/log.ts';
import * as policies from '#licensing/catalog/policies/index.ts';
import * as products from '#licensing/catalog/products/index.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import * as adminTokens from '#platform/admin-tokens/index.ts';
import * as apiKeys from '#platform/api-keys/index.ts';
import { pinName } from '#platform/settings/index.ts';
import { servedCapabilities } from '../../src/app/capabilities.ts';
import { type Instance, openInstance } from '../../src/app/instance.ts';
import { serve } from '../../src/app/serve.ts';
import { insertTenant, readEvents, type TestClock, testClock } from './context.ts';
import { migratedDatabaseUrl } from './database.ts';
import { type Changes, changesBy } from './database-changes.ts';
import { type HttpReply, openHttpClient, type RawReply, type Sent } from './http-client.ts';
import { scratchFolder } from './scratch-folder.ts';

export type AppOptions = {
  /** Where it logs; nowhere when absent. */
  log?: Log;
  /** Documented rate limits; off unless the file is about them. */
  limits?: 'on' | 'off';
  /** Runtime settings that the environment fixes, by key. */
  pins?: Record<string, string>;
  /** Further variables of the configuration. */
  env?: Record<string, string>;
  /** As APPCTL_TRUST_PROXY: a hop count or address ranges. */
  proxyTrust?: string;
  /** Public address; that of the server when absent. */
  baseUrl?: string;
  /** True (default) as an installation in service, false for --dev. */
  productionMode?: boolean;
  /** `off` as --no-license. */
  licensing?: 'on' | 'off';
  /** `off` as --no-store. */
  store?: 'on' | 'off';
  /** True with Prometheus figures at /metrics, for this machine. */
  metrics?: boolean;
  /** The machine's own in place of one that stands still: `app.clock` moves nothing then. */
  clock?: Clock;
  /** The bearer token that they ask for. */
  metricsToken?: string;
  /** True when somebody is told of every event, as a webhook would be: `heard` collects what it gets. */
  listener?: boolean;
};

/** A license with its whole key. */
export type MadeLicense = { id: string; key: string };

export type TestApp = {
  url: string;
  instance: Instance;
  /** Of the default tenant, as the system. */
  ctx: Ctx;
  /** Stands still until it is told to go on; rate limit windows run on the machine's own clock. */
  clock: TestClock;
  send(path: string, sent?: Sent): Promise<HttpReply>;
  post(path: string, body: unknown, key?: string, headers?: Record<string, string>): Promise<HttpReply>;
  get(path: string, key?: string, headers?: Record<string, string>): Promise<HttpReply>;
  raw(bytes: string | Uint8Array): Promise<RawReply>;
  /** Makes an API key; `ctx` names another tenant. */
  apiKey(scope: string, extra?: Partial<apiKeys.ApiKeyInput>, ctx?: Ctx): Promise<MadeKey>;
  /** Makes a token of the admin API; `ctx` names another tenant. */
  adminToken(role: string, extra?: Partial<adminTokens.AdminTokenInput>, ctx?: Ctx): Promise<MadeKey>;
  /** Sends a request to the admin API: `/webhooks` is `/api/v1/admin/webhooks`; a body makes it a POST. */
  admin(path: string, token: MadeKey | null, sent?: Sent): Promise<HttpReply>;
  product(extra?: Partial<products.ProductCreateInput>, ctx?: Ctx): Promise<products.Product>;
  policy(extra?: Partial<policies.PolicyCreateInput>): Promise<policies.Policy>;
  /** Makes a license without HTTP; of a new product when none is named. */
  license(extra?: Partial<licenses.AdminCreateInput>, ctx?: Ctx): Promise<MadeLicense>;
  /** A ctx of another tenant. */
  otherTenant(): Promise<Ctx>;
  eventsOf(subject: string): Promise<{ type: string; data: Record<string, unknown> }[]>;
  /** What the listener was told, oldest first. */
  heard: StoredEvent[];
  /** What a piece of work wrote: its events and its rows. */
  changesBy<T>(work: () => Promise<T>): Promise<{ result: T; changes: Changes }>;
  close(): Promise<void>;
};

export type MadeKey = { id: string; secret: string };

/**
 * Starts the application in this process on a free port, with jobs off; on both databases for files named
 * `*.db.test.ts`, on SQLite for others.
 * @returns what its tests need; close it in `afterAll`
 */
export async function startApp(options: AppOptions = {}): Promise<TestApp> {
  const folder = scratchFolder('appctl-app-');
  const { url: databaseUrl, drop } = await migratedDatabaseUrl();
  const loaded = await loadConfig({ cwd: folder, env: environment(folder, databaseUrl, options) });
  const { config } = loaded;
  const clock = testClock();
  const log = options.log ?? logTo({ write: () => undefined }, 'silent');
  const heard: StoredEvent[] = [];
  const listen: OutboxSource = {
    hasListeners: () => true,
    receiversOf: async () => async (_ctx, event) => {
      heard.push(event);
      return [];
    },
  };
  const outboxSources = options.listener ? [listen] : [];
  const instance = await openInstance({
    config,
    log,
    clock: options.clock ?? clock,
    mode: 'prepare',
    outboxSources,
  });
  const running = await serve(instance, loaded);
  await restProcessJobs(instance);
  const client = openHttpClient(running.localUrl);
  const { ctx, database } = instance;
  return {
    url: running.localUrl,
    instance,
    ctx,
    clock,
    send: client.send,
    raw: client.raw,
    post: (path, body, key, headers = {}) => client.send(path, { body, key, headers }),
    get: (path, key, headers = {}) => client.send(path, { key, headers }),
    admin: (path, token, sent = {}) => {
      const authorization = token && { Authorization: `Bearer ${token.secret}` };
      return client.send(`/api/v1/admin${path}`, { ...sent, headers: { ...authorization, ...sent.headers } });
    },
    ...makers(ctx),
    otherTenant: async () => ctx.with({ tenantId: await insertTenant(database, clock) }),
    eventsOf: (subject) => readEvents(database, subject),
    heard,
    changesBy: (work) => changesBy(database, work),
    close: async () => {
      client.close();
      try {
        await running.stop();
      } finally {
        await drop();
        rmSync(folder, { recursive: true, force: true });
      }
    },
  };
}

function environment(folder: string, databaseUrl: string, options: AppOptions): Record<string, string> {
  const { limits = 'off', pins = {}, proxyTrust, productionMode = true } = options;
  const { licensing = 'on', store = 'on' } = options;
  return {
    HOME: folder,
    APPCTL_DATA_DIR: join(folder, 'data'),
    APPCTL_DATABASE_URL: databaseUrl,
    APPCTL_LISTEN: '127.0.0.1:0',
    APPCTL_JOBS: 'off',
    APPCTL_RATE_LIMIT: limits,
    APPCTL_FEATURE_LICENSE: licensing,
    APPCTL_FEATURE_STORE: store,
    APPCTL_MODE: productionMode ? 'production' : 'development',
    ...(options.baseUrl !== undefined && { APPCTL_BASE_URL: options.baseUrl }),
    ...(options.metrics && { APPCTL_METRICS: 'on' }),
    ...(options.metricsToken && { APPCTL_METRICS_TOKEN: options.metricsToken }),
    ...(proxyTrust !== undefined && { APPCTL_TRUST_PROXY: proxyTrust }),
    ...Object.fromEntries(Object.entries(pins).map(([key, text]) => [pinName(key), text])),
    ...options.env,
  };
}

/**
 * `APPCTL_JOBS=off` leaves each process its own jobs, on a timer of real seconds: they would do what a test is about to
 * do itself, whenever it moves the clock.
 */
async function restProcessJobs({ config, ctx, database }: Instance): Promise<void> {
  const jobs = servedCapabilities(config)
    .flatMap(({ jobs = [] }) => jobs)
    .filter(({ everyProcess }) => everyProcess);
  const now = ctx.now();
  const rows = jobs.map(({ name }) => ({ name, next_due: now, created_at: now, fence: 0, enabled: false }));
  await database.transaction(async ({ knex }) => {
    await knex('scheduled_jobs').insert(rows).onConflict('name').merge({ enabled: false });
  });
}

type Makers = Pick<TestApp, 'apiKey' | 'adminToken' | 'product' | 'policy' | 'license'>;

function makers(own: Ctx): Makers {
  let made = 0;
  const product: Makers['product'] = (extra = {}, ctx = own) => {
    made += 1;
    return products.create(ctx, { name: `Editor ${made}`, slug: `editor-${made}`, ...extra });
  };
  return {
    product,
    policy: (extra = {}) => {
      made += 1;
      return policies.create(own, { name: `Policy ${made}`, ...extra });
    },
    async apiKey(scope, extra = {}, ctx = own) {
      const input: apiKeys.ApiKeyInput = {
        service: 'license',
        name: scope,
        scope,
        scopes: [scope],
        ...extra,
      };
      const { apiKey, secret } = await apiKeys.create(ctx, input);
      return { id: apiKey.id, secret };
    },
    async adminToken(role, extra = {}, ctx = own) {
      const { adminToken, secret } = await adminTokens.create(ctx, { name: role, role, ...extra });
      return { id: adminToken.id, secret };
    },
    async license(extra = {}, ctx = own) {
      const productId = extra.productId ?? (await product({}, ctx)).id;
      const input = { customerEmail: 'ann@x.test', ...extra, productId } as licenses.AdminCreateInput;
      const { license } = await licenses.create(ctx, input, { source: 'CLI', idempotency: null });
      return { id: license.id, key: String(licenses.licenseView(ctx, license, { reveal: true }).key) };
    },
  };
}
