// Releases in the world of the admin API: a draft that may be published, a published and a withdrawn one.
import type { Ctx } from '#kernel/context.ts';
import { register } from '#licensing/catalog/keys/index.ts';
import type * as products from '#licensing/catalog/products/index.ts';
import { insert } from '../../src/licensing/releases/releases/repository.ts';
import { bundleOf, drafted, keyOf, signed } from '../licensing/release-fixture.ts';

const bytes = bundleOf('the world');

/** Ids of releases, each in the state that its operations need. */
export type ReleaseWorld = { draft: string; release: string; withdrawn: string };

/**
 * Makes them of a product. All worlds share one bundle: the first of a database uploads it, the others write rows.
 * @param product without a signing key
 */
export async function worldReleases(ctx: Ctx, product: products.Product): Promise<ReleaseWorld> {
  await register(ctx, product, { publicKey: keyOf().publicKey, seed: null, label: null });
  const model = await modelOf(ctx, product);
  const at = ctx.now();
  const add = async (version: string, change: Partial<typeof model>): Promise<string> => {
    const id = ctx.newId('rel');
    const own = { tenantId: ctx.tenantId, productId: product.id, productSlug: product.slug };
    await ctx.tx((ctx) =>
      insert(ctx, { ...model, ...own, createdAt: at, updatedAt: at, version, id, ...change }),
    );
    return id;
  };
  const out = { state: 'PUBLISHED', publishedAt: at } as const;
  return {
    draft: await add('2.0.0', {}),
    release: await add('2.0.1', out),
    withdrawn: await add('2.0.2', { ...out, state: 'YANKED', yankedAt: at, yankedReason: 'x' }),
  };
}

const models = new WeakMap<object, Promise<Awaited<ReturnType<typeof drafted>>>>();

/** A signed draft of the bundle, made once per installation. */
function modelOf(ctx: Ctx, product: products.Product) {
  const known = models.get(ctx.storage) ?? drafted(ctx, product, '1.0.0', { bytes, statement: null });
  models.set(ctx.storage, known);
  return known;
}

/** `/releases/{id}` with the release that an operation is right for. */
export function releasePathIn(path: string, { draft, release, withdrawn }: ReleaseWorld): string {
  const id = /\/unyank$/.test(path)
    ? withdrawn
    : /\/(yank|archive|rollout|promote|stats)$/.test(path)
      ? release
      : draft;
  return path.replace('releases/{id}', `releases/${id}`);
}

/** The file of an operation that takes one. */
export const uploaded = { body: bytes, headers: { 'Content-Type': 'application/octet-stream' } };

/** A right body for every operation that takes one. */
export const releaseBodies: Record<string, (world: { product: string }) => object> = {
  'POST /releases': ({ product }) => ({ productId: product, version: '3.0.0', note: 'next' }),
  'PATCH /releases/{id}': () => ({ changelog: 'what is new', rolloutPercent: 12.5 }),
  'PUT /releases/{id}/signature': () => ({ ...signed(bytes), extra: { tauri: 'c2ln' } }),
  'POST /releases/{id}/publish': () => ({ rolloutPercent: 10, note: 'first ten' }),
  'POST /releases/{id}/yank': () => ({ reason: 'crashes', note: 'x' }),
  'POST /releases/{id}/unyank': () => ({}),
  'POST /releases/{id}/archive': () => ({ note: 'old' }),
  'POST /releases/{id}/rollout': () => ({ percent: 50 }),
  'POST /releases/{id}/promote': () => ({ channel: 'rc' }),
};
