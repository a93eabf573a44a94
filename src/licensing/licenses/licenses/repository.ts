import type { Ctx } from '#kernel/context.ts';
import { writeJson, writeJsonOrNull } from '#kernel/db/columns.ts';
import { statement } from '#kernel/db/statement.ts';
import { visibleTo } from '#kernel/db/visible.ts';
import type {
  IdempotencyNamespace,
  LicenseSource,
  LicenseStatus,
  LicenseTier,
  LicenseType,
} from '#licensing/contract/enumerations.ts';
import type { Features } from '../decision/index.ts';

/** A license as it is inserted; times are ISO 8601 UTC. */
export interface NewLicense {
  id: string;
  productId: string;
  customerId: string;
  policyId: string | null;
  type: LicenseType;
  tier: LicenseTier;
  maxActivations: number;
  validUntil: string | null;
  gracePeriodSeconds: number | null;
  features: Features | null;
  maxVersion: string | null;
  maxUses: number | null;
  orderId: string | null;
  metadata: Record<string, unknown>;
  notes: string | null;
  source: LicenseSource;
  createdAt: string;
}

const licenseColumns = [
  'id',
  'tenant_id',
  'product_id',
  'customer_id',
  'policy_id',
  'type',
  'tier',
  'max_activations',
  'valid_until',
  'grace_period_seconds',
  'features',
  'max_version',
  'max_uses',
  'order_id',
  'metadata',
  'notes',
  'source',
  'created_at',
  'updated_at',
] as const;
type LicenseValues = Record<(typeof licenseColumns)[number], string | number | null>;

const insertRow = statement<LicenseValues>((q, p) =>
  q('licenses').insert({
    ...p.row(...licenseColumns),
    status: 'ACTIVE',
    current_uses: 0,
    honeypot: q.raw('false'),
  }),
);

export async function insert(ctx: Ctx, one: NewLicense): Promise<void> {
  await insertRow.run(ctx.db, {
    id: one.id,
    tenant_id: ctx.tenantId,
    product_id: one.productId,
    customer_id: one.customerId,
    policy_id: one.policyId,
    type: one.type,
    tier: one.tier,
    max_activations: one.maxActivations,
    valid_until: one.validUntil,
    grace_period_seconds: one.gracePeriodSeconds,
    features: writeJsonOrNull(one.features),
    max_version: one.maxVersion,
    max_uses: one.maxUses,
    order_id: one.orderId,
    metadata: writeJson(one.metadata),
    notes: one.notes,
    source: one.source,
    created_at: one.createdAt,
    updated_at: one.createdAt,
  });
}

interface Idempotency {
  tenant_id: string;
  namespace: IdempotencyNamespace;
  key: string;
}

const claimRow = statement<Idempotency & { license_id: string; request_hash: string; created_at: string }>(
  (q, p) =>
    q('license_idempotency')
      .insert(p.row('tenant_id', 'namespace', 'key', 'license_id', 'request_hash', 'created_at'))
      .onConflict(['tenant_id', 'namespace', 'key'])
      .ignore(),
);

const findClaim = statement<Idempotency, { license_id: string; request_hash: string }>((q, p) =>
  q('license_idempotency')
    .where(p.row('tenant_id', 'namespace', 'key'))
    .select('license_id', 'request_hash'),
);

const CLAIM_TRIES = 3;

/** The license that an idempotency key made, and the hash of the request that made it. */
export interface EarlierLicense {
  licenseId: string;
  requestHash: string;
}

/**
 * Claims an idempotency key for the license that this transaction is about to insert; null when it is ours, else what it
 * made before (M5, D53). On Postgres the insert waits for a rival transaction.
 *
 * @param made the id of the license, and the hash of the request for it
 */
export async function claimIdempotency(
  ctx: Ctx,
  { namespace, key }: { namespace: IdempotencyNamespace; key: string },
  made: EarlierLicense,
): Promise<EarlierLicense | null> {
  const claim = { tenant_id: ctx.tenantId, namespace, key };
  const { licenseId, requestHash } = made;
  const values = { ...claim, license_id: licenseId, request_hash: requestHash, created_at: ctx.now() };
  // A rival may put the license into the trash between the two statements, which frees the key (D42).
  for (let tries = 0; tries < CLAIM_TRIES; tries++) {
    if ((await claimRow.run(ctx.db, values)) === 1) return null;
    const row = await findClaim.first(ctx.db, claim);
    if (row) return { licenseId: row.license_id, requestHash: row.request_hash };
  }
  throw new Error('an idempotency key was taken and freed again and again');
}

/**
 * Licenses of the tenant that idempotency keys made, by key, of those that the actor may see; a key that made none is
 * absent.
 *
 * @param keys so many as one statement takes: some hundreds
 */
export async function madeBy(
  ctx: Ctx,
  namespace: IdempotencyNamespace,
  keys: readonly string[],
): Promise<{ idempotencyKey: string; id: string }[]> {
  const made = ctx.db
    .knex('license_idempotency as i')
    .join('licenses as l', 'l.id', 'i.license_id')
    .where({ 'i.tenant_id': ctx.tenantId, 'i.namespace': namespace })
    .whereIn('i.key', keys);
  return visibleTo(ctx, made, { license_product: 'l.product_id' }).select({
    idempotencyKey: 'i.key',
    id: 'l.id',
  });
}

interface StatusChange {
  id: string;
  now: string;
}

const revokeRow = statement<StatusChange & { reason: string | null }>((q, p) =>
  q('licenses')
    .where('id', p('id'))
    .whereNot('status', 'REVOKED')
    .update({ status: 'REVOKED', revoked_at: p('now'), revoked_reason: p('reason'), updated_at: p('now') }),
);

const suspendRow = statement<StatusChange & { reason: string }>((q, p) =>
  q('licenses')
    .where('id', p('id'))
    .whereIn('status', ['ACTIVE', 'EXPIRED'])
    .update({
      status: 'SUSPENDED',
      suspended_at: p('now'),
      suspended_reason: p('reason'),
      updated_at: p('now'),
    }),
);

const reinstateRow = statement<StatusChange>((q, p) =>
  q('licenses')
    .where('id', p('id'))
    .where('status', 'SUSPENDED')
    .update({ status: 'ACTIVE', suspended_at: null, suspended_reason: null, updated_at: p('now') }),
);

const renewRow = statement<StatusChange & { valid_until: string; status: LicenseStatus }>((q, p) =>
  q('licenses')
    .where('id', p('id'))
    .whereNot('status', 'REVOKED')
    .update({ valid_until: p('valid_until'), status: p('status'), updated_at: p('now') }),
);

/** Each answers whether the row changed: only then is there an event (C6). */
export const revoke = async (ctx: Ctx, id: string, reason: string | null): Promise<boolean> =>
  (await revokeRow.run(ctx.db, { id, now: ctx.now(), reason })) === 1;

export const suspend = async (ctx: Ctx, id: string, reason: string): Promise<boolean> =>
  (await suspendRow.run(ctx.db, { id, now: ctx.now(), reason })) === 1;

export const reinstate = async (ctx: Ctx, id: string): Promise<boolean> =>
  (await reinstateRow.run(ctx.db, { id, now: ctx.now() })) === 1;

export const renew = async (
  ctx: Ctx,
  id: string,
  validUntil: string,
  status: LicenseStatus,
): Promise<boolean> =>
  (await renewRow.run(ctx.db, { id, now: ctx.now(), valid_until: validUntil, status })) === 1;
