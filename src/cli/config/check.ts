import { existsSync } from 'node:fs';
import type { Config } from '#kernel/config/config.ts';
import { ConfigError, type ConfigProblem } from '#kernel/config/errors.ts';
import { loadConfig } from '#kernel/config/load.ts';
import { servingProblems } from '#kernel/config/serving.ts';
import { becomeDataOwner } from '../../app/data-directory.ts';
import type { Cli } from '../frame/context.ts';
import { exits, toFailure } from '../frame/exits.ts';
import type { Paint } from '../frame/io.ts';

interface Verdict {
  problems: readonly ConfigProblem[];
  warnings: readonly ConfigProblem[];
  exit: number;
}

/** `appctl config check [--connect]`: the verdict is the answer, so it stands on stdout also when it is bad. */
export async function checkConfig(cli: Cli): Promise<number> {
  const { problems, warnings, exit } = await judge(cli);
  const answer = { valid: problems.length === 0, problems, warnings };
  await cli.out.value(answer, (paint) => describe(answer.valid, problems, warnings, paint));
  return exit;
}

async function judge(cli: Cli): Promise<Verdict> {
  try {
    const { config, warnings } = await loadConfig(cli.configInput());
    const refused = servingProblems(config);
    if (refused.length > 0) return { problems: refused, warnings, exit: exits.configInvalid };
    if (!cli.flag('connect')) return { problems: [], warnings, exit: exits.done };
    // What a process of root makes in the data directory would lock the service out (cli.md section 1.7).
    becomeDataOwner(config.dataDir);
    const database = await connect(config);
    const problems = [...database.problems, ...(await tryStorage(config))];
    const exit = problems.length === 0 ? exits.done : exits.unreachable;
    return { problems, warnings: [...warnings, ...database.warnings], exit };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { problems: error.problems, warnings: error.warnings, exit: exits.configInvalid };
  }
}

/** Opens the database and asks it whether it answers; a SQLite file that is not there yet is no failure. */
async function connect(config: Config): Promise<Omit<Verdict, 'exit'>> {
  const { url, busyTimeoutMs } = config.database;
  const file = url.startsWith('sqlite:') ? url.slice('sqlite:'.length) : undefined;
  if (file !== undefined && !existsSync(file)) {
    const missing = {
      key: 'database.url',
      message: `no database at ${file} yet`,
      hint: 'appctl setup creates it',
    };
    return { problems: [], warnings: [missing] };
  }
  try {
    const { openDatabase } = await import('#kernel/db/connect.ts');
    const database = await openDatabase(url, {
      poolSize: 1,
      busyTimeoutMs,
      create: false,
      onError: () => {},
    });
    try {
      await database.ping();
    } finally {
      await database.close();
    }
    return { problems: [], warnings: [] };
  } catch (error) {
    const { message } = toFailure(error);
    const problem = {
      key: 'database.url',
      message,
      hint: 'check the address and that the database is running',
    };
    return { problems: [problem], warnings: [] };
  }
}

/** Writes to the storage of bundles and reads from it; a local folder that is not there yet is no failure. */
async function tryStorage(config: Config): Promise<ConfigProblem[]> {
  const { createStorage } = await import('#platform/storage/index.ts');
  const storage = createStorage(config);
  try {
    await storage.probe();
    return [];
  } catch (error) {
    const { message, hint } = toFailure(error);
    const key = storage.kind === 's3' ? 'storage.url' : 'storage.bundles_dir';
    return [{ key, message, hint: hint ?? 'check the storage keys of the configuration' }];
  }
}

function describe(
  valid: boolean,
  problems: readonly ConfigProblem[],
  warnings: readonly ConfigProblem[],
  paint: Paint,
): string {
  const lines = [
    ...problems.map((problem) => [paint('red', 'problem:'), problem] as const),
    ...warnings.map((warning) => [paint('yellow', 'warning:'), warning] as const),
  ].map(([label, { key, message, hint }]) => `${label} ${key}: ${message}\n         ${hint}`);
  return [...lines, valid ? paint('green', 'configuration valid') : 'configuration invalid'].join('\n');
}
