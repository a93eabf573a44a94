import type { CheckScope, OpenedDatabase } from '#kernel/check.ts';
import type { Config } from '#kernel/config/config.ts';
import { ConfigError } from '#kernel/config/errors.ts';
import { type LoadedConfig, loadConfig } from '#kernel/config/load.ts';
import type { ConfigInput } from '#kernel/config/sources.ts';
import { createLog } from '#kernel/log.ts';
import { readServedAt } from '#platform/installation/index.ts';
import { servedCapabilities } from '../../app/capabilities.ts';
import { type Instance, openInstance } from '../../app/instance.ts';
import { requireServersDatabase, serverAnswers } from '../../app/run-files.ts';
import { flushServerOf } from '../fresh.ts';

/** A scope, and what has to be closed after it. */
export interface OpenedScope {
  readonly scope: CheckScope;
  close(): Promise<void>;
}

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
  // What hinders the server from writing, the checks of the database find.
  if (serverRuns) await flushServerOf(config).catch(() => undefined);
  const servedJobs = new Set(
    servedCapabilities(config).flatMap(({ jobs = [] }) => jobs.map((job) => job.name)),
  );
  const known = { ...nothing, config, entries, warnings, configFile: files.config, serverRuns, servedJobs };
  try {
    await requireServersDatabase(config);
    const { instance, opened } = await openForChecks(config);
    return { scope: { ...known, opened }, close: () => instance.close() };
  } catch (failure) {
    return { scope: { ...known, failure }, close: async () => undefined };
  }
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
