// An installation as `appctl setup` leaves it, in a folder of its own: data directory, master key, schema.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import type { ZodType } from 'zod';
import { loadConfig } from '#kernel/config/load.ts';
import { createLog } from '#kernel/log.ts';
import { type Instance, openInstance } from '../../src/app/instance.ts';
import { run } from '../../src/cli/frame/run.ts';
import { resolveCommand } from '../../src/cli/frame/tree.ts';
import { commandTree } from '../../src/cli/index.ts';
import { type CliOptions, type CliRun, runCli } from '../support/cli-process.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

/** What a test of commands works with. */
export interface Installation {
  /** Working directory of its commands. */
  cwd: string;
  /** Runs the program on it, to its end. */
  appctl(args: readonly string[], options?: CliOptions): Promise<CliRun>;
  /** Runs it with --json and gives the answer, checked by the command's schema; fails for another code than `code`. */
  json<T = Record<string, unknown>>(
    args: readonly string[],
    options?: CliOptions & { code?: number },
  ): Promise<T>;
  /** Runs the same command line in the test's process: many refusals are judged in the time of one process. */
  inside(args: readonly string[]): Promise<CliRun>;
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
  await (await openAs('prepare')).close();
  return {
    cwd,
    appctl,
    inside: (args) => runInside(args, env),
    open: () => openAs('use'),
    remove: () => rmSync(cwd, { recursive: true, force: true }),
    async json<T>(args: readonly string[], { code = 0, ...options }: CliOptions & { code?: number } = {}) {
      const done = await appctl([...args, '--json'], options);
      if (done.code !== code) {
        throw new Error(`appctl ${args.join(' ')} ended with ${done.code}: ${done.stderr}`);
      }
      const answer: unknown = JSON.parse(done.stdout);
      (await schemaOf(args)).parse(answer);
      return answer as T;
    },
  };
}

const tree = commandTree();

async function runInside(args: readonly string[], env: Record<string, string>): Promise<CliRun> {
  const texts = { stdout: '', stderr: '' };
  const collect = (name: keyof typeof texts) =>
    new Writable({
      write(chunk, _encoding, done) {
        texts[name] += String(chunk);
        done();
      },
    }) as unknown as NodeJS.WriteStream;
  const stdin = Readable.from([]) as unknown as NodeJS.ReadStream;
  const code = await run(tree, args, { stdin, stdout: collect('stdout'), stderr: collect('stderr'), env });
  return { code, signal: null, ...texts };
}

/** The schema that `appctl schema` prints for the command of a line without leading flags. */
async function schemaOf(args: readonly string[]): Promise<ZodType> {
  const path = resolveCommand(tree, args).node.path;
  const schema = await tree.specs.find((spec) => spec.path === path)?.output?.();
  if (schema === undefined) throw new Error(`appctl ${path} declares no output`);
  return schema;
}
