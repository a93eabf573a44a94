import type { Ctx } from '#kernel/context.ts';
import { readJsonOrNull } from '#kernel/db/columns.ts';
import { filter } from '#kernel/db/selection/filter.ts';
import { selection } from '#kernel/db/selection/selection.ts';
import { statement } from '#kernel/db/statement.ts';
import * as products from '#licensing/catalog/products/index.ts';
import { RELEASE_CHANNELS, type ReleaseChannel } from '#licensing/contract/enumerations.ts';
import type { Release } from './release.ts';
import { COLUMNS, FROM, type ReadRow, toRelease } from './repository.ts';
import { archField, platformField } from './schemas.ts';
import { RELEASE_STATES, type ReleaseState } from './states.ts';

/** Releases that the actor may see. */
export const releaseRows = selection<Release, ReadRow>({
  from: ({ db }) => db.knex(FROM).join('license_products as p', 'p.id', 'r.product_id'),
  id: 'r.id',
  scope: { tenant: 'r.tenant_id', license_product: 'r.product_id' },
  columns: COLUMNS,
  read: toRelease,
  filters: {
    productId: products.productFilter('r.product_id'),
    channel: filter.choice(RELEASE_CHANNELS, { label: 'Channel', column: 'r.channel' }),
    state: filter.choice(RELEASE_STATES, { label: 'State', column: 'r.state' }),
    // Aliases are names, too, and an empty one is a value: for any.
    platform: filter.other('text', platformField(), {
      label: 'Platform',
      apply: (query, platform) => void query.where('r.platform', platform),
    }),
    arch: filter.other('text', archField(), {
      label: 'Processor',
      apply: (query, arch) => void query.where('r.arch', arch),
    }),
    signed: filter.flag({
      label: 'Signed',
      column: (query, signed) => void query[signed ? 'whereNotNull' : 'whereNull']('r.signature'),
    }),
    critical: filter.flag({ label: 'Critical', column: 'r.is_critical' }),
    created: filter.times({ label: 'Created', column: 'r.created_at' }),
    published: filter.times({ label: 'Published', column: 'r.published_at' }),
  },
  search: {
    placeholder: 'Version, product or changelog',
    by: ['r.version', 'p.slug', 'p.name', 'r.changelog'],
  },
  sorts: {
    created: 'r.created_at',
    updated: 'r.updated_at',
    published: { column: 'r.published_at', isNullable: true },
    version: 'r.version',
    product: 'p.slug',
    channel: 'r.channel',
    state: 'r.state',
  },
  initial: '-created',
});

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
