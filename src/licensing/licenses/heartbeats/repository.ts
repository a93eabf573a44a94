import type { Ctx } from '#kernel/context.ts';
import type { Knex } from '#kernel/db/database.ts';
import { fillSlots, slotsOf } from '#kernel/db/slots.ts';
import { statement } from '#kernel/db/statement.ts';
import type { CullStrategy, LicenseStatus } from '#licensing/contract/enumerations.ts';
import { MOST_CLAIMED } from '../activations/index.ts';

/** D75: a lease that has run out is neither kept alive nor culled; lease-expiry ends it. */
const stillLive = (query: Knex.QueryBuilder, now: string): Knex.QueryBuilder =>
  query
    .whereNull('ended_at')
    .andWhere((live) => live.whereNull('lease_expires_at').orWhere('lease_expires_at', '>', now));

/** A policy with heartbeats. */
export interface WatchingPolicy {
  id: string;
  /** Minutes. */
  heartbeatInterval: number;
  strategy: CullStrategy;
}

const watching = statement<
  object,
  { id: string; heartbeat_interval: number; heartbeat_cull_strategy: CullStrategy }
>((q) =>
  q('license_policies')
    .whereNotNull('heartbeat_interval')
    .select('id', 'heartbeat_interval', 'heartbeat_cull_strategy'),
);

/** The policies of all tenants that ask for heartbeats. */
export async function listWatchingPolicies(ctx: Ctx): Promise<WatchingPolicy[]> {
  const rows = await watching.all(ctx.db, {});
  return rows.map((row) => ({
    id: row.id,
    heartbeatInterval: row.heartbeat_interval,
    strategy: row.heartbeat_cull_strategy,
  }));
}

/** A place in the order in which the cull walks: last seen, then id. */
export interface Place {
  lastSeenAt: string;
  id: string;
}

/** A live activation that was not seen for long, with what the cull must know to leave it out. */
export interface Unseen extends Place {
  licenseId: string;
  tenantId: string;
  /** Whether this lapse was told already. */
  isNotified: boolean;
  /** Effective policy (D64) of an ACTIVE license; null when it has none, is not ACTIVE (D34) or is in the trash. */
  policyId: string | null;
}

export const WINDOW = 500;

/** A sub-select per row instead of joins: Postgres might hash all licenses for a window of a few hundred rows. */
const policyOfActive =
  '(SELECT coalesce(l.policy_id, p.policy_id) FROM licenses l JOIN license_products p ON p.id = l.product_id' +
  " WHERE l.id = license_activations.license_id AND l.status = 'ACTIVE' AND l.deleted_at IS NULL" +
  ' AND (l.valid_until IS NULL OR l.valid_until > ?)) AS policy_id';

const unseenWindow = statement<
  { before: string; seen: string; id: string; now: string },
  {
    id: string;
    license_id: string;
    tenant_id: string;
    last_seen_at: string;
    lapse_notified_at: string | null;
    policy_id: string | null;
  }
>((q, p) =>
  stillLive(q('license_activations'), p('now'))
    .where('last_seen_at', '<', p('before'))
    .whereRaw('(last_seen_at, id) > (?, ?)', [p('seen'), p('id')])
    .orderBy('last_seen_at')
    .orderBy('id')
    .limit(WINDOW)
    .select('id', 'license_id', 'tenant_id', 'last_seen_at', 'lapse_notified_at')
    .select(q.raw(policyOfActive, [p('now')])),
);

/**
 * The next live activations that were last seen before a time, longest unseen first; at most WINDOW.
 * Read along the index `license_activations_seen`, so that a window costs the same wherever it lies.
 *
 * @param after where the window before ended; null for the first
 */
export async function listUnseen(ctx: Ctx, before: string, after: Place | null): Promise<Unseen[]> {
  const from = after ?? { lastSeenAt: '', id: '' };
  const params = { before, seen: from.lastSeenAt, id: from.id, now: ctx.now() };
  const rows = await unseenWindow.all(ctx.db, params);
  return rows.map((row) => ({
    id: row.id,
    licenseId: row.license_id,
    tenantId: row.tenant_id,
    lastSeenAt: row.last_seen_at,
    isNotified: row.lapse_notified_at !== null && row.lapse_notified_at > row.last_seen_at,
    policyId: row.policy_id,
  }));
}

const slots = slotsOf('id', MOST_CLAIMED);

const lockRows = statement<Record<string, string | null>>((q, p) =>
  q('licenses')
    .whereIn(
      'id',
      slots.map((slot) => p(slot)),
    )
    .orderBy('id')
    .forUpdate()
    .select('id'),
);

/** A license whose lock is held, with what the cull decides by and what its events say. */
export interface Watched {
  id: string;
  status: LicenseStatus;
  validUntil: string | null;
  customerId: string | null;
  customerEmail: string | null;
  keyPrefix: string;
  productName: string;
  productSlug: string;
  /** Effective policy (D64); null for none. */
  policyId: string | null;
}

const watchedRows = statement<Record<string, string | null>, Watched>((q, p) =>
  q('licenses as l')
    .join('license_products as p', 'p.id', 'l.product_id')
    .join('license_keys as k', (on) => {
      on.on('k.license_id', 'l.id').andOn('k.kind', q.raw("'CURRENT'"));
    })
    .leftJoin('license_customers as c', 'c.id', 'l.customer_id')
    .whereIn(
      'l.id',
      slots.map((slot) => p(slot)),
    )
    .whereNull('l.deleted_at')
    .orderBy('l.id')
    .select('l.id', 'l.status', 'l.valid_until as validUntil', 'l.customer_id as customerId')
    .select('c.email as customerEmail', 'k.prefix as keyPrefix')
    .select('p.name as productName', 'p.slug as productSlug')
    .select(q.raw('coalesce(l.policy_id, p.policy_id) as "policyId"')),
);

/**
 * Locks licenses in the order of their ids (C1, C9) and reads them. Both are sent together: on Postgres the second
 * statement runs when the locks are held, with a snapshot of its own.
 *
 * @param ids at most MOST_CLAIMED of them
 * @returns those outside the trash
 */
export async function lockWatched(ctx: Ctx, ids: readonly string[]): Promise<Watched[]> {
  const values = fillSlots(slots, ids);
  const [, rows] = await Promise.all([lockRows.lock(ctx.db, values), watchedRows.all(ctx.db, values)]);
  return rows;
}
