import { realpathSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { ConfigError } from '#kernel/config/errors.ts';
import type { LoadedConfig } from '#kernel/config/load.ts';
import type { ConfigFiles } from '#kernel/config/sources.ts';
import { ownerFault, writableFault } from '#kernel/hooks/files.ts';
import type { Cli } from '../frame/context.ts';

/**
 * The configuration that says whose program is installed. Root runs that program, so nobody else may be able to write it.
 * A way back, and what continues, do not ask: they run what is beside the executable already (decision 0118).
 *
 * @throws ConfigError (78)
 */
export async function trustedConfig(cli: Cli): Promise<LoadedConfig> {
  const loaded = await cli.config();
  if (process.geteuid?.() === 0) requireOwn(loaded.files);
  return loaded;
}

function requireOwn({ config, envFile }: Pick<ConfigFiles, 'config' | 'envFile'>): void {
  const given = [
    { key: '--config', path: config, place: '/etc/appctl/appctl.toml' },
    { key: '--env-file', path: envFile, place: '/etc/appctl/appctl.env' },
  ];
  const problems = given.flatMap(({ key, path, place }) => {
    const says = path === null ? null : faultOf(path);
    if (says === null) return [];
    const message = `root takes no program from what others can write: ${says}`;
    const hint = `move ${path} to ${place}, or: sudo chown root ${path} && sudo chmod go-w ${path}`;
    return [{ key, message, hint }];
  });
  if (problems.length > 0) throw new ConfigError(problems);
}

/** Whoever can write a folder above a file can put another one in its place: under its name, or where a link leads. */
function faultOf(path: string): string | null {
  // A pipe has no folder that could be judged.
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return `${path} is not a file`;
  for (const one of new Set([...upwards(path), ...upwards(realpathSync(path))])) {
    const info = statSync(one);
    const fault = ownerFault(one, info) ?? (isShared(info) ? null : writableFault(one, info));
    if (fault !== null) return `${fault.path} ${fault.says}`;
  }
  return null;
}

const upwards = (path: string): string[] =>
  dirname(path) === path ? [path] : [path, ...upwards(dirname(path))];

/** In a folder as /tmp nobody moves the file of another user. */
const isShared = (info: Stats): boolean => info.isDirectory() && (info.mode & 0o1000) !== 0;
