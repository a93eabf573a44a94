import type { CheckScope, OpenedDatabase } from '#kernel/check.ts';
import type { Config } from '#kernel/config/config.ts';
import { ConfigError } from '#kernel/config/errors.ts';
import { type LoadedConfig, loadConfig } from '#kernel/config/load.ts';
import type { ConfigInput } from '#kernel/config/sources.ts';
import { createLog } from '#kernel/log.ts';
import { readServedAt } from '#platform/installation/index.ts';
import { rowFiles } from '../../app/backup/queries.ts';
import { servedCapabilities } from '../../app/capabilities.ts';
import { type Instance, openInstance } from '../../app/instance.ts';
import { requireServersDatabase, serverAnswers, socketPath } from '../../app/run-files.ts';
import type { ServerStatus } from '../../app/server-report.ts';
import { flushServerOf } from '../fresh.ts';

/** A scope, and what has to be closed after it. */
export interface OpenedScope {
  readonly scope: CheckScope;
  close(): Promise<void>;
}

const PATIENCE_MS = 4000;

const nothing = {
  config: null,
  entries: {},
  configFile: null,
  problems: [],
  warnings: [],
  opened: null,
  failure: null,
  serverRuns: false,
  servedJobs: new Set<string>(),
  namedFiles: rowFiles,
};

/** Collects what checks look at; what cannot be had is noted and never thrown. */
export async function openScope(input: ConfigInput): Promise<OpenedScope> {
  let loaded: LoadedConfig;
  try {
    loaded = await loadConfig(input);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const { problems, warnings } = error;
    return { scope: { ...nothing, problems, warnings }, close: async () => undefined };
  }
  const { config, entries, warnings, files } = loaded;
  const serverRuns = await serverAnswers(config);
  const processes = serverRuns ? await processesOf(config) : undefined;
  // What hinders the server from writing, the checks of the database find.
  if (serverRuns) await flushServerOf(config).catch(() => undefined);
  const servedJobs = new Set(
    servedCapabilities(config).flatMap(({ jobs = [] }) => jobs.map((job) => job.name)),
  );
  const known = {
    ...nothing,
    config,
    entries,
    warnings,
    configFile: files.config,
    serverRuns,
    servedJobs,
    processes,
  };
  try {
    await requireServersDatabase(config);
    const { instance, opened } = await openForChecks(config);
    return { scope: { ...known, opened }, close: () => instance.close() };
  } catch (failure) {
    return { scope: { ...known, failure }, close: async () => undefined };
  }
}

/** A server that is stuck does not say. */
async function processesOf(config: Config): Promise<CheckScope['processes']> {
  const { callServer } = await import('#kernel/http/admin-socket.ts');
  const asked = callServer<ServerStatus>(socketPath(config), 'status', {}, PATIENCE_MS);
  return (await asked.catch(() => null))?.workers;
}

async function openForChecks(config: Config): Promise<{ instance: Instance; opened: OpenedDatabase }> {
  const log = createLog({ level: 'silent', destination: 2 });
  const instance = await openInstance({ config, log, mode: 'inspect' });
  try {
    const { ctx, database, migrator } = instance;
    const { pending } = await migrator.status();
    const current = pending.length === 0;
    // Where the master key is wrong the defaults stand in for sealed settings; keys.master-key tells of it.
    if (current) await instance.settings.refresh(ctx).catch(() => false);
    const served = current && !config.baseUrlIsSet ? await readServedAt(ctx) : null;
    if (served !== null) instance.isReachedAt(served.url);
    return { instance, opened: { ctx, database, migrator, current } };
  } catch (error) {
    await instance.close();
    throw error;
  }
}
