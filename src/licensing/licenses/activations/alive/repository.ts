import type { Ctx } from '#kernel/context.ts';
import { readJsonOrNull } from '#kernel/db/columns.ts';
import type { Knex } from '#kernel/db/database.ts';
import { fillSlots, slotsOf } from '#kernel/db/slots.ts';
import { statement } from '#kernel/db/statement.ts';
import type { JsonObject } from '#kernel/http/json-object.ts';
import type { CullStrategy } from '#licensing/contract/enumerations.ts';

/** D75: a lease that has run out is neither kept alive nor culled; lease-expiry ends it. */
const stillLive = (query: Knex.QueryBuilder, now: string): Knex.QueryBuilder =>
  query
    .whereNull('ended_at')
    .andWhere((live) => live.whereNull('lease_expires_at').orWhere('lease_expires_at', '>', now));

/** A clock that is behind must not make a machine look older. CASE, because max() is another thing on Postgres. */
const beat = statement<{ license_id: string; machine_id: string; now: string }>((q, p) =>
  stillLive(q('license_activations').where(p.row('license_id', 'machine_id')), p('now')).update({
    last_seen_at: q.raw('CASE WHEN last_seen_at > ? THEN last_seen_at ELSE ? END', [p('now'), p('now')]),
    lapse_notified_at: null,
  }),
);

/** Notes a sign of life; false when the machine holds no live activation (C14). */
export const see = async (ctx: Ctx, licenseId: string, machineId: string): Promise<boolean> =>
  (await beat.run(ctx.db, { license_id: licenseId, machine_id: machineId, now: ctx.now() })) === 1;

const seenRows = statement<{ license_id: string; now: string }>((q, p) =>
  q('license_activations')
    .where('license_id', p('license_id'))
    .whereNull('ended_at')
    .update({ last_seen_at: p('now') }),
);

/** Counts all machines of a license as just seen: the next cull must not fire at once (D40). */
export const seeAll = (ctx: Ctx, licenseId: string): Promise<number> =>
  seenRows.run(ctx.db, { license_id: licenseId, now: ctx.now() });

/** Activations that one statement ends or marks. */
export const MOST_CLAIMED = 64;
const slots = slotsOf('id', MOST_CLAIMED);

/** A machine that missed its heartbeat, as the event names it. */
export interface MissedMachine {
  machineId: string;
  machineName: string | null;
  lastSeenAt: string;
  /** What a checkout attached. */
  metadata: JsonObject | null;
}

interface Claim {
  [slot: string]: string | null;
  cutoff: string;
  now: string;
}
interface MissedRow {
  license_id: string;
  machine_id: string;
  machine_name: string | null;
  last_seen_at: string;
  metadata: string | null;
}
const missedColumns = ['license_id', 'machine_id', 'machine_name', 'last_seen_at', 'metadata'];

const stale = (q: Knex, p: (name: string) => string) =>
  stillLive(
    q('license_activations')
      .whereIn(
        'id',
        slots.map((slot) => p(slot)),
      )
      .where('last_seen_at', '<', p('cutoff')),
    p('now'),
  );

const endStale = statement<Claim, MissedRow>((q, p) =>
  stale(q, p)
    .update({ ended_at: p('now'), end_reason: 'HEARTBEAT' })
    .returning(missedColumns),
);

/**
 * Once per lapse (D66). A heartbeat clears the notice; a checkout and a reinstatement are signs of life as well (D65,
 * D40) and leave it: one that is older than the last of them is of a lapse that has ended.
 */
const noteLapse = statement<Claim, MissedRow>((q, p) =>
  stale(q, p)
    .andWhere((untold) =>
      untold.whereNull('lapse_notified_at').orWhereRaw('lapse_notified_at <= last_seen_at'),
    )
    .update({ lapse_notified_at: p('now') })
    .returning(missedColumns),
);

/** What each strategy that acts on machines does to them. */
const claims = { DEACTIVATE_DEAD: endStale, NO_ACTION: noteLapse } as const;

/**
 * Ends or marks activations as their strategy says, under the locks of their licenses. Those that are not stale (any
 * more) are left out: the later of heartbeat and cull wins (C14; licensing 5.4).
 *
 * @param ids of activations, at most MOST_CLAIMED
 * @param cutoff ISO time; stale is what was last seen before it
 * @returns machines by license
 */
export async function claimStale(
  ctx: Ctx,
  strategy: Exclude<CullStrategy, 'SUSPEND_LICENSE'>,
  ids: readonly string[],
  cutoff: string,
): Promise<Map<string, MissedMachine[]>> {
  const rows = await claims[strategy].all(ctx.db, { ...fillSlots(slots, ids), cutoff, now: ctx.now() });
  const byLicense = new Map<string, MissedMachine[]>();
  for (const row of rows.sort(longestUnseenFirst)) {
    const missed = byLicense.get(row.license_id);
    if (missed) missed.push(toMissed(row));
    else byLicense.set(row.license_id, [toMissed(row)]);
  }
  return byLicense;
}

const longestUnseenFirst = (a: MissedRow, b: MissedRow): number =>
  a.last_seen_at < b.last_seen_at ? -1 : Number(a.last_seen_at > b.last_seen_at);

const staleOfLicense = statement<{ license_id: string; cutoff: string; now: string }, MissedRow>((q, p) =>
  stillLive(q('license_activations').where('license_id', p('license_id')), p('now'))
    .where('last_seen_at', '<', p('cutoff'))
    .orderBy('last_seen_at')
    .orderBy('id')
    .forUpdate()
    .select(...missedColumns),
);

/**
 * All stale machines of a license whose lock is held, longest unseen first. They are held until the commit: a
 * heartbeat that comes now waits, and finds its license suspended only afterwards.
 *
 * @param cutoff as of `claimStale`
 */
export const holdStale = async (ctx: Ctx, licenseId: string, cutoff: string): Promise<MissedMachine[]> =>
  (await staleOfLicense.all(ctx.db, { license_id: licenseId, cutoff, now: ctx.now() })).map(toMissed);

const toMissed = (row: MissedRow): MissedMachine => ({
  machineId: row.machine_id,
  machineName: row.machine_name,
  lastSeenAt: row.last_seen_at,
  metadata: readJsonOrNull<JsonObject>(row.metadata),
});
