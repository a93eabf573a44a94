import { addSeconds, SECONDS_PER_DAY } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import type { Knex } from '#kernel/db/database.ts';
import type { ValuesOf } from '#kernel/db/record.ts';
import { statement } from '#kernel/db/statement.ts';
import type { ObservationKind, observationRecord } from './record.ts';

/** Characters of a keyed digest, of 43: 132 bits tell all machines apart, and each is stored in a table and its index. */
export const DIGEST_LENGTH = 22;

/** How often something was seen of a license on a day. */
export type Observation = ValuesOf<typeof observationRecord>;

/** Value of CHURN: deactivations that no activation has followed yet. */
export const WAITING = 'WAITING';

/** Value of CHURN: pairs that were completed in the minute of `at`. */
export const pairValue = (at: string): string => `PAIR.${at.slice(11, 16)}`;

/** The decision of an exhausted activate and of an exhausted checkout. */
export const EXHAUSTED = 'SEATS_EXHAUSTED';

/** Value of MACHINE_DENIED: a machine that was refused with a code. */
export const deniedValue = (code: string, machineDigest: string): string => `${code}.${machineDigest}`;

/** The code of a value of MACHINE_DENIED. */
export const codeOfDenied = (value: string): string => value.slice(0, value.indexOf('.'));

/** Which of these licenses exist, trashed ones too; they stay until the transaction ends. */
export async function lockLiving(ctx: Ctx, ids: readonly string[]): Promise<Set<string>> {
  const rows = await ctx.db
    .knex('licenses')
    .whereIn('id', [...ids])
    .orderBy('id')
    .forKeyShare()
    .select('id');
  return new Set(rows.map((row) => row.id));
}

/** Processes flush in any order: the earlier and the later of two times. */
const earlier = (q: Knex, table: string) =>
  q.raw('CASE WHEN excluded.first_at < ?? THEN excluded.first_at ELSE ?? END', [
    `${table}.first_at`,
    `${table}.first_at`,
  ]);
const later = (q: Knex, table: string, column: string) =>
  q.raw('CASE WHEN ?? IS NULL OR excluded.?? > ?? THEN excluded.?? ELSE ?? END', [
    `${table}.${column}`,
    column,
    `${table}.${column}`,
    column,
    `${table}.${column}`,
  ]);
const sum = (q: Knex, table: string, column: string) =>
  q.raw('?? + excluded.??', [`${table}.${column}`, column]);

interface ObservationRow {
  license_id: string;
  day: string;
  kind: ObservationKind;
  value: string;
  count: number;
  first_at: string;
  last_at: string;
  noted_at: string;
}

const OBSERVATIONS = 'license_observations';

const upsertObservation = statement<ObservationRow>((q, p) =>
  q(OBSERVATIONS)
    .insert(p.row('license_id', 'day', 'kind', 'value', 'count', 'first_at', 'last_at', 'noted_at'))
    .onConflict(['license_id', 'day', 'kind', 'value'])
    .merge({
      count: sum(q, OBSERVATIONS, 'count'),
      first_at: earlier(q, OBSERVATIONS),
      last_at: later(q, OBSERVATIONS, 'last_at'),
      noted_at: later(q, OBSERVATIONS, 'noted_at'),
    }),
);

/** Minutes are fine enough to find what was written since a time. */
const notedAt = (now: string): string => now.slice(0, 16);

export async function addObservation(ctx: Ctx, one: Observation): Promise<void> {
  await upsertObservation.run(ctx.db, {
    license_id: one.licenseId,
    day: one.day,
    kind: one.kind,
    value: one.value,
    count: one.count,
    first_at: one.firstAt,
    last_at: one.lastAt,
    noted_at: notedAt(ctx.now()),
  });
}

interface StatsRow {
  license_id: string;
  day: string;
  validations: number;
  denials: number;
  heartbeats: number;
  last_validated_at: string | null;
}

const STATS = 'license_stats';

const upsertStats = statement<StatsRow>((q, p) =>
  q(STATS)
    .insert(p.row('license_id', 'day', 'validations', 'denials', 'heartbeats', 'last_validated_at'))
    .onConflict(['license_id', 'day'])
    .merge({
      validations: sum(q, STATS, 'validations'),
      denials: sum(q, STATS, 'denials'),
      heartbeats: sum(q, STATS, 'heartbeats'),
      last_validated_at: later(q, STATS, 'last_validated_at'),
    }),
);

const forgetStats = statement<{ license_id: string; before: string }>((q, p) =>
  q(STATS).where('license_id', p('license_id')).where('day', '<', p('before')).delete(),
);

/** Days of which the counters of a license are kept. */
const STATS_DAYS = 31;

/**
 * Adds to the counters of a license and day, and removes those that are too old: what lies beside them on disk is found
 * without an index by day, which would be as large as the table. A license that is used no more keeps its last days.
 */
export async function addStats(
  ctx: Ctx,
  one: {
    licenseId: string;
    day: string;
    validations: number;
    denials: number;
    heartbeats: number;
    lastValidatedAt: string | null;
  },
): Promise<void> {
  const { licenseId, day, validations, denials, heartbeats, lastValidatedAt } = one;
  if (validations + denials + heartbeats === 0) return;
  const row = { license_id: licenseId, day, validations, denials, heartbeats };
  const before = addSeconds(`${day}T00:00:00.000Z`, -STATS_DAYS * SECONDS_PER_DAY).slice(0, 10);
  await Promise.all([
    upsertStats.run(ctx.db, { ...row, last_validated_at: lastValidatedAt }),
    forgetStats.run(ctx.db, { license_id: licenseId, before }),
  ]);
}

interface DenialRow {
  license_id: string;
  day: string;
  code: string;
  count: number;
  first_at: string;
  last_at: string;
}

const DENIALS = 'license_denials';

const upsertDenials = statement<DenialRow>((q, p) =>
  q(DENIALS)
    .insert({ ...p.row('license_id', 'day', 'code', 'count', 'first_at', 'last_at'), machines: q.raw('0') })
    .onConflict(['license_id', 'day', 'code'])
    .merge({
      count: sum(q, DENIALS, 'count'),
      first_at: earlier(q, DENIALS),
      last_at: later(q, DENIALS, 'last_at'),
    }),
);

/** Adds refusals of a license, day and code (6.10). */
export async function addDenials(
  ctx: Ctx,
  one: { licenseId: string; day: string; code: string; count: number; firstAt: string; lastAt: string },
): Promise<void> {
  const { licenseId, day, code, count, firstAt, lastAt } = one;
  const row = { license_id: licenseId, day, code, count, first_at: firstAt, last_at: lastAt };
  await upsertDenials.run(ctx.db, row);
}

const countMachines = statement<{
  license_id: string;
  day: string;
  code: string;
  prefix: string;
  length: number;
}>((q, p) =>
  q(DENIALS)
    .where(p.row('license_id', 'day', 'code'))
    .update({
      machines: q(OBSERVATIONS)
        .where(p.row('license_id', 'day'))
        .where('kind', 'MACHINE_DENIED')
        .whereRaw('substr(value, 1, CAST(? AS integer)) = ?', [p('length'), p('prefix')])
        .count('*') as never,
    }),
);

/** Counts the distinct machines that were refused with a code on a day. */
export async function countDenied(ctx: Ctx, licenseId: string, day: string, code: string): Promise<void> {
  const prefix = deniedValue(code, '');
  const row = { license_id: licenseId, day, code };
  await countMachines.run(ctx.db, { ...row, prefix, length: prefix.length });
}

const waitingRows = statement<{ license_id: string; before: string }, { day: string; count: number }>(
  (q, p) =>
    q(OBSERVATIONS)
      .where('license_id', p('license_id'))
      .where({ kind: 'CHURN', value: WAITING })
      .where('count', '>', 0)
      .where('first_at', '<=', p('before'))
      .orderBy('day')
      .select('day', 'count'),
);

const takeFrom = statement<{ license_id: string; day: string; taken: number }>((q, p) =>
  q(OBSERVATIONS)
    .where(p.row('license_id', 'day'))
    .where({ kind: 'CHURN', value: WAITING })
    .where('count', '>=', p('taken'))
    .update({ count: q.raw('count - CAST(? AS integer)', [p('taken')]) as never }),
);

/**
 * Pairs up to `wanted` activations with deactivations that wait, the oldest first; how many were found.
 *
 * @param before ISO 8601 UTC of the last of these activations, which follows no later deactivation
 */
export async function takeWaiting(
  ctx: Ctx,
  licenseId: string,
  wanted: number,
  before: string,
): Promise<number> {
  let found = 0;
  for (const { day, count } of await waitingRows.all(ctx.db, { license_id: licenseId, before })) {
    const taken = Math.min(count, wanted - found);
    if (taken <= 0) break;
    // Another process may have paired them meanwhile.
    if ((await takeFrom.run(ctx.db, { license_id: licenseId, day, taken })) === 1) found += taken;
  }
  return found;
}
