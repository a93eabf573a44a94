import { reaches } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import { readJson, readJsonOrNull } from '#kernel/db/columns.ts';
import type { Knex } from '#kernel/db/database.ts';
import { statement } from '#kernel/db/statement.ts';
import type { JsonObject } from '#kernel/http/json-object.ts';
import type {
  LicenseSource,
  LicenseStatus,
  LicenseTier,
  LicenseType,
} from '#licensing/contract/enumerations.ts';
import type { Features } from '../decision/index.ts';
import { liveCount } from '../standing/index.ts';
import { type LicenseFilter, narrow } from './search/queries.ts';
import type { ActivationView } from './view.ts';

/** A license as staff see it; its key stays sealed. */
export interface License {
  id: string;
  sealedKey: string;
  keyPrefix: string;
  productId: string;
  productName: string;
  productSlug: string;
  type: LicenseType;
  tier: LicenseTier;
  /** As stored; the status that counts is computed from it and the date (D34). */
  storedStatus: LicenseStatus;
  maxActivations: number;
  activationsUsed: number;
  validUntil: string | null;
  gracePeriodSeconds: number | null;
  policyGraceSeconds: number | null;
  maxVersion: string | null;
  maxUses: number | null;
  currentUses: number;
  features: Features | null;
  policyId: string | null;
  customer: { id: string; email: string; name: string | null };
  orderId: string | null;
  metadata: Record<string, unknown>;
  notes: string | null;
  source: LicenseSource;
  createdAt: string;
  updatedAt: string;
  /** When it was put into the trash; null outside of it. */
  deletedAt: string | null;
}

const columns = [
  'l.id',
  'l.type',
  'l.tier',
  'l.status',
  'l.max_activations',
  'l.valid_until',
  'l.grace_period_seconds',
  'l.features',
  'l.max_version',
  'l.max_uses',
  'l.current_uses',
  'l.policy_id',
  'l.order_id',
  'l.metadata',
  'l.notes',
  'l.source',
  'l.created_at',
  'l.updated_at',
  'l.deleted_at',
  'l.product_id',
  'k.key_enc',
  'k.prefix',
  'p.name as product_name',
  'p.slug as product_slug',
  'c.id as customer_id',
  'c.email as customer_email',
  'c.name as customer_name',
  'o.grace_period_seconds as policy_grace',
];

/** Licenses with their current key, product, customer and effective policy; honeypots have no current key (D131). */
function joined(q: Knex): Knex.QueryBuilder {
  return q('licenses as l')
    .join('license_keys as k', (on) => on.on('k.license_id', 'l.id').andOn('k.kind', q.raw("'CURRENT'")))
    .join('license_products as p', 'p.id', 'l.product_id')
    .join('license_customers as c', 'c.id', 'l.customer_id')
    .leftJoin('license_policies as o', 'o.id', q.raw('coalesce(l.policy_id, p.policy_id)'));
}

const byId = statement<{ id: string; tenant_id: string; now: string }>((q, p) =>
  joined(q)
    .where('l.id', p('id'))
    .where('l.tenant_id', p('tenant_id'))
    .whereNull('l.deleted_at')
    .select(...columns, liveCount(q, p('now'))),
);

/** One license of the tenant; null when unknown, trashed, or outside of what the caller may see. */
export async function findLicense(ctx: Ctx, id: string): Promise<License | null> {
  const row = await byId.first(ctx.db, { id, tenant_id: ctx.tenantId, now: ctx.now() });
  if (!row) return null;
  return reaches(ctx.actor, 'license_product', row.product_id as string) ? toLicense(row) : null;
}

/** One page of licenses, newest first unless `oldestFirst`, and how many there are. */
export async function listLicenses(
  ctx: Ctx,
  filter: LicenseFilter,
  page: { offset: number; limit: number; oldestFirst?: boolean },
): Promise<{ items: License[]; total: number }> {
  const now = ctx.now();
  const query = listed(ctx, filter, now);
  const [counted] = await query.clone().count({ n: '*' });
  // Imported licenses keep the time of their creation, so that their ids do not tell their age.
  if (page.oldestFirst) query.orderBy('l.created_at').orderBy('l.id');
  else query.orderBy('l.id', 'desc');
  const rows = await query
    .select(...columns, liveCount(ctx.db.knex, now))
    .offset(page.offset)
    .limit(page.limit);
  return { items: rows.map(toLicense), total: Number(counted?.n ?? 0) };
}

/** The next licenses after an id, in the order of their ids: for exports, which must not skip or repeat. */
export async function listAfter(
  ctx: Ctx,
  filter: LicenseFilter,
  afterId: string,
  limit: number,
): Promise<License[]> {
  const now = ctx.now();
  const rows = await listed(ctx, filter, now)
    .where('l.id', '>', afterId)
    .select(...columns, liveCount(ctx.db.knex, now))
    .orderBy('l.id')
    .limit(limit);
  return rows.map(toLicense);
}

function listed(ctx: Ctx, filter: LicenseFilter, now: string): Knex.QueryBuilder {
  const query = joined(ctx.db.knex).where('l.tenant_id', ctx.tenantId);
  if (filter.trashed) query.whereNotNull('l.deleted_at');
  else query.whereNull('l.deleted_at');
  narrow(ctx, query, filter, now);
  return query;
}

/** Live activations of a license, oldest first; `staleBefore` keeps those last seen before that time. */
export async function listActivations(
  ctx: Ctx,
  licenseId: string,
  filter: { staleBefore?: string | undefined } = {},
): Promise<ActivationView[]> {
  const query = ctx.db
    .knex('license_activations')
    .where({ license_id: licenseId, tenant_id: ctx.tenantId, ended_at: null })
    .where((live) => live.whereNull('lease_expires_at').orWhere('lease_expires_at', '>', ctx.now()))
    .orderBy('activated_at')
    .orderBy('id');
  if (filter.staleBefore) query.where('last_seen_at', '<', filter.staleBefore);
  return (await query).map((row) => ({
    id: row.id,
    licenseId: row.license_id,
    kind: row.kind,
    machineId: row.machine_id,
    machineName: row.machine_name,
    osName: row.os_name,
    osVersion: row.os_version,
    appVersion: row.app_version,
    activatedAt: row.activated_at,
    lastSeenAt: row.last_seen_at,
    leaseExpiresAt: row.lease_expires_at,
    metadata: readJsonOrNull<JsonObject>(row.metadata),
  }));
}

function toLicense(row: Record<string, unknown>): License {
  return {
    id: row.id as string,
    sealedKey: row.key_enc as string,
    keyPrefix: row.prefix as string,
    productId: row.product_id as string,
    productName: row.product_name as string,
    productSlug: row.product_slug as string,
    type: row.type as LicenseType,
    tier: row.tier as LicenseTier,
    storedStatus: row.status as LicenseStatus,
    maxActivations: row.max_activations as number,
    activationsUsed: Number(row.used),
    validUntil: row.valid_until as string | null,
    gracePeriodSeconds: row.grace_period_seconds as number | null,
    policyGraceSeconds: row.policy_grace as number | null,
    maxVersion: row.max_version as string | null,
    maxUses: row.max_uses as number | null,
    currentUses: Number(row.current_uses),
    features: readJsonOrNull<Features>(row.features),
    policyId: row.policy_id as string | null,
    customer: {
      id: row.customer_id as string,
      email: row.customer_email as string,
      name: row.customer_name as string | null,
    },
    orderId: row.order_id as string | null,
    metadata: readJson(row.metadata),
    notes: row.notes as string | null,
    source: row.source as LicenseSource,
    createdAt: row.created_at as string,
    updatedAt: row.updated_at as string,
    deletedAt: row.deleted_at as string | null,
  };
}
