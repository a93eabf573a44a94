import { reaches } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import { readJson, readJsonOrNull } from '#kernel/db/columns.ts';
import type { Knex } from '#kernel/db/database.ts';
import { statement } from '#kernel/db/statement.ts';
import type { JsonObject } from '#kernel/http/json-object.ts';
import type {
  AbuseRule,
  LicenseSource,
  LicenseStatus,
  LicenseTier,
  LicenseType,
} from '#licensing/contract/enumerations.ts';
import type { Features } from '../decision/index.ts';
import { liveCount } from '../standing/index.ts';
import type { ActivationView } from './view.ts';

/** A license as staff see it; its key stays sealed. */
export interface License {
  id: string;
  tenantId: string;
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
  /** Of the license or else of the product; null when neither names one. */
  policy: {
    id: string;
    gracePeriodSeconds: number;
    maxUses: number | null;
    features: Features | null;
  } | null;
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
  suspendedReason: string | null;
  createdAt: string;
  updatedAt: string;
  /** When it was put into the trash; null outside of it. */
  deletedAt: string | null;
  /** What is kept elsewhere; absent until `withBeside` has read it. */
  beside?: { idempotencyKey: string | null; openFlags: { id: string; rule: AbuseRule }[] };
}

/** What `joined` is read for, into a License. */
export const licenseColumns = [
  'l.id',
  'l.tenant_id',
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
  'l.suspended_reason',
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
  'o.id as effective_policy_id',
  'o.grace_period_seconds as policy_grace',
  'o.max_uses as policy_max_uses',
  'o.entitlements as policy_features',
];

/** What a License is read from beside `licenses as l`; honeypots have no current key (D131). */
export const licenseJoins = {
  key: (query: Knex.QueryBuilder) =>
    query.joinRaw("join license_keys as k on k.license_id = l.id and k.kind = 'CURRENT'"),
  product: (query: Knex.QueryBuilder) => query.joinRaw('join license_products as p on p.id = l.product_id'),
  customer: (query: Knex.QueryBuilder) =>
    query.joinRaw('join license_customers as c on c.id = l.customer_id'),
  /** The effective policy (D64). */
  policy: (query: Knex.QueryBuilder) =>
    query.joinRaw('left join license_policies as o on o.id = coalesce(l.policy_id, p.policy_id)'),
};

const joined = (q: Knex): Knex.QueryBuilder =>
  Object.values(licenseJoins).reduce((query, join) => join(query), q('licenses as l') as Knex.QueryBuilder);

/** Whose licenses a statement reads, and when. */
export interface Asked {
  tenant_id: string;
  now: string;
}

/** Licenses of the tenant that are not in the trash: the rows of `toLicense`. */
export const knownLicenses = (q: Knex, p: (name: keyof Asked) => string): Knex.QueryBuilder =>
  joined(q)
    .where('l.tenant_id', p('tenant_id'))
    .whereNull('l.deleted_at')
    .select(...licenseColumns, liveCount(q, p('now')));

const byId = statement<Asked & { id: string }>((q, p) => knownLicenses(q, p).where('l.id', p('id')));

/** One license of the tenant; null when unknown, trashed, or outside of what the caller may see. */
export async function findLicense(ctx: Ctx, id: string): Promise<License | null> {
  const row = await byId.first(ctx.db, { id, tenant_id: ctx.tenantId, now: ctx.now() });
  if (!row) return null;
  return reaches(ctx.actor, 'license_product', row.product_id as string) ? toLicense(row) : null;
}

/** Adds to licenses what is kept beside them, of all in two look-ups. */
export async function withBeside(ctx: Ctx, licenses: License[]): Promise<License[]> {
  const { knex } = ctx.db;
  const ids = licenses.map(({ id }) => id);
  const keys: { license_id: string; key: string }[] = await knex('license_idempotency')
    .whereIn('license_id', ids)
    .select('license_id', 'key');
  const flags: { license_id: string; id: string; rule: AbuseRule }[] = await knex('license_abuse_flags')
    .whereIn('license_id', ids)
    .where('status', 'OPEN')
    .orderBy('id')
    .select('license_id', 'id', 'rule');
  for (const license of licenses)
    license.beside = {
      idempotencyKey: keys.find((one) => one.license_id === license.id)?.key ?? null,
      openFlags: flags.filter((one) => one.license_id === license.id).map(({ id, rule }) => ({ id, rule })),
    };
  return licenses;
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

/** A License of the columns above. */
export function toLicense(row: Record<string, unknown>): License {
  return {
    id: row.id as string,
    tenantId: row.tenant_id as string,
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
    policy: policyOf(row),
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
    suspendedReason: row.suspended_reason as string | null,
    createdAt: row.created_at as string,
    updatedAt: row.updated_at as string,
    deletedAt: row.deleted_at as string | null,
  };
}

const policyOf = (row: Record<string, unknown>): License['policy'] =>
  row.effective_policy_id === null
    ? null
    : {
        id: row.effective_policy_id as string,
        gracePeriodSeconds: row.policy_grace as number,
        maxUses: row.policy_max_uses as number | null,
        features: readJsonOrNull<Features>(row.policy_features),
      };
