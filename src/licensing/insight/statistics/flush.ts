import { setImmediate as nextTurn } from 'node:timers/promises';
import { sleep, systemClock } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { type Churn, type Daybook, daybookOf, forget } from './daybook.ts';
import { putBack, type Taken, takeAll, takeDue } from './due.ts';
import { type Plan, planOf } from './plan.ts';
import * as repo from './repository.ts';

/** Licenses of one transaction: other writers wait for it on SQLite (C16), and activations of them on Postgres. */
const LICENSES_PER_TRANSACTION = 25;
/** Where all is written there are few requests or none, and an end that must not take long. */
const LICENSES_AT_THE_END = 100;
/** Between the transactions of a server: requests go on, and SQLite copies the little that was written (lane.ts). */
const PAUSE_MS = 6;

/** An end that takes longer would be cut by who runs the server; what is left is no more than counts. */
const LONGEST_MS = 10_000;

/** Counts of one flush. */
export type Flushed = { licenses: number; dropped: number };

/**
 * Writes all that this process counted and did not write: license_stats, license_denials, license_observations. What
 * cannot be written waits for the next flush; what belongs to a license that was purged meanwhile is forgotten.
 *
 * @param longestMs after which what is left waits for the next flush, and is reported in the log
 * @returns `licenses` that were written and observations that were `dropped` because there was no room for them
 * @throws what the database throws
 */
export const flushStatistics = (ctx: Ctx, longestMs = LONGEST_MS): Promise<Flushed> =>
  inTurn(ctx, (book) =>
    writeAll(ctx, book, takeAll(book, ctx.now()), {
      whole: true,
      licenses: LICENSES_AT_THE_END,
      longestMs,
      pause: nextTurn,
    }),
  );

/**
 * Writes a part of it, as a server does every few seconds: what may break a rule at once, the first sight of a license
 * in its turn, how often it was seen when its day is over (decision 0034).
 *
 * @returns as `flushStatistics`
 * @throws what the database throws
 */
export const flushDue = (ctx: Ctx): Promise<Flushed> =>
  inTurn(ctx, (book) =>
    writeAll(ctx, book, takeDue(book, ctx.now()), {
      whole: false,
      licenses: LICENSES_PER_TRANSACTION,
      longestMs: LONGEST_MS,
      pause: () => sleep(PAUSE_MS),
    }),
  );

/** One after the other: two flushes of one process would write the same news twice. */
function inTurn(ctx: Ctx, write: (book: Daybook) => Promise<number>): Promise<Flushed> {
  const book = ctx.memory.of(daybookOf);
  const flush = book.flushing.then(async () => {
    const { dropped } = book;
    book.dropped = 0;
    if (dropped > 0) ctx.log.warn({ dropped }, 'observations were dropped: more came than are kept');
    return { licenses: await write(book), dropped };
  });
  book.flushing = flush.catch(() => undefined);
  return flush;
}

interface Manner {
  whole: boolean;
  /** Of one transaction. */
  licenses: number;
  longestMs: number;
  pause: () => Promise<unknown>;
}

async function writeAll(
  ctx: Ctx,
  book: Daybook,
  taken: readonly Taken[],
  { whole, licenses, longestMs, pause }: Manner,
): Promise<number> {
  const deadline = systemClock.monotonicMs() + longestMs;
  // Rows are locked in the order of their ids, as everywhere (C9).
  const sorted = [...taken].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  let written = 0;
  for (let done = 0; done < sorted.length; done += licenses) {
    try {
      const some = sorted.slice(done, done + licenses);
      written += await writeSome(ctx, book, some, whole);
      // SQLite answers without ever waiting: a long flush would hold up every request.
      if (done + licenses < sorted.length) await pause();
      if (systemClock.monotonicMs() >= deadline)
        return written + leave(ctx, book, sorted.slice(done + licenses));
    } catch (error) {
      putBack(book, sorted.slice(done));
      throw error;
    }
  }
  return written;
}

/** For the next flush; there is none where the server ends. */
function leave(ctx: Ctx, book: Daybook, taken: readonly Taken[]): 0 {
  putBack(book, taken);
  if (taken.length > 0)
    ctx.log.warn({ licenses: taken.length }, 'statistics were not written: the flush took too long');
  return 0;
}

const nameOf = ({ day }: Taken): string => `${day.licenseId} ${day.day}`;

/** A transaction may be repeated, so memory learns of it afterwards. */
async function writeSome(ctx: Ctx, book: Daybook, taken: readonly Taken[], whole: boolean): Promise<number> {
  const plans = taken
    .map(({ day, isOver }) => planOf(ctx, day, whole || isOver))
    .filter((plan) => plan !== null);
  if (plans.length > 0) await ctx.tx((ctx) => writePlans(ctx, plans));
  for (const plan of plans) plan.done();
  for (const { day, isOver } of taken) if (isOver) forget(book, day);
  return plans.length;
}

async function writePlans(ctx: Ctx, plans: readonly Plan[]): Promise<void> {
  const living = await repo.lockLiving(ctx, [...new Set(plans.map(({ licenseId }) => licenseId))]);
  for (const plan of plans) if (living.has(plan.licenseId)) await write(ctx, plan);
}

/**
 * Sent together: on Postgres the statements of one license share a trip.
 */
async function write(ctx: Ctx, { licenseId, day, stats, observations, denials, churn }: Plan): Promise<void> {
  await Promise.all([
    stats ? repo.addStats(ctx, { licenseId, day, ...stats }) : null,
    ...observations.map((one) => repo.addObservation(ctx, { licenseId, day, ...one })),
    ...denials.map((one) => repo.addDenials(ctx, { licenseId, day, ...one })),
  ]);
  // Machines of a day are distinct over all processes, so they are counted where all of them are.
  const codes = new Set([
    ...denials.map(({ code }) => code),
    ...observations
      .filter(({ kind }) => kind === 'MACHINE_DENIED')
      .map(({ value }) => repo.codeOfDenied(value)),
  ]);
  await Promise.all([...codes].map((code) => repo.countDenied(ctx, licenseId, day, code)));
  if (churn) await writeChurn(ctx, { licenseId, day }, churn);
}

/** An activation may follow a deactivation of an earlier flush, or one that another process answered. */
async function writeChurn(
  ctx: Ctx,
  { licenseId, day }: Pick<Plan, 'licenseId' | 'day'>,
  { unpaired, pairs, waiting, at }: Churn,
): Promise<void> {
  const earlier = unpaired === 0 ? 0 : await repo.takeWaiting(ctx, licenseId, unpaired, at);
  const row = { licenseId, day, kind: 'CHURN', firstAt: at, lastAt: at } as const;
  if (pairs + earlier > 0)
    await repo.addObservation(ctx, { ...row, value: repo.pairValue(at), count: pairs + earlier });
  if (waiting > 0) await repo.addObservation(ctx, { ...row, value: repo.WAITING, count: waiting });
}
