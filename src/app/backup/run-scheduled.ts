import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import type { Config } from '#kernel/config/config.ts';
import type { ConfigFiles } from '#kernel/config/sources.ts';
import { sourceVariables } from '#kernel/config/table.ts';
import type { Ctx } from '#kernel/context.ts';
import type { Database } from '#kernel/db/database.ts';
import { processEnvironment } from '#kernel/environment.ts';
import { nativeFolder } from '#kernel/native.ts';
import { folderOfOwner, programArguments } from '#kernel/process-identity.ts';
import { pruneBackups } from './prune.ts';

/** What the job needs to know of the process that runs it. */
export interface Scheduled {
  readonly config: Config;
  readonly database: Database;
  readonly files: Pick<ConfigFiles, 'config' | 'envFile' | 'variables'>;
}

const hasBecomeOwner = (): boolean => folderOfOwner() !== null;

/** Nor may that owner read the file of variables, which systemd reads as root. */
function handedOn({ variables }: Scheduled['files']): NodeJS.ProcessEnv {
  if (!hasBecomeOwner()) return processEnvironment();
  return { ...variables, ...processEnvironment(), [sourceVariables.envFile]: undefined };
}

/** Variables that say which installation it is, in place of those and of flags that this process was started with. */
function environmentOf({ config, files }: Pick<Scheduled, 'config' | 'files'>): NodeJS.ProcessEnv {
  const { dataDir, database, masterKey } = config;
  return {
    ...handedOn(files),
    APPCTL_CACHE_DIR: nativeFolder(),
    APPCTL_DATA_DIR: dataDir,
    APPCTL_DATA_DIR_FILE: undefined,
    APPCTL_DATABASE_URL: database.url,
    APPCTL_DATABASE_URL_FILE: undefined,
    // A process of root has read the key before it became the owner of the data directory, who may not read its file.
    ...(hasBecomeOwner() && masterKey !== undefined
      ? { APPCTL_MASTER_KEY: masterKey, APPCTL_MASTER_KEY_FILE: undefined }
      : {}),
  };
}

/**
 * Makes a backup in a process of its own, whose work would stop this one, and deletes those that are not kept any more.
 *
 * @returns its size, and how many were deleted
 * @throws Error with the words of that process
 */
export async function backUp(
  ctx: Ctx,
  { config, database, files }: Scheduled,
): Promise<Record<string, number>> {
  const { told, said, code } = await runCommand({ config, files }, ['create']);
  if (code !== 0) throw new Error(reasonOf(said) ?? `the backup ended with ${code}`);
  const { file, sizeBytes } = JSON.parse(told) as { file: string; sizeBytes: number };
  ctx.log.info({ backup: file, bytes: sizeBytes }, 'a backup was made and verified');
  const { removed } = await pruneBackups(config, database, config.backup.keep, { dryRun: false });
  return { bytes: sizeBytes, deleted: removed.length };
}

/**
 * Verifies a backup in a process of its own, too.
 *
 * @returns how many tables it has. @throws Error with the words of that process
 */
export async function verify(
  installation: Pick<Scheduled, 'config' | 'files'>,
  file: string,
  signal: AbortSignal,
): Promise<{ tables: number }> {
  const { told, said, code } = await runCommand(installation, ['verify', file], signal);
  const { ok, problems, manifest } = JSON.parse(told || '{}') as {
    ok?: boolean;
    problems?: string[];
    manifest?: { tables: object };
  };
  if (ok && manifest) return { tables: Object.keys(manifest.tables).length };
  throw new Error(problems?.join('; ') ?? reasonOf(said) ?? `the verification ended with ${code}`);
}

/** Runs a command about backups, whose work would stop this process. */
async function runCommand(
  { config, files }: Pick<Scheduled, 'config' | 'files'>,
  given: readonly string[],
  signal?: AbortSignal,
): Promise<{ told: string; said: string; code: number | null }> {
  const words = [
    ...programArguments(),
    'backup',
    ...given,
    '--json',
    ...(files.config === null ? [] : ['--config', files.config]),
    ...(files.envFile === null || hasBecomeOwner() ? [] : ['--env-file', files.envFile]),
  ];
  const child = spawn(process.execPath, words, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: environmentOf({ config, files }),
    ...(signal && { signal }),
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const [told, said, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { told, said, code };
}

/** The last line of a command that fails. */
function reasonOf(said: string): string | null {
  try {
    const { error } = JSON.parse(said.trim().split('\n').at(-1) ?? '') as {
      error: { message: string; hint?: string };
    };
    return error.hint ? `${error.message}; ${error.hint}` : error.message;
  } catch {
    return said.trim().split('\n').at(-1) || null;
  }
}
