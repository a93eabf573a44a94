import type { Config } from './config/config.ts';
import type { ConfigProblem } from './config/errors.ts';
import type { ConfigEntry } from './config/resolve.ts';
import type { Ctx } from './context.ts';
import type { Database } from './db/database.ts';
import type { Migrator } from './db/migrate.ts';
import type { ServerProcesses } from './other-processes.ts';
import { StorageFailure } from './storage/failure.ts';
import type { StoredName } from './storage/kept-notes.ts';

/** A database that could be opened, whatever its schema. */
export interface OpenedDatabase {
  readonly ctx: Ctx;
  readonly database: Database;
  readonly migrator: Migrator;
  /** Whether every migration of this program is applied, so that its tables are there to be asked. */
  readonly current: boolean;
}

/** Which files of the storages rows name, of whichever part of the program: nothing else may be removed as superfluous. */
export interface NamedFiles {
  all(database: Pick<Ctx, 'db'>): AsyncIterable<StoredName>;
  /** Whether a row names one now. */
  has(database: Pick<Ctx, 'db'>, file: StoredName): Promise<boolean>;
}

/** What a check may look at. A part that could not be had is null, and the checks that need it are skipped. */
export interface CheckScope {
  readonly config: Config | null;
  /** Values with their sources; empty without a configuration. */
  readonly entries: Readonly<Record<string, ConfigEntry>>;
  readonly configFile: string | null;
  readonly problems: readonly ConfigProblem[];
  readonly warnings: readonly ConfigProblem[];
  readonly opened: OpenedDatabase | null;
  /** Why the database could not be opened. */
  readonly failure: unknown;
  /** Whether a server runs on this data directory. */
  readonly serverRuns: boolean;
  /** Its processes, where they are known. */
  readonly processes?: (Pick<ServerProcesses, 'serving' | 'wanted'> & Partial<ServerProcesses>) | undefined;
  /** Names of the jobs that a server of this configuration runs: those of a service that is switched off rest. */
  readonly servedJobs: ReadonlySet<string>;
  readonly namedFiles: NamedFiles;
  /** Whether nobody asked for it: what was read before and has not changed need not be read again. */
  readonly isRoutine?: true;
}

/** One thing that `appctl doctor` looks at (cli.md section 7). */
export interface Check {
  /** `category.name`. */
  readonly id: string;
  readonly title: string;
  /** Line of the launch checklist: what has to be done before customers come. The manual has a heading of these words. */
  readonly launch?: string;
  /**
   * Reads all of a table, or each bundle: pages that others wait for show what it found last. How often it runs by
   * itself; a daily one only as long as a database that answers nobody meanwhile is small.
   */
  readonly isLong?: 'hourly' | 'daily';
  /** Advice about how the installation is run; nothing is wrong with what it serves. Those with `launch` are, too. */
  readonly isAdvice?: true;
  /**
   * What it finds is reported to operators as an alert, unless it is advice: it runs every minute. `server` is about the
   * machine and its files, and each of several servers runs it for itself; `installation` is about what they share, and
   * one of them runs it.
   */
  readonly alert?: 'server' | 'installation';
  /** Asks another machine, such as a mail server or a bucket: pages wait a few seconds at most for what it says. */
  readonly asksOthers?: true;
  run(scope: CheckScope): Promise<Finding> | Finding;
  /** Repairs what `run` found; `run` is asked again afterwards. Present on a check that `doctor --fix` repairs. */
  fix?(scope: CheckScope): Promise<void> | void;
}

export interface Finding {
  readonly status: 'ok' | 'warn' | 'fail' | 'skip';
  /** What was found, and why it matters. */
  readonly message: string;
  /** The command that cures it. */
  readonly hint?: string;
  /** What it was found in, where that is several things: each is an alert of its own, and none where there are none. */
  readonly subjects?: readonly Subject[];
  /** Something is wrong now, though the check is one that gives advice. */
  readonly isTrouble?: true;
}

/** One of several things in which a check found something. */
export interface Subject {
  readonly id: string;
  readonly message: string;
  readonly hint: string;
}

export const ok = (message: string): Finding => ({ status: 'ok', message });
export const warn = (message: string, hint: string): Finding => ({ status: 'warn', message, hint });
export const fail = (message: string, hint: string): Finding => ({ status: 'fail', message, hint });
export const skip = (message: string): Finding => ({ status: 'skip', message });

/** A check that needs a valid configuration. */
export const onConfig =
  (run: (config: Config, scope: CheckScope) => Promise<Finding> | Finding): Check['run'] =>
  (scope) =>
    scope.config ? run(scope.config, scope) : skip('the configuration is invalid');

/** A check that needs a database that can be opened, with whatever schema. */
export const onDatabase =
  (run: (opened: OpenedDatabase, scope: CheckScope) => Promise<Finding> | Finding): Check['run'] =>
  (scope) =>
    scope.opened ? run(scope.opened, scope) : skip('the database cannot be opened');

/** A check that asks tables: the schema must be the program's. */
export const onSchema = (run: (ctx: Ctx, scope: CheckScope) => Promise<Finding> | Finding): Check['run'] =>
  onDatabase((opened, scope) =>
    opened.current
      ? run(opened.ctx, scope)
      : skip('the schema does not match this program; see appctl migrate status'),
  );

/**
 * For `catch` in a check of a storage: what an operator can do about it.
 * @throws every error that is not about the storage
 */
export function storageFinding(error: unknown): Finding {
  if (error instanceof StorageFailure) return fail(error.message, error.hint);
  throw error;
}
