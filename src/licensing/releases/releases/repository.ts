import { reaches } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import { readFlag } from '#kernel/db/columns.ts';
import type { Row } from '#kernel/db/record.ts';
import { statement } from '#kernel/db/statement.ts';
import { releaseRecord } from './record.ts';
import type { Release } from './release.ts';

/** A row with the slug of its product. */
export type ReadRow = { product_id: string; product_slug: string };

const TABLE = releaseRecord.table;
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
  return row && reaches(ctx.actor, 'license_product', row.product_id) ? toRelease(row) : null;
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
  if (!row || !reaches(ctx.actor, 'license_product', row.id)) return null;
  return { id: row.id, slug: row.slug, statementRequired: readFlag(row.statement_required) };
}

export function toRelease(row: ReadRow): Release {
  const { rolloutBps, rolloutPaused, rolloutSchedule, ...release } = releaseRecord.read(row);
  return {
    ...release,
    productSlug: row.product_slug,
    extraSignatures: (release.extraSignatures ?? {}) as Release['extraSignatures'],
    formerSequences: release.formerSequences ?? {},
    rollout: { bps: rolloutBps, paused: rolloutPaused, schedule: rolloutSchedule ?? [] },
  };
}

/** The row of a release. */
export const toRow = ({ rollout, formerSequences, ...release }: Release): Row =>
  releaseRecord.write({
    ...release,
    formerSequences: Object.keys(formerSequences).length === 0 ? null : formerSequences,
    requiredEntitlements: [...release.requiredEntitlements],
    rolloutBps: rollout.bps,
    rolloutPaused: rollout.paused,
    rolloutSchedule: rollout.schedule.length === 0 ? null : [...rollout.schedule],
  });
