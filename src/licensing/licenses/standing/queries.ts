import type { Ctx } from '#kernel/context.ts';
import { readFlag } from '#kernel/db/columns.ts';
import { statement } from '#kernel/db/statement.ts';

const liveMachines = statement<{ license_id: string; now: string }, { machine_id: string }>((q, p) =>
  q('license_activations')
    .where('license_id', p('license_id'))
    .whereNull('ended_at')
    .andWhere((live) => live.whereNull('lease_expires_at').orWhere('lease_expires_at', '>', p('now')))
    .orderBy('activated_at')
    .orderBy('id')
    .select('machine_id'),
);

/** The live machines of a license at the time they are asked for: what receivers of an event are told. */
export const liveMachinesOf =
  (licenseId: string) =>
  (ctx: Ctx): Promise<string[]> =>
    listLiveMachines(ctx, licenseId, ctx.now());

/** machineIds of the live activations, oldest first. */
export const listLiveMachines = async (ctx: Ctx, licenseId: string, now: string): Promise<string[]> =>
  (await liveMachines.all(ctx.db, { license_id: licenseId, now })).map((row) => row.machine_id);

/** A key that opens nothing: a honeypot, or one that was replaced and does not overlap any more (D130, D131). */
export interface DeadKey {
  keyId: string;
  licenseId: string;
  tenantId: string;
  /** A honeypot of its own and no license. */
  isCanary: boolean;
  /** Tells HONEYPOT_TRIGGERED. A replaced key does only when it was turned into a honeypot (6.9). */
  isHoneypot: boolean;
  blockIpSeconds: number | null;
}

const deadKey = statement<
  { one: string; other: string; now: string },
  {
    id: string;
    kind: string;
    then_honeypot: unknown;
    license_id: string;
    tenant_id: string;
    honeypot: unknown;
    block_ip_seconds: number | null;
  }
>((q, p) =>
  q('license_keys as k')
    .join('licenses as l', 'l.id', 'k.license_id')
    .whereIn('k.digest', [p('one'), p('other')])
    .whereNot('k.kind', 'CURRENT')
    .andWhere((over) => over.whereNull('k.overlap_until').orWhere('k.overlap_until', '<=', p('now')))
    .whereNull('l.deleted_at')
    .limit(1)
    .select(
      'k.id',
      'k.kind',
      'k.then_honeypot',
      'k.license_id',
      'l.tenant_id',
      'l.honeypot',
      'l.block_ip_seconds',
    ),
);

/** The dead key with one of these two digests, of any tenant; null when there is none. One look-up. */
export async function findDeadKey(
  ctx: Ctx,
  [one, other]: readonly [string, string],
  now: string,
): Promise<DeadKey | null> {
  const row = await deadKey.first(ctx.db, { one, other, now });
  if (!row) return null;
  return {
    keyId: row.id,
    licenseId: row.license_id,
    tenantId: row.tenant_id,
    isCanary: readFlag(row.honeypot),
    isHoneypot: row.kind === 'HONEYPOT' || readFlag(row.then_honeypot),
    blockIpSeconds: row.block_ip_seconds,
  };
}
