import { type Check, type CheckScope, type OpenedDatabase, warn } from '#kernel/check.ts';
import { sleep, systemClock } from '#kernel/clock.ts';
import type { LoadedConfig } from '#kernel/config/load.ts';
import type { Ctx } from '#kernel/context.ts';
import { databaseSize } from '#kernel/db/condition.ts';
import type { Database } from '#kernel/db/database.ts';
import { isStopping } from '#kernel/jobs/stopping.ts';
import { othersOf } from '#kernel/other-processes.ts';
import { relativeTime } from '#kernel/time-words.ts';
import type { Concern, Condition } from '#platform/alerts/index.ts';
import {
  type CheckResult,
  type Examiner,
  type Findings,
  keepResult,
  keptResults,
} from '#platform/health/index.ts';
import { rowFiles } from './backup/queries.ts';
import { checks, servedCapabilities } from './capabilities.ts';
import { type Examined, examine, examined, isOfCategory, LAUNCH } from './examine.ts';
import type { Instance } from './instance.ts';

/** Where the configuration of a server comes from. */
export type ConfigSources = Pick<LoadedConfig, 'entries' | 'warnings' | 'files'>;

/** `waits`: it takes long, and has never run. */
export const STATES = ['fail', 'warn', 'ok', 'skip', 'waits'] as const;
export type State = (typeof STATES)[number];

/** A check with what it found. */
export interface Line extends Omit<Examined, 'status'> {
  readonly status: State;
  /** Whether the launch checklist has it. */
  readonly isForLaunch: boolean;
  /** `8 minutes ago`; null for what was found just now. */
  readonly ago: string | null;
}

/** A page does not wait longer for what a mail server or a bucket says. */
const PATIENCE_MS = 4000;
const HOUR_MS = 3_600_000;
/** A job comes a little early or late. */
const SLACK_MS = 300_000;
const EVERY_MS = { hourly: HOUR_MS, daily: 24 * HOUR_MS } as const;
/** SQLite answers nobody while it reads: a larger file is read whole only when somebody asks. */
const MOST_READ_BYTES = 268_435_456;

/** What checks look at, seen from the server itself. */
export async function scopeOf(
  { config, ctx, database, migrator }: Instance,
  { entries, warnings, files }: ConfigSources,
): Promise<CheckScope> {
  const { pending } = await migrator.status();
  const jobs = servedCapabilities(config).flatMap((one) => one.jobs ?? []);
  return {
    config,
    entries,
    configFile: files.config,
    problems: [],
    warnings,
    opened: { ctx, database, migrator, current: pending.length === 0 },
    failure: null,
    serverRuns: true,
    processes: othersOf(ctx).processes,
    servedJobs: new Set(jobs.map(({ name }) => name)),
    namedFiles: rowFiles,
  };
}

/** How a server runs its checks by itself. */
export const examinerOf = (instance: Instance, sources: ConfigSources): Examiner => ({
  find: async () => findingsOf(await linesOf(await scopeOf(instance, sources))),
  runDue: async (ctx) => runDue(ctx, await scopeOf(instance, sources)),
});

/** Runs one, and keeps what it found where it takes long. */
export async function examineAndKeep(
  ctx: Ctx,
  check: Check,
  scope: CheckScope,
  isFix = false,
): Promise<Examined> {
  const one = await examine(check, scope, isFix);
  if (scope.opened) await keepFound({ ctx, current: scope.opened.current }, check, one);
  return one;
}

/** Keeps what a check found that takes long, for pages that do not wait for it. */
export async function keepFound(
  { ctx, current }: Pick<OpenedDatabase, 'ctx' | 'current'>,
  check: Check,
  { status, message, hint, ms, isTrouble }: Examined,
): Promise<void> {
  if (check.isLong === undefined || !current) return;
  await keepResult(ctx, { checkId: check.id, status, message, hint, isTrouble, ms, checkedAt: ctx.now() });
}

/** What operators are told of: what checks found that are marked so, in whatever they found it. */
export async function conditionsOf(scope: CheckScope, concern: Concern): Promise<readonly Condition[]> {
  const conditions: Condition[] = [];
  for (const check of checks.filter(({ alert }) => alert === concern)) {
    const { id, title, status, message, hint, isAdvice, subjects } = await examine(check, scope);
    if (isAdvice || status === 'ok' || status === 'skip') continue;
    const found = subjects?.map((one) => ({ ...one, key: `${id}:${one.id}` })) ?? [
      { key: id, message, hint },
    ];
    conditions.push(...found.map((one) => ({ key: one.key, title, message: one.message, hint: one.hint })));
  }
  return conditions;
}

/** Which checks of a database have a server answer nobody for minutes: a process of their own runs them. */
export async function standsStill(database: Database): Promise<(check: Check) => boolean> {
  const isLarge = database.dialect === 'sqlite' && (await databaseSize(database)) > MOST_READ_BYTES;
  return ({ isLong }) => isLarge && isLong === 'daily';
}

async function runDue(ctx: Ctx, scope: CheckScope): Promise<Record<string, number>> {
  const tally = { ok: 0, warn: 0, fail: 0, skip: 0 };
  const { opened } = scope;
  if (!opened?.current) return tally;
  const kept = await keptResults(ctx);
  const stands = await standsStill(opened.database);
  for (const check of checks) {
    if (isStopping(ctx)) break;
    if (check.isLong === undefined || stands(check)) continue;
    const last = kept.get(check.id);
    const isFresh = last && ageOf(ctx, last) >= 0 && ageOf(ctx, last) < EVERY_MS[check.isLong] - SLACK_MS;
    if (isFresh) continue;
    const { status } = await examineAndKeep(ctx, check, { ...scope, isRoutine: true });
    tally[status] += 1;
  }
  return tally;
}

const ageOf = (ctx: Ctx, { checkedAt }: CheckResult): number => Date.parse(ctx.now()) - Date.parse(checkedAt);

/** Every check with what it found just now; of those that take long, what they found last. */
export async function linesOf(scope: CheckScope, found: readonly Examined[] = []): Promise<readonly Line[]> {
  const { opened } = scope;
  const kept: ReadonlyMap<string, CheckResult> = opened?.current ? await keptResults(opened.ctx) : new Map();
  const known = (check: Check) => found.find(({ id }) => id === check.id);
  // Begun first: they wait for others.
  const asked = new Map(
    checks
      .filter((check) => check.asksOthers && !known(check))
      .map((check) => [check.id, patiently(check, scope)]),
  );
  const lines: Line[] = [];
  for (const check of checks) {
    const isForLaunch = isOfCategory(check, LAUNCH);
    const last = kept.get(check.id);
    const now = known(check) ?? (await asked.get(check.id));
    if (now) lines.push({ ...now, isForLaunch, ago: null });
    else if (check.isLong === undefined)
      lines.push({ ...(await examine(check, scope)), isForLaunch, ago: null });
    else if (last && opened)
      lines.push({ ...keptLine(check, last), isForLaunch, ago: relativeTime(-ageOf(opened.ctx, last)) });
    else lines.push({ ...waiting(check), isForLaunch, ago: null });
  }
  return lines;
}

async function patiently(check: Check, scope: CheckScope): Promise<Examined> {
  const startedMs = systemClock.monotonicMs();
  const late = sleep(PATIENCE_MS).then(() =>
    examined(
      check,
      warn(`no answer within ${PATIENCE_MS / 1000} seconds`, `appctl doctor ${check.id}`),
      Math.round(systemClock.monotonicMs() - startedMs),
    ),
  );
  return Promise.race([examine(check, scope), late]);
}

const keptLine = (check: Check, { status, message, hint, isTrouble, ms }: CheckResult): Examined =>
  examined(check, { status, message, ...(hint !== null && { hint }), ...(isTrouble && { isTrouble }) }, ms);

const waiting = (check: Check): Omit<Line, 'isForLaunch' | 'ago'> => ({
  ...examined(check, { status: 'skip', message: unreadWords(check) }, 0),
  status: 'waits',
  fixable: false,
});

const unreadWords = ({ isLong }: Check): string =>
  isLong === 'hourly'
    ? 'Runs every hour'
    : 'Reads whole tables, so that requests may wait meanwhile. Runs once a day while the database is small';

/** What the lines say, by how much it matters. */
export function findingsOf(lines: readonly Line[]): Findings {
  const titles = (wanted: (line: Line) => boolean) => lines.filter(wanted).map(({ title }) => title);
  return {
    failed: titles(({ status }) => status === 'fail'),
    warned: titles(({ status, isAdvice }) => status === 'warn' && !isAdvice),
    advised: titles(({ status, isAdvice }) => status === 'warn' && isAdvice),
  };
}
