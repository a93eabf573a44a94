import type { Ctx } from '#kernel/context.ts';
import { memoryKey } from '#kernel/process-memory.ts';
import * as repo from './repository.ts';

/** Versions that a release is counted from by name on a day; clients name what they like (D91). */
const MOST_VERSIONS = 200;
/** Counters that may wait: a few megabytes. */
const MOST_WAITING = 20_000;
/** Of one transaction: other writers wait for it on SQLite (C16). */
const COUNTERS_PER_TRANSACTION = 200;

/** What is counted of a release: asked for, offered, sent. */
export type Count = 'checks' | 'offers' | 'downloads';

interface Pending {
  /** By release, day and version. */
  counters: Map<string, repo.Counted>;
  /** What found no room since the last flush. */
  dropped: number;
  /** The flush under way; the next one begins after it. */
  flushing: Promise<unknown>;
}

const pendingCounts = memoryKey<Pending>('release-counts', () => ({
  counters: new Map(),
  dropped: 0,
  flushing: Promise.resolve(),
}));

/**
 * Counts in memory; `flushCounts` writes (C13). A check counts for the release that would be offered if every rollout
 * were complete, so that offers in proportion to checks tell how far a rollout has come.
 *
 * @param fromVersion empty when nobody said it
 */
export function count(ctx: Ctx, releaseId: string, fromVersion: string, what: Count): void {
  const pending = ctx.memory.of(pendingCounts);
  const counted = { releaseId, day: ctx.now().slice(0, 10), fromVersion };
  merge(pending, { ...counted, checks: 0, offers: 0, downloads: 0, [what]: 1 });
}

function merge(pending: Pending, one: repo.Counted): void {
  const { counters } = pending;
  if (counters.size < MOST_WAITING || counters.has(nameOf(one))) addTo(counters, one);
  else pending.dropped += 1;
}

function addTo(counters: Map<string, repo.Counted>, one: repo.Counted): void {
  const known = counters.get(nameOf(one));
  if (!known) {
    counters.set(nameOf(one), { ...one });
    return;
  }
  known.checks += one.checks;
  known.offers += one.offers;
  known.downloads += one.downloads;
}

/**
 * Writes what this process counted since its last flush into license_release_stats. What cannot be written waits for
 * the next one; what belongs to a release that was deleted meanwhile is forgotten.
 *
 * @returns how many counters were written
 * @throws what the database throws
 */
export function flushCounts(ctx: Ctx): Promise<number> {
  const pending = ctx.memory.of(pendingCounts);
  const flush = pending.flushing.then(() => writeAll(ctx, pending));
  pending.flushing = flush.catch(() => undefined);
  return flush;
}

async function writeAll(ctx: Ctx, pending: Pending): Promise<number> {
  const { dropped } = pending;
  const waiting = [...pending.counters.values()].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  pending.counters = new Map();
  pending.dropped = 0;
  if (dropped > 0) ctx.log.warn({ dropped }, 'counts of releases were dropped: more came than are kept');
  for (let done = 0; done < waiting.length; done += COUNTERS_PER_TRANSACTION) {
    const some = waiting.slice(done, done + COUNTERS_PER_TRANSACTION);
    try {
      await ctx.tx((ctx) => writeSome(ctx, some));
    } catch (error) {
      for (const one of waiting.slice(done)) merge(pending, one);
      throw error;
    }
  }
  return waiting.length;
}

/** Rows are locked in one order everywhere, so that two processes never wait for each other (C9). */
const nameOf = ({ releaseId, day, fromVersion }: repo.Counted): string =>
  `${releaseId} ${day} ${fromVersion}`;

async function writeSome(ctx: Ctx, some: readonly repo.Counted[]): Promise<void> {
  const living = await repo.lockLiving(ctx, [...new Set(some.map(({ releaseId }) => releaseId))]);
  const known = new Map<string, Set<string>>();
  const rows = new Map<string, repo.Counted>();
  for (const one of some) {
    const { releaseId, day, fromVersion } = one;
    if (!living.has(releaseId)) continue;
    const about = `${releaseId} ${day}`;
    const versions = known.get(about) ?? (await repo.listVersions(ctx, releaseId, day));
    known.set(about, versions);
    // Beyond the bound a version is one of many.
    const isNamed = fromVersion === '' || versions.has(fromVersion) || versions.size < MOST_VERSIONS;
    if (isNamed) versions.add(fromVersion);
    addTo(rows, isNamed ? one : { ...one, fromVersion: '' });
  }
  const ordered = [...rows.values()].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  for (const one of ordered) await repo.add(ctx, one);
}
