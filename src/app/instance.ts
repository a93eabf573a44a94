import { type Actor, SYSTEM } from '#kernel/actor.ts';
import { createContext } from '#kernel/bound-context.ts';
import { type Clock, isBeforeEpoch, systemClock } from '#kernel/clock.ts';
import type { Config } from '#kernel/config/config.ts';
import { maskUrlPassword } from '#kernel/config/mask.ts';
import type { Ctx, OutboxSource } from '#kernel/context.ts';
import { isMissingDatabase, openDatabase } from '#kernel/db/connect.ts';
import { type Database, DatabaseUnavailable } from '#kernel/db/database.ts';
import { createMigrator, type Migrator } from '#kernel/db/migrate.ts';
import { describeTables } from '#kernel/db/record.ts';
import type { ServerLock } from '#kernel/db/server-lock.ts';
import { AppError } from '#kernel/errors.ts';
import { fillingsIn, subscriptionsOf } from '#kernel/gather.ts';
import { createHooks } from '#kernel/hooks/hooks.ts';
import type { Log } from '#kernel/log.ts';
import { loadMasterKey, type MasterKey, wrongMasterKey } from '#kernel/master-key.ts';
import { ProcessMemory } from '#kernel/process-memory.ts';
import { licenseSending } from '#licensing/insight/webhooks/local.ts';
import { auditor } from '#platform/audit/local.ts';
import {
  claimInstallationId,
  claimMasterKeyId,
  foreignDatabase,
  keepInstallationFile,
  LOST_HINT,
  lostDatabase,
  lostMessage,
  noteServing,
  readInstallationFile,
  readInstallationId,
  readMasterKeyId,
  readServedAt,
  refuseHalfRestored,
  refuseLeftBehind,
  traceOfInstallation,
} from '#platform/installation/index.ts';
import { openPostOffice } from '#platform/mail/local.ts';
import { createSettingsStore, type SettingsStore } from '#platform/settings/index.ts';
import { createStorage } from '#platform/storage/index.ts';
import { DEFAULT_TENANT_ID, idOfSlug } from '#platform/tenants/index.ts';
import type { SendingService } from '#platform/webhooks/index.ts';
import { webhookSource } from '#platform/webhooks/local.ts';
import { storeHookPoints } from '#storefront/local.ts';
import { storeSending } from '#storefront/tools/webhooks/local.ts';
import { becomeDataOwner, makeDataDirectory, requireWritableDirectory } from './data-directory.ts';
import { hookSource, localParts } from './local.ts';
import { migrateFor } from './migrate-for.ts';
import { migrations } from './migrations.ts';

/** One opened installation: what a command or a server works on. */
export interface Instance {
  readonly config: Config;
  readonly database: Database;
  readonly migrator: Migrator;
  readonly settings: SettingsStore;
  /** Acts for the tenant that the configuration names. */
  readonly ctx: Ctx;
  readonly clock: Clock;
  /** What the ticker goes by: the same clock, without what a test clock adds to it. */
  readonly machineClock: Clock;
  /** Migrations that were applied while opening. */
  readonly applied: readonly string[];
  /** Says under which address the world reaches a server that has no base_url: the system may have chosen its port. */
  isReachedAt(baseUrl: string): void;
  close(): Promise<void>;
}

export interface OpenOptions {
  config: Config;
  log: Log;
  actor?: Actor;
  clock?: Clock;
  /**
   * `prepare` makes what is missing (data directory, key, database, schema); `use` demands that it is there and
   * current; `inspect` takes any schema, for `migrate`.
   */
  mode: 'prepare' | 'use' | 'inspect';
  /** Told of events beside the webhooks. */
  outboxSources?: readonly OutboxSource[];
  /** Refuses a SQLite file of another server, or a target of a copy; keeps both away until the instance is closed. */
  serves?: boolean;
  /** Another server of this data directory ends when this one serves: asked when the database is opened. */
  succeeds?(): boolean;
  /** Loads the operator's own languages also where nothing is prepared. */
  speaks?: boolean;
  /** Begins a new installation where the data directory belongs to one whose database is missing or empty. */
  fresh?: boolean;
  /** Runs when data directory and key are there and the process has its user, before the database is opened. */
  beforeDatabase?(): Promise<void>;
}

/** The services whose events are sent to webhooks. */
export const webhookServices: readonly SendingService[] = [licenseSending, storeSending];

/**
 * Opens the installation of a configuration: data directory, master key, database, migrations, settings, tenant.
 * A process of root becomes the data directory's owner before it opens the database (cli.md section 1.7).
 *
 * @throws ConfigError (78) for a wrong master key, a database of this data directory that is missing, empty or was left for another one, or a data directory that cannot be used; DatabaseUnavailable (9); AppError CONFLICT (5) for a newer schema or a file that another server holds,
 *   PENDING_MIGRATIONS (8) when migrations wait and may not run, NOT_FOUND for an unknown tenant
 */
export async function openInstance(options: OpenOptions): Promise<Instance> {
  const { config, log, mode, clock: machineClock = systemClock } = options;
  // `inspect` also serves the restore itself, and commands that look first.
  if (mode !== 'inspect') refuseHalfRestored(config);
  if (mode === 'prepare') makeDataDirectory(config.dataDir);
  // `inspect` also takes an installation without a key: nothing is sealed or written with the one made here.
  const isInstalled = traceOfInstallation(config) !== null;
  const key = loadMasterKey(config.masterKey, config.masterKeyFile, mode !== 'use', isInstalled);
  becomeDataOwner(config.dataDir);
  if (mode === 'prepare') requireWritableDirectory(config.dataDir);
  await options.beforeDatabase?.();
  const trace = traceOfInstallation(config);
  if (!options.fresh && isMissingDatabase(config.database.url)) {
    await refuseLeftBehind(config);
    if (trace !== null) throw missingDatabase(options, trace);
  }
  const database = await openDatabase(config.database.url, {
    poolSize: config.database.pool,
    busyTimeoutMs: config.database.busyTimeoutMs,
    create: mode === 'prepare',
    onError: (error) => log.warn({ err: error }, 'an idle database connection broke'),
  });
  let lock: ServerLock | null = null;
  const close = async () => {
    await database.close();
    await lock?.release();
  };
  try {
    if (options.serves) {
      const { lockForServer } = await import('#kernel/db/server-lock.ts');
      const { url } = config.database;
      const succeeds = options.succeeds?.() ?? false;
      lock = await lockForServer(database, { url, dataDir: config.dataDir, log, succeeds });
    }
    return { ...(await build({ ...options, trace }, key, database, machineClock)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** A command cannot make a database, so that for it this one cannot be reached: the cure is the same. */
function missingDatabase({ config, mode }: OpenOptions, trace: string): Error {
  const url = maskUrlPassword(config.database.url);
  if (mode === 'prepare') return lostDatabase(trace, url, 'missing');
  return new DatabaseUnavailable(lostMessage(trace, url, 'missing'), { hint: LOST_HINT });
}

/** With what shows that an installation was served from the data directory before; null for a first start. */
type BuildOptions = OpenOptions & { trace: string | null };

async function build(
  options: BuildOptions,
  key: MasterKey,
  database: Database,
  machineClock: Clock,
): Promise<Omit<Instance, 'close'>> {
  const { config, log, mode } = options;
  const speaks = mode === 'prepare' || options.speaks === true;
  if (speaks && config.localeDir !== undefined) await takeLanguages(config.localeDir);
  const memory = new ProcessMemory();
  const clock = await clockOf(config, machineClock, memory);
  const migrator = createMigrator(database, migrations, clock);
  const applied = mode === 'inspect' ? [] : await migrateFor({ ...options, mode }, database, migrator, clock);
  readyMemory(config, memory);
  const declared = localParts.flatMap((one) => one.settings ?? []);
  const settings = createSettingsStore(declared, config.settingPins, key.keyring);
  const runtime = {
    ...configuredPart(config),
    database,
    clock,
    keyring: key.keyring,
    settings,
    log,
    // Of every process: an event of a command is sent by the server that runs beside it.
    outboxSources: [webhookSource(webhookServices), hookSource, ...(options.outboxSources ?? [])],
    subscriptions: subscriptionsOf(localParts),
    fillings: fillingsIn(localParts),
    auditor,
    hooks: createHooks({ dir: config.hooksDir, points: storeHookPoints, log }),
    memory,
    storage: createStorage(config),
    media: createStorage(config, 'media'),
  };
  const root = createContext(runtime, DEFAULT_TENANT_ID, options.actor ?? SYSTEM);
  const isReachedAt = (baseUrl: string): void => {
    runtime.baseUrl = baseUrl;
  };
  const base = { config, database, migrator, settings, clock, machineClock, applied, isReachedAt };
  if (mode === 'inspect') return { ...base, ctx: root };
  if (mode === 'prepare') await requireOwnDatabase(options, root);
  runtime.keyring = await settleMasterKey(root, key, mode === 'prepare');
  const ctx = createContext(runtime, DEFAULT_TENANT_ID, options.actor ?? SYSTEM);
  if (mode === 'prepare') await rememberInstallation(ctx, options, database);
  await settings.refresh(ctx);
  // A server knows its address when it listens; a command of the same installation makes the same links (decision 0097).
  if (!config.baseUrlIsSet && !options.serves) isReachedAt((await readServedAt(ctx))?.url ?? config.baseUrl);
  const tenantId = config.tenant === 'default' ? DEFAULT_TENANT_ID : await idOfSlug(ctx, config.tenant);
  return { ...base, ctx: ctx.with({ tenantId }) };
}

/** What every ctx knows of the configuration. */
const configuredPart = ({
  serviceName,
  baseUrl,
  dataDir,
  http,
  mode,
  processorUrls,
  documentFont,
}: Config) => ({
  serviceName,
  baseUrl,
  dataDir,
  uploadLimitBytes: http.uploadLimitBytes,
  imageLimitBytes: http.imageLimitBytes,
  mode,
  processorUrls,
  documentFont,
});

/** A production server has no shift to read: nothing can move its clock (decision 0028). */
async function clockOf({ mode }: Config, machineClock: Clock, memory: ProcessMemory): Promise<Clock> {
  if (mode === 'production') return machineClock;
  const { clockShift, shiftedClock } = await import('#kernel/clock-shift.ts');
  return shiftedClock(machineClock, memory.of(clockShift));
}

/** Mails are written by whatever process makes a change, and look alike whoever wrote them; so with erasures. */
function readyMemory({ mailFolder, templatesDir }: Config, memory: ProcessMemory): void {
  openPostOffice(memory, {
    folder: mailFolder ?? null,
    templatesDir,
    brands: localParts.flatMap(({ mailBrand }) => mailBrand ?? []),
  });
  describeTables({ memory }, recordsOfAll);
}

/** A short command loads no record but its own. */
const recordsOfAll = async () =>
  (await import('./capabilities.ts')).capabilities.flatMap(({ records }) => records ?? []);

/** Before 1970 no id can be made: the next start with a right clock gives it. */
async function rememberInstallation(
  ctx: Ctx,
  { config, log, serves }: OpenOptions,
  database: Database,
): Promise<void> {
  if (isBeforeEpoch(Date.parse(ctx.now()))) return;
  const id = await claimInstallationId(ctx);
  if (serves) await noteServing(config, database, { id, now: ctx.now(), log });
  keepInstallationFile(ctx, { id, masterKeyId: ctx.keyring.keyId });
}

/** A schema that nobody ever served is as good as none; `--fresh` is for nothing else. */
async function requireOwnDatabase({ config, trace, fresh }: BuildOptions, ctx: Ctx): Promise<void> {
  const wasServed = (await readMasterKeyId(ctx)) !== null;
  const url = maskUrlPassword(config.database.url);
  if (wasServed && fresh) {
    const hint = 'start it without --fresh, or choose an empty database with --db or --data-dir';
    throw new AppError('CONFLICT', 409, `${url} already holds an installation`, { details: { hint } });
  }
  // A first start that was cut short may have left its key, but not the file, which is written last.
  const file = readInstallationFile(config);
  if (!wasServed && !fresh && trace !== null && file !== null) {
    await refuseLeftBehind(config);
    throw lostDatabase(trace, url, 'empty');
  }
  const id = await readInstallationId(ctx);
  if (id !== null && file?.id !== undefined && file.id !== id)
    throw foreignDatabase(config.dataDir, url, id, file.id);
}

/** The database says which master key it belongs to; a new key is written only when it has none. */
async function settleMasterKey(ctx: Ctx, key: MasterKey, mayClaim: boolean) {
  const stored = await readMasterKeyId(ctx);
  if (stored !== null && stored !== key.keyring.keyId) throw wrongMasterKey(stored, key);
  const keyring = key.keep();
  if (stored === null && mayClaim) {
    const claimed = await claimMasterKeyId(ctx, keyring.keyId);
    if (claimed !== keyring.keyId) throw wrongMasterKey(claimed, { ...key, keyring });
  }
  return keyring;
}

/** Loaded with the folder alone: other commands need no language. */
async function takeLanguages(dir: string): Promise<void> {
  const { useOwnLanguages } = await import('#platform/languages/index.ts');
  await useOwnLanguages(dir);
}
