import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, lstatSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import type { Config } from '#kernel/config/config.ts';
import type { ConfigFiles } from '#kernel/config/sources.ts';
import { dialectOf } from '#kernel/db/dialect.ts';
import { processEnvironment } from '#kernel/environment.ts';
import { AppError } from '#kernel/errors.ts';

/** An installation as other processes of the program are told of it. */
export interface Installation {
  readonly config: Config;
  readonly files: Pick<ConfigFiles, 'config' | 'envFile'>;
}

/** What an executable says of itself. */
export interface Told {
  readonly version: string;
  readonly platform: string;
  readonly arch: string;
}

const MOST_BYTES = 16 * 1024 * 1024;

/** What a command of another executable said in place of an answer. */
class ProgramFailure extends AppError {
  constructor(code: string, message: string, hint: string | null) {
    super(code, 500, message, { details: hint === null ? {} : { hint } });
  }
}

/**
 * Runs a command of an executable on an installation, as its own process: it takes the identity of whoever owns the data.
 *
 * @param allowed codes that it may end with beside 0
 * @returns what it prints
 * @throws AppError in its own words
 */
export async function runProgram<T>(
  exe: string,
  { config, files }: Installation,
  words: readonly string[],
  allowed: readonly number[] = [],
): Promise<T> {
  const args = [
    ...words,
    '--json',
    '--no-input',
    ...(files.config === null ? [] : ['--config', files.config]),
    ...(files.envFile === null ? [] : ['--env-file', files.envFile]),
  ];
  const env = {
    ...processEnvironment(),
    APPCTL_DATA_DIR: config.dataDir,
    APPCTL_DATA_DIR_FILE: undefined,
    APPCTL_DATABASE_URL: config.database.url,
    APPCTL_DATABASE_URL_FILE: undefined,
  };
  try {
    const { stdout } = await promisify(execFile)(exe, args, { env, maxBuffer: MOST_BYTES });
    return JSON.parse(stdout) as T;
  } catch (error) {
    const { code, stdout = '', stderr = '' } = error as { code?: unknown; stdout?: string; stderr?: string };
    if (typeof code === 'number' && allowed.includes(code)) return JSON.parse(stdout) as T;
    throw failureIn(stderr) ?? failureOf(words, stderr, error as Error);
  }
}

/** The last line of a command that fails with --json. */
function failureIn(stderr: string): ProgramFailure | null {
  try {
    const { error } = JSON.parse(stderr.trim().split('\n').at(-1) ?? '') as {
      error: { code: string; message: string; hint?: string };
    };
    return new ProgramFailure(error.code, error.message, error.hint ?? null);
  } catch {
    return null;
  }
}

function failureOf(words: readonly string[], stderr: string, error: Error): ProgramFailure {
  const said = stderr.trim().split('\n').at(-1) || (error.message.split('\n')[0] ?? '');
  return new ProgramFailure('SERVER_ERROR', `appctl ${words.join(' ')} failed: ${said}`, null);
}

/**
 * What an executable says of itself.
 *
 * @throws AppError VERIFICATION_FAILED for one that does not run on this machine
 */
export async function askVersion(exe: string): Promise<Told> {
  try {
    const { stdout } = await promisify(execFile)(exe, ['version', '--json']);
    return JSON.parse(stdout) as Told;
  } catch (error) {
    const reason = ((error as { stderr?: string }).stderr || (error as Error).message).trim().split('\n')[0];
    throw new AppError(
      'VERIFICATION_FAILED',
      422,
      `the new executable does not run on this machine: ${reason}`,
      { details: { hint: 'nothing was changed' } },
    );
  }
}

/** The migrations of a database, as a program finds them. */
export interface AppliedMigrations {
  /** In order. */
  readonly names: readonly string[];
  /** Some of them are newer than the program. */
  readonly isNewer: boolean;
}

/** @returns null where there is no database yet */
export async function appliedMigrations(
  exe: string,
  installation: Installation,
): Promise<AppliedMigrations | null> {
  if (isUntouched(installation.config)) return null;
  const { applied, unknown } = await runProgram<{ applied: { name: string }[]; unknown: string[] }>(
    exe,
    installation,
    ['migrate', 'status'],
    [8],
  );
  const names = [...applied.map(({ name }) => name), ...unknown];
  return names.length === 0 ? null : { names, isNewer: unknown.length > 0 };
}

/** Whether no server has ever started here: there is neither a SQLite file nor what belongs to one. */
function isUntouched({ dataDir, database: { url }, masterKey, masterKeyFile }: Config): boolean {
  if (dialectOf(url) !== 'sqlite') return false;
  const kept = [url.slice('sqlite:'.length), join(dataDir, 'installation')];
  try {
    return [...kept, ...(masterKey === undefined ? [masterKeyFile] : [])].every(
      (path) => lstatSync(path, { throwIfNoEntry: false }) === undefined,
    );
  } catch {
    // This user may not look: the program says why.
    return false;
  }
}

/** Backs up a database, without bundles and pictures, which no upgrade changes. @returns the name of the backup */
export async function backUp(
  exe: string,
  installation: Installation,
  label: 'pre-upgrade' | 'pre-migrate' | 'pre-restore',
): Promise<string> {
  const words = ['backup', 'create', '--label', label, '--exclude', 'media', '--exclude', 'bundles'];
  const { file } = await runProgram<{ file: string }>(exe, installation, words);
  return basename(file);
}

/** SHA-256 of the program that runs: of the file that it was started from, whatever has its name by now. */
export function ownSha256(): Promise<string> {
  const own = '/proc/self/exe';
  return sha256Of(existsSync(own) ? own : process.execPath);
}

export async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
