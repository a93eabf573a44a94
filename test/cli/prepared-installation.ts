// An installation as `appctl setup` leaves it, in a folder of its own: data directory, master key, schema.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ZodType } from 'zod';
import { loadConfig } from '#kernel/config/load.ts';
import { createLog } from '#kernel/log.ts';
import { type Instance, openInstance } from '../../src/app/instance.ts';
import { resolveCommand } from '../../src/cli/frame/tree.ts';
import { commandTree } from '../../src/cli/index.ts';
import { runInside } from '../support/cli-inside.ts';
import { type CliOptions, type CliRun, runCli } from '../support/cli-process.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

/** `code` is the exit code that the test expects, 0 by default. */
type AnswerOptions = CliOptions & { code?: number };

/** What a test of commands works with. */
export interface Installation {
  /** Working directory of its commands. */
  cwd: string;
  /** Runs the program on it, to its end: for what is about a process. It costs as much as twenty runs inside. */
  appctl(args: readonly string[], options?: CliOptions): Promise<CliRun>;
  /** As `answer`, of a process. */
  json<T = Record<string, unknown>>(args: readonly string[], options?: AnswerOptions): Promise<T>;
  /** Runs the same command line in the test's process. */
  inside(args: readonly string[], options?: CliOptions): Promise<CliRun>;
  /** Runs it there with --json and gives the answer, checked by the command's schema; fails for another code. */
  answer<T = Record<string, unknown>>(args: readonly string[], options?: AnswerOptions): Promise<T>;
  /** Opens the same installation in the test's process. The caller closes it. */
  open(): Promise<Instance>;
  remove(): void;
}

/** @param databaseUrl as APPCTL_DATABASE_URL; a SQLite file in the data directory when left out */
export async function prepareInstallation(databaseUrl?: string): Promise<Installation> {
  const cwd = scratchFolder('appctl-catalog-');
  const env: Record<string, string> = {
    HOME: cwd,
    APPCTL_DATA_DIR: join(cwd, 'data'),
    ...(databaseUrl !== undefined && { APPCTL_DATABASE_URL: databaseUrl }),
  };
  const log = createLog({ level: 'warn', destination: 2 });
  const openAs = async (mode: 'prepare' | 'use') =>
    openInstance({ config: (await loadConfig({ cwd, env })).config, log, mode });
  const appctl: Installation['appctl'] = (args, options = {}) =>
    runCli(args, { cwd, ...options, env: { ...env, ...options.env } });
  const inside: Installation['inside'] = (args, options = {}) =>
    runInside(args, { cwd, ...options, env: { ...env, ...options.env } });
  await (await openAs('prepare')).close();
  return {
    cwd,
    appctl,
    inside,
    answer: async <T>(args: readonly string[], { code = 0, ...options }: AnswerOptions = {}) =>
      answerOf<T>(args, await inside([...args, '--json'], options), code),
    open: () => openAs('use'),
    remove: () => rmSync(cwd, { recursive: true, force: true }),
    json: async <T>(args: readonly string[], { code = 0, ...options }: AnswerOptions = {}) =>
      answerOf<T>(args, await appctl([...args, '--json'], options), code),
  };
}

const tree = await commandTree();

async function answerOf<T>(args: readonly string[], done: CliRun, code: number): Promise<T> {
  if (done.code !== code) throw new Error(`appctl ${args.join(' ')} ended with ${done.code}: ${done.stderr}`);
  const answer: unknown = JSON.parse(done.stdout);
  (await schemaOf(args)).parse(answer);
  return answer as T;
}

/** The schema that `appctl schema` prints for the command of a line without leading flags. */
async function schemaOf(args: readonly string[]): Promise<ZodType> {
  const path = resolveCommand(tree, args).node.path;
  const schema = await tree.specs.find((spec) => spec.path === path)?.output?.();
  if (schema === undefined) throw new Error(`appctl ${path} declares no output`);
  return schema;
}
