import type { Ctx } from '#kernel/context.ts';
import { readJsonOrNull } from '#kernel/db/columns.ts';
import { statement } from '#kernel/db/statement.ts';
import { visibleTo } from '#kernel/db/visible.ts';
import type { Slice } from '#kernel/service/pagination.ts';
import type { ReleaseChannel } from '#licensing/contract/enumerations.ts';
import type { Release } from './release.ts';
import { COLUMNS, FROM, type ReadRow, toRelease } from './repository.ts';
import type { ReleaseState } from './states.ts';

/** What a list of releases is narrowed by. */
export interface ReleaseFilter {
  productId?: string | undefined;
  channel?: ReleaseChannel | undefined;
  state?: ReleaseState | undefined;
  platform?: string | undefined;
  arch?: string | undefined;
}

/** Releases of the tenant, newest first, and how many there are. */
export async function list(
  ctx: Ctx,
  { productId, channel, state, platform, arch, offset, limit }: Slice & ReleaseFilter,
): Promise<{ items: Release[]; total: number }> {
  const query = ctx.db
    .knex(FROM)
    .join('license_products as p', 'p.id', 'r.product_id')
    .where({ 'r.tenant_id': ctx.tenantId });
  visibleTo(ctx, query, { license_product: 'r.product_id' });
  const wanted = {
    'r.product_id': productId,
    'r.channel': channel,
    'r.state': state,
    'r.platform': platform,
    'r.arch': arch,
  };
  for (const [column, value] of Object.entries(wanted)) if (value !== undefined) query.where(column, value);
  const [counted] = await query.clone().count({ n: '*' });
  const rows: ReadRow[] = await query
    .orderBy([
      { column: 'r.created_at', order: 'desc' },
      { column: 'r.id', order: 'desc' },
    ])
    .offset(offset)
    .limit(limit)
    .select(COLUMNS);
  return { items: rows.map(toRelease), total: Number(counted?.n ?? 0) };
}

const servable = statement<{ productId: string }, ReadRow>((q, p) =>
  q(FROM)
    .join('license_products as p', 'p.id', 'r.product_id')
    .join('license_bundles as b', 'b.sha256', 'r.bundle_sha256')
    .where({ 'r.product_id': p('productId') })
    .whereIn('r.state', ['PUBLISHED', 'ARCHIVED'])
    .whereNull('b.removed_at')
    .select(COLUMNS),
);

/** PUBLISHED and ARCHIVED releases of a product whose bytes are kept here, in no order. */
export async function listServable(ctx: Ctx, productId: string): Promise<Release[]> {
  return (await servable.all(ctx.db, { productId })).map(toRelease);
}

/** The newest published releases of every tenant: what is offered now or will be. */
export async function listNewestPublished(ctx: Ctx, limit: number): Promise<Release[]> {
  const rows: ReadRow[] = await ctx.db
    .knex(FROM)
    .join('license_products as p', 'p.id', 'r.product_id')
    .where({ 'r.state': 'PUBLISHED' })
    .orderBy([
      { column: 'r.published_at', order: 'desc' },
      { column: 'r.id', order: 'desc' },
    ])
    .limit(limit)
    .select(COLUMNS);
  return rows.map(toRelease);
}

/** Whether a content is served as another release, of whatever tenant. */
export async function isServedElsewhere(ctx: Ctx, sha256: string, id: string): Promise<boolean> {
  const row: unknown = await ctx.db
    .knex('license_releases')
    .where({ bundle_sha256: sha256 })
    .whereNot('id', id)
    .whereIn('state', ['PUBLISHED', 'ARCHIVED'])
    .first('id');
  return row !== undefined;
}

interface LineRow {
  version: string;
  channel: ReleaseChannel;
  state: ReleaseState;
  sequence: number | string | null;
  former_sequences: string | null;
  published_at: string;
}

const ofTarget = statement<{ id: string; productId: string; platform: string; arch: string }, LineRow>(
  (q, p) =>
    q('license_releases')
      .where({ product_id: p('productId'), platform: p('platform'), arch: p('arch') })
      .whereNot('state', 'DRAFT')
      .whereNot('id', p('id'))
      .select('version', 'channel', 'state', 'sequence', 'former_sequences', 'published_at'),
);

/** A sequence that clients of a line may see, and when they first may. */
export interface Mark {
  readonly version: string;
  readonly sequence: number;
  /** ISO 8601 UTC. */
  readonly offeredFrom: string;
}

/**
 * The sequences of a line, of withdrawn releases too, and of those that were promoted away from it.
 *
 * @param release is left out itself
 */
export async function listMarks(
  ctx: Ctx,
  release: Pick<Release, 'id' | 'productId' | 'channel' | 'platform' | 'arch'>,
): Promise<Mark[]> {
  const { id, productId, channel, platform, arch } = release;
  const rows = await ofTarget.all(ctx.db, { id, productId, platform, arch });
  return rows.flatMap(({ version, sequence, published_at: publishedAt, ...row }) => {
    const former = readJsonOrNull<Release['formerSequences']>(row.former_sequences)?.[channel];
    // Whoever saw it there saw it before now.
    const left = former === undefined ? [] : [{ version, sequence: former, offeredFrom: '' }];
    if (row.channel !== channel || sequence === null) return left;
    // A withdrawn one may come back any time.
    const offeredFrom = row.state === 'YANKED' ? '' : publishedAt;
    return [...left, { version, sequence: Number(sequence), offeredFrom }];
  });
}

/** Counts of one release (D91). */
export interface StatsRow {
  day: string;
  fromVersion: string;
  checks: number;
  offers: number;
  downloads: number;
}

/**
 * What was counted of a release, by day and version.
 *
 * @param from first day, `YYYY-MM-DD` in UTC; undefined: from the beginning
 */
export async function statsOf(
  ctx: Ctx,
  releaseId: string,
  { from, to }: { from?: string | undefined; to?: string | undefined },
): Promise<StatsRow[]> {
  const query = ctx.db.knex('license_release_stats').where({ release_id: releaseId });
  if (from !== undefined) query.where('day', '>=', from);
  if (to !== undefined) query.where('day', '<=', to);
  const rows: (Record<'day' | 'from_version', string> &
    Record<'checks' | 'offers' | 'downloads', unknown>)[] = await query
    .orderBy(['day', 'from_version'])
    .select('*');
  return rows.map((row) => ({
    day: row.day,
    fromVersion: row.from_version,
    checks: Number(row.checks),
    offers: Number(row.offers),
    downloads: Number(row.downloads),
  }));
}
