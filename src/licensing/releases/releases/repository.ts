import type { Ctx } from '#kernel/context.ts';
import { readFlag, readJson, readJsonOrNull, writeJson } from '#kernel/db/columns.ts';
import { statement } from '#kernel/db/statement.ts';
import type { ReleaseChannel } from '#licensing/contract/enumerations.ts';
import type { Release, ReleaseState, RolloutStep } from './release.ts';

interface Row {
  id: string;
  tenant_id: string;
  product_id: string;
  version: string;
  channel: ReleaseChannel;
  platform: string;
  arch: string;
  state: ReleaseState;
  changelog: string;
  bundle_filename: string | null;
  bundle_size: number | string | null;
  bundle_sha256: string | null;
  bundle_sha512: string | null;
  signature: string | null;
  key_id: string | null;
  extra_signatures: string | null;
  statement: string | null;
  statement_signature: string | null;
  sequence: number | string | null;
  former_sequences: string | null;
  statement_expires_at: string | null;
  is_critical: boolean | number;
  requires_migration: boolean | number;
  min_from_version: string | null;
  required_entitlements: string;
  rollout_bps: number;
  rollout_paused: boolean | number;
  rollout_schedule: string | null;
  published_at: string | null;
  archived_at: string | null;
  yanked_at: string | null;
  yanked_reason: string | null;
  created_at: string;
  updated_at: string;
}

/** A row with the slug of its product. */
export type ReadRow = Row & { product_slug: string };

const TABLE = 'license_releases';
export const FROM = 'license_releases as r';
export const COLUMNS = ['r.*', 'p.slug as product_slug'];

const byId = statement<{ tenantId: string; id: string }, ReadRow>((q, p) =>
  q(FROM)
    .join('license_products as p', 'p.id', 'r.product_id')
    .where({ 'r.id': p('id'), 'r.tenant_id': p('tenantId') })
    .select(COLUMNS),
);

/** The release, or null: unknown or of another tenant. */
export async function find(ctx: Ctx, id: string): Promise<Release | null> {
  const row = await byId.first(ctx.db, { tenantId: ctx.tenantId, id });
  return row ? toRelease(row) : null;
}

/** The release of a version for a target, or null. */
export async function findVersion(
  ctx: Ctx,
  wanted: { productId: string; version: string; platform: string; arch: string },
): Promise<Release | null> {
  const row: ReadRow | undefined = await ctx.db
    .knex(FROM)
    .join('license_products as p', 'p.id', 'r.product_id')
    .where({
      'r.tenant_id': ctx.tenantId,
      'r.product_id': wanted.productId,
      'r.version': wanted.version,
      'r.platform': wanted.platform,
      'r.arch': wanted.arch,
    })
    .first(COLUMNS);
  return row ? toRelease(row) : null;
}

/** Throws a unique violation for a version or a sequence that its line has, and for a bundle that is gone. */
export async function insert(ctx: Ctx, release: Release): Promise<void> {
  await ctx.db.knex(TABLE).insert(toRow(release));
}

/** Throws as `insert` does. */
export async function update(ctx: Ctx, release: Release): Promise<void> {
  await ctx.db.knex(TABLE).where({ id: release.id }).update(toRow(release));
}

/** Deletes a draft, with its product locked; anything else stays, whatever the caller believes. */
export async function removeDraft(ctx: Ctx, id: string): Promise<void> {
  await ctx.db.knex(TABLE).where({ id, state: 'DRAFT' }).delete();
}

/** What a change of a release is judged by, as it is under the lock of the product. */
export interface OwnerRow {
  readonly id: string;
  readonly slug: string;
  readonly statementRequired: boolean;
}

/**
 * The product of a release, locked until the end of the transaction: whoever changes releases or keys of a product
 * waits here for the one before (licensing 5.4, publish).
 */
export async function lockProduct(ctx: Ctx, id: string): Promise<OwnerRow | null> {
  const row: { id: string; slug: string; statement_required: unknown } | undefined = await ctx.db
    .knex('license_products')
    .where({ tenant_id: ctx.tenantId, id })
    .forUpdate()
    .first('id', 'slug', 'statement_required');
  return row ? { id: row.id, slug: row.slug, statementRequired: readFlag(row.statement_required) } : null;
}

/** Tells everybody who remembers the releases of a product that they are old. */
export async function raiseVersion(ctx: Ctx, productId: string): Promise<void> {
  await ctx.db.knex('license_products').where({ id: productId }).increment('releases_version', 1);
}

const number = (value: number | string | null): number | null => (value === null ? null : Number(value));

export const toRelease = (row: ReadRow): Release => ({
  id: row.id,
  tenantId: row.tenant_id,
  productId: row.product_id,
  productSlug: row.product_slug,
  version: row.version,
  channel: row.channel,
  platform: row.platform,
  arch: row.arch,
  state: row.state,
  changelog: row.changelog,
  bundleFilename: row.bundle_filename,
  bundleSize: number(row.bundle_size),
  bundleSha256: row.bundle_sha256,
  bundleSha512: row.bundle_sha512,
  signature: row.signature,
  keyId: row.key_id,
  extraSignatures: readJsonOrNull<Release['extraSignatures']>(row.extra_signatures) ?? {},
  statement: row.statement,
  statementSignature: row.statement_signature,
  sequence: number(row.sequence),
  formerSequences: readJsonOrNull<Release['formerSequences']>(row.former_sequences) ?? {},
  statementExpiresAt: row.statement_expires_at,
  isCritical: readFlag(row.is_critical),
  requiresMigration: readFlag(row.requires_migration),
  minFromVersion: row.min_from_version,
  requiredEntitlements: readJson<string[]>(row.required_entitlements),
  rollout: {
    bps: row.rollout_bps,
    paused: readFlag(row.rollout_paused),
    schedule: readJsonOrNull<RolloutStep[]>(row.rollout_schedule) ?? [],
  },
  publishedAt: row.published_at,
  archivedAt: row.archived_at,
  yankedAt: row.yanked_at,
  yankedReason: row.yanked_reason,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

const toRow = (release: Release): Row => ({
  id: release.id,
  tenant_id: release.tenantId,
  product_id: release.productId,
  version: release.version,
  channel: release.channel,
  platform: release.platform,
  arch: release.arch,
  state: release.state,
  changelog: release.changelog,
  bundle_filename: release.bundleFilename,
  bundle_size: release.bundleSize,
  bundle_sha256: release.bundleSha256,
  bundle_sha512: release.bundleSha512,
  signature: release.signature,
  key_id: release.keyId,
  extra_signatures: writeJson(release.extraSignatures),
  statement: release.statement,
  statement_signature: release.statementSignature,
  sequence: release.sequence,
  former_sequences:
    Object.keys(release.formerSequences).length === 0 ? null : writeJson(release.formerSequences),
  statement_expires_at: release.statementExpiresAt,
  is_critical: release.isCritical,
  requires_migration: release.requiresMigration,
  min_from_version: release.minFromVersion,
  required_entitlements: writeJson(release.requiredEntitlements),
  rollout_bps: release.rollout.bps,
  rollout_paused: release.rollout.paused,
  rollout_schedule: release.rollout.schedule.length === 0 ? null : writeJson(release.rollout.schedule),
  published_at: release.publishedAt,
  archived_at: release.archivedAt,
  yanked_at: release.yankedAt,
  yanked_reason: release.yankedReason,
  created_at: release.createdAt,
  updated_at: release.updatedAt,
});
