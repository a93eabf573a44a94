import type { Ctx } from '#kernel/context.ts';
import type { BundleIdentity } from './verify.ts';

/** A content that customers may be sent, and one of the releases that have it. */
export interface ServedBundle extends BundleIdentity {
  readonly releaseId: string;
  readonly product: string;
  readonly version: string;
}

/**
 * Contents of published and archived releases of all tenants, the newest release first; each content once.
 *
 * @param releases at most so many of the newest ones; all when absent
 */
export async function listServed(ctx: Ctx, releases?: number): Promise<ServedBundle[]> {
  const query = ctx.db
    .knex('license_releases as r')
    .join('license_products as p', 'p.id', 'r.product_id')
    .whereIn('r.state', ['PUBLISHED', 'ARCHIVED'])
    .orderBy([
      { column: 'r.published_at', order: 'desc' },
      { column: 'r.id', order: 'desc' },
    ])
    .select('r.bundle_sha256 as sha256', 'r.bundle_size as size', 'r.id', 'p.slug', 'r.version');
  const rows = await (releases === undefined ? query : query.limit(releases));
  const served = new Map<string, ServedBundle>();
  for (const { sha256, size, id, slug, version } of rows) {
    if (served.has(sha256)) continue;
    served.set(sha256, { sha256, size: Number(size), releaseId: id, product: slug, version });
  }
  return [...served.values()];
}
