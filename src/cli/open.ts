import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '#kernel/clock.ts';
import type { Config } from '#kernel/config/config.ts';
import type { Instance, OpenOptions } from '../app/instance.ts';
import { type Cli, refuseServer } from './frame/context.ts';

/**
 * Opens the local installation for one command and closes it afterwards, also when the command fails.
 *
 * @param mode `use` (default) demands a database with the current schema; `prepare` makes what is missing;
 *   `inspect` takes any schema
 * @throws ConfigError (78), also beside a running server with another database and in one that was left for another one; DatabaseUnavailable (9), AppError for a schema that does not fit; usage error (2) when a
 *   server is named: withDesk opens that
 */
export async function withLocal<T>(
  cli: Cli,
  work: (instance: Instance) => Promise<T>,
  mode: OpenOptions['mode'] = 'use',
): Promise<T> {
  const { config } = await cli.config();
  // What is meant for a server must not happen here instead, unnoticed.
  if (config.server !== undefined) throw refuseServer(cli.spec, 'APPCTL_SERVER');
  if (config.profile !== undefined) throw refuseServer(cli.spec, 'APPCTL_PROFILE');
  return withInstallation(cli, config, work, mode);
}

/** As withLocal, for a configuration that the command put together itself. */
export async function withInstallation<T>(
  cli: Cli,
  config: Config,
  work: (instance: Instance) => Promise<T>,
  mode: OpenOptions['mode'],
  { fresh = false }: Pick<OpenOptions, 'fresh'> = {},
): Promise<T> {
  if (existsSync(join(config.dataDir, 'restore.json')))
    (await import('#platform/installation/index.ts')).refuseHalfRestored(config);
  // Most commands run where no server does, and need not load what reads its file.
  const clock = existsSync(join(config.dataDir, 'run', 'server.json'))
    ? await besideServer(config)
    : undefined;
  const [{ openInstance }, { createLog }, { refuseLeftDatabase }] = await Promise.all([
    import('../app/instance.ts'),
    import('#kernel/log.ts'),
    import('#platform/installation/index.ts'),
  ]);
  // A command tells what happens by its own lines; only what is wrong reaches its log.
  const log = createLog({ level: cli.debug ? 'debug' : 'warn', destination: 2 });
  const actor = { kind: 'cli', id: null, label: userName() } as const;
  const instance = await openInstance({ config, log, mode, actor, fresh, ...(clock && { clock }) });
  try {
    await refuseLeftDatabase(config, instance.database);
    return await work(instance);
  } finally {
    await instance.close();
  }
}

/** @returns the server's clock, where it was moved. @throws ConfigError (78) beside a server with another database */
async function besideServer(config: Config): Promise<Clock | undefined> {
  const { requireServersDatabase, serversClock } = await import('../app/run-files.ts');
  await requireServersDatabase(config);
  return serversClock(config);
}

/** The person at the terminal, as events and the audit name them (cli.md section 1.7). */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}
