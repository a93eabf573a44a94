import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Ctx } from '#kernel/context.ts';
import { clientNetwork } from '#kernel/http/client-address.ts';
import * as repo from './repository.ts';
import {
  type Churn,
  type Pending,
  pendingTallies,
  putBack,
  type Seen,
  type Tally,
  takeAll,
} from './tally.ts';

/** Licenses of one transaction: other writers wait for it on SQLite (C16), and activations of them on Postgres. */
const LICENSES_PER_TRANSACTION = 25;

/**
 * Writes what this process counted since its last flush: license_stats, license_denials, license_observations. What
 * cannot be written waits for the next flush; what belongs to a license that was purged meanwhile is forgotten.
 *
 * @returns `licenses` that were written and observations that were `dropped` because too many waited
 * @throws what the database throws
 */
export function flushStatistics(ctx: Ctx): Promise<Flushed> {
  const pending = ctx.memory.of(pendingTallies);
  const flush = pending.flushing.then(() => writeAll(ctx, pending));
  pending.flushing = flush.catch(() => undefined);
  return flush;
}

/** Counts of one flush. */
export type Flushed = { licenses: number; dropped: number };

async function writeAll(ctx: Ctx, pending: Pending): Promise<Flushed> {
  const { tallies, dropped } = takeAll(pending);
  if (dropped > 0) ctx.log.warn({ dropped }, 'observations were dropped: more came than are kept');
  // Rows are locked in the order of their ids, as everywhere (C9).
  tallies.sort(byName(({ licenseId, hour }) => `${licenseId} ${hour}`));
  for (let done = 0; done < tallies.length; done += LICENSES_PER_TRANSACTION) {
    const some = tallies.slice(done, done + LICENSES_PER_TRANSACTION);
    try {
      await ctx.tx((ctx) => writeSome(ctx, some));
      // SQLite answers without ever waiting: a long flush would hold up every request.
      await nextTurn();
    } catch (error) {
      putBack(pending, tallies.slice(done));
      throw error;
    }
  }
  return { licenses: tallies.length, dropped };
}

async function writeSome(ctx: Ctx, tallies: readonly Tally[]): Promise<void> {
  const living = await repo.lockLiving(ctx, [...new Set(tallies.map(({ licenseId }) => licenseId))]);
  for (const tally of tallies) if (living.has(tally.licenseId)) await write(ctx, tally);
}

/**
 * Sent together: on Postgres the statements of one license share a trip. Two processes may write the same rows at once,
 * and would wait in a circle if each went by the order in which it has seen things.
 */
async function write(ctx: Ctx, tally: Tally): Promise<void> {
  const { licenseId, hour } = tally;
  const day = hour.slice(0, 10);
  const observations = observationsOf(ctx, tally).sort(byName(({ kind, value }) => `${kind} ${value}`));
  await Promise.all([
    repo.addStats(ctx, { ...tally, day }),
    ...observations.map((one) => repo.addObservation(ctx, { licenseId, hour, ...one })),
    ...[...tally.denied].map(([code, denials]) => repo.addDenials(ctx, { licenseId, day, code, ...denials })),
  ]);
  // Machines of a day are distinct over all hours and processes, so they are counted where all of them are.
  await Promise.all([...tally.denied.keys()].map((code) => repo.countDenied(ctx, licenseId, day, code)));
  if (tally.churn) await writeChurn(ctx, tally, tally.churn);
}

const byName =
  <T>(nameOf: (one: T) => string) =>
  (a: T, b: T): number =>
    nameOf(a) < nameOf(b) ? -1 : 1;

type Observation = Pick<repo.Observation, 'kind' | 'value'> & Seen;

function observationsOf(ctx: Ctx, tally: Tally): Observation[] {
  const machine = (id: string): string => ctx.keyring.digest('lookup', `machine:${id}`);
  const network = (ip: string): string => ctx.keyring.digest('lookup', `network:${clientNetwork(ip)}`);
  const listed = (kind: repo.ObservationKind, seen: Map<string, Seen>, digested: (name: string) => string) =>
    [...seen].map(([name, one]): Observation => ({ kind, value: digested(name), ...one }));
  return [
    ...byNetwork(listed('IP_NET', tally.addresses, network)),
    ...listed('MACHINE_TRIED', tally.machines, machine),
    ...[...tally.denied].flatMap(([code, { machines }]) =>
      listed('MACHINE_DENIED', machines, (id) => repo.deniedValue(code, machine(id))),
    ),
    ...listed('LIMIT', tally.exhausted, (minute) => minute),
    ...listed('BEAT_IP', tally.alternations, (name) => `${machine(name.slice(3))}.${name.slice(0, 2)}`),
  ];
}

/** Several addresses of one network are one row, and a statement must not write a row twice at once. */
function byNetwork(observations: readonly Observation[]): Observation[] {
  const rows = new Map<string, Observation>();
  for (const one of observations) {
    const row = rows.get(one.value);
    if (!row) rows.set(one.value, { ...one });
    else {
      row.count += one.count;
      if (one.firstAt < row.firstAt) row.firstAt = one.firstAt;
      if (one.lastAt > row.lastAt) row.lastAt = one.lastAt;
    }
  }
  return [...rows.values()];
}

/** An activation may follow a deactivation of an earlier flush, or one that another process answered. */
async function writeChurn(ctx: Ctx, { licenseId, hour }: Tally, churn: Churn): Promise<void> {
  const earlier = churn.unpaired === 0 ? 0 : await repo.takeWaiting(ctx, licenseId, churn.unpaired);
  const row = { licenseId, hour, kind: 'CHURN', firstAt: churn.at, lastAt: churn.at } as const;
  const pairs = churn.pairs + earlier;
  if (pairs > 0) await repo.addObservation(ctx, { ...row, value: repo.pairValue(churn.at), count: pairs });
  if (churn.waiting > 0)
    await repo.addObservation(ctx, { ...row, value: repo.WAITING, count: churn.waiting });
}
