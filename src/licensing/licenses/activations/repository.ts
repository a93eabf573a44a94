import type { Ctx } from '#kernel/context.ts';
import { readJsonOrNull, writeJsonOrNull } from '#kernel/db/columns.ts';
import { statement } from '#kernel/db/statement.ts';
import type { JsonObject } from '#kernel/http/json-object.ts';
import type { ActivationKind, EndReason } from '#licensing/contract/enumerations.ts';
import type { LicensingEventDetails } from '#licensing/contract/events.ts';

/** An activation as stored; times are ISO 8601 UTC. */
export interface Activation {
  id: string;
  licenseId: string;
  kind: ActivationKind;
  machineId: string;
  machineName: string | null;
  osName: string | null;
  osVersion: string | null;
  appVersion: string | null;
  /** What a checkout attached (D51). */
  metadata: JsonObject | null;
  activatedAt: string;
  lastSeenAt: string;
  leaseExpiresAt: string | null;
}

const columns = [
  'id',
  'tenant_id',
  'license_id',
  'kind',
  'machine_id',
  'machine_name',
  'os_name',
  'os_version',
  'app_version',
  'metadata',
  'activated_at',
  'last_seen_at',
  'lease_expires_at',
  'created_at',
] as const;
type Values = Record<(typeof columns)[number], string | null>;

const insertRow = statement<Values>((q, p) => q('license_activations').insert(p.row(...columns)));

export async function insert(ctx: Ctx, tenantId: string, one: Activation): Promise<void> {
  await insertRow.run(ctx.db, {
    id: one.id,
    tenant_id: tenantId,
    license_id: one.licenseId,
    kind: one.kind,
    machine_id: one.machineId,
    machine_name: one.machineName,
    os_name: one.osName,
    os_version: one.osVersion,
    app_version: one.appVersion,
    metadata: writeJsonOrNull(one.metadata),
    activated_at: one.activatedAt,
    last_seen_at: one.lastSeenAt,
    lease_expires_at: one.leaseExpiresAt,
    created_at: one.activatedAt,
  });
}

const endRow = statement<{ id: string; now: string; reason: EndReason }>((q, p) =>
  q('license_activations')
    .where('id', p('id'))
    .whereNull('ended_at')
    .update({ ended_at: p('now'), end_reason: p('reason') }),
);

/** Ends one activation; false when it had ended already (C6). */
export const end = async (ctx: Ctx, id: string, reason: EndReason): Promise<boolean> =>
  (await endRow.run(ctx.db, { id, now: ctx.now(), reason })) === 1;

const endExpired = statement<
  { license_id: string; now: string },
  { id: string; machine_id: string; lease_expires_at: string; metadata: string | null }
>((q, p) =>
  q('license_activations')
    .where('license_id', p('license_id'))
    .where('kind', 'LEASE')
    .whereNull('ended_at')
    .where('lease_expires_at', '<=', p('now'))
    .update({ ended_at: p('now'), end_reason: 'LEASE_EXPIRED' })
    .returning(['id', 'machine_id', 'lease_expires_at', 'metadata']),
);

/** Ends leases that have run out, under the license's lock (licensing 5.2). */
export async function endExpiredLeases(
  ctx: Ctx,
  licenseId: string,
  now: string,
): Promise<LicensingEventDetails['LEASE_EXPIRED'][]> {
  const rows = await endExpired.all(ctx.db, { license_id: licenseId, now });
  return rows.map((row) => ({
    activationId: row.id,
    machineId: row.machine_id,
    leaseExpiresAt: row.lease_expires_at,
    metadata: readJsonOrNull<JsonObject>(row.metadata),
  }));
}

const endAllRows = statement<
  { license_id: string; now: string; reason: EndReason },
  {
    id: string;
    machine_id: string;
    machine_name: string | null;
    activated_at: string;
    lease_expires_at: string | null;
    metadata: string | null;
  }
>((q, p) =>
  q('license_activations')
    .where('license_id', p('license_id'))
    .whereNull('ended_at')
    .update({ ended_at: p('now'), end_reason: p('reason') })
    .returning(['id', 'machine_id', 'machine_name', 'activated_at', 'lease_expires_at', 'metadata']),
);

/** Ends every activation of a license, under its lock; those that it ended, oldest first. */
export async function endAll(
  ctx: Ctx,
  licenseId: string,
  reason: EndReason,
): Promise<Pick<Activation, 'id' | 'machineId' | 'machineName' | 'leaseExpiresAt' | 'metadata'>[]> {
  const rows = await endAllRows.all(ctx.db, { license_id: licenseId, now: ctx.now(), reason });
  // RETURNING keeps no order.
  rows.sort((a, b) => (`${a.activated_at}${a.id}` < `${b.activated_at}${b.id}` ? -1 : 1));
  return rows.map((row) => ({
    id: row.id,
    machineId: row.machine_id,
    machineName: row.machine_name,
    leaseExpiresAt: row.lease_expires_at,
    metadata: readJsonOrNull<JsonObject>(row.metadata),
  }));
}

const oldestLive = statement<
  { license_id: string; now: string },
  { machine_name: string | null; activated_at: string; last_seen_at: string }
>((q, p) =>
  q('license_activations')
    .where('license_id', p('license_id'))
    .whereNull('ended_at')
    .andWhere((live) => live.whereNull('lease_expires_at').orWhere('lease_expires_at', '>', p('now')))
    .orderBy('activated_at')
    .limit(1)
    .select('machine_name', 'activated_at', 'last_seen_at'),
);

/** For the text of a refusal (6.6): which seat has been held the longest. */
export async function findOldest(ctx: Ctx, licenseId: string, now: string) {
  const row = await oldestLive.first(ctx.db, { license_id: licenseId, now });
  return row
    ? { machineName: row.machine_name, activatedAt: row.activated_at, lastSeenAt: row.last_seen_at }
    : null;
}

const extendRow = statement<{ id: string; until: string; now: string }>((q, p) =>
  q('license_activations')
    .where('id', p('id'))
    .whereNull('ended_at')
    .where('lease_expires_at', '>', p('now'))
    .update({ lease_expires_at: p('until'), last_seen_at: p('now') }),
);

/**
 * Moves the end of a lease under the license's lock; a lease that has run out is never revived (C11).
 *
 * @param until,now ISO 8601 UTC
 * @returns false when there was no live lease
 */
export const extend = async (ctx: Ctx, id: string, until: string, now: string): Promise<boolean> =>
  (await extendRow.run(ctx.db, { id, until, now })) === 1;

const nextEnd = statement<{ license_id: string; now: string }, { at: string | null }>((q, p) =>
  q('license_activations')
    .where('license_id', p('license_id'))
    .whereNull('ended_at')
    .where('lease_expires_at', '>', p('now'))
    .min('lease_expires_at as at'),
);

/** When the first live lease of a license runs out: when a seat is free again at the latest (6.6). */
export const findNextEnd = async (ctx: Ctx, licenseId: string, now: string): Promise<string | null> =>
  (await nextEnd.first(ctx.db, { license_id: licenseId, now }))?.at ?? null;

// Found by the machine, which has few rows; a license may have a hundred thousand leases that are over.
const lastExpired = statement<
  { tenant_id: string; license_id: string; machine_id: string },
  { at: string | null }
>((q, p) =>
  q('license_activations')
    .where('tenant_id', p('tenant_id'))
    .where('machine_id', p('machine_id'))
    .where('license_id', p('license_id'))
    .where('end_reason', 'LEASE_EXPIRED')
    .max('lease_expires_at as at'),
);

/** When the last lease of a machine that was swept had run out (6.6). */
export const findLastExpired = async (
  ctx: Ctx,
  licenseId: string,
  machineId: string,
): Promise<string | null> => {
  const machine = { tenant_id: ctx.tenantId, license_id: licenseId, machine_id: machineId };
  return (await lastExpired.first(ctx.db, machine))?.at ?? null;
};
