// Contents and releases that have them, without signatures: what the storage of bundles is tested with.
import { randomBytes } from 'node:crypto';
import type { Ctx } from '#kernel/context.ts';
import * as products from '#licensing/catalog/products/index.ts';
import { recordBundle, stageBundle } from '#licensing/releases/bundles/index.ts';
import { inPieces } from './stored.ts';

/** Bytes that were kept. */
export type MadeBundle = { bytes: Uint8Array; sha256: string; size: number };

/** Sends bytes and makes them known, as an upload for a release does. */
export async function sendBundle(ctx: Ctx, bytes: Uint8Array = randomBytes(2000)): Promise<MadeBundle> {
  const staged = await stageBundle(ctx, inPieces(bytes, 10));
  try {
    const { location } = await staged.keep();
    await ctx.tx((ctx) => recordBundle(ctx, staged, location));
    return { bytes, sha256: staged.sha256, size: staged.size };
  } finally {
    await staged.discard();
  }
}

/**
 * Writes a release that has the bytes, of a product of its own.
 *
 * @returns its id
 */
export async function releaseOf(
  ctx: Ctx,
  { sha256, size }: MadeBundle,
  state = 'PUBLISHED',
): Promise<string> {
  const slug = `editor-${randomBytes(6).toString('hex')}`;
  const product = await products.create(ctx, { name: slug, slug });
  const id = ctx.newId('rel');
  const now = ctx.now();
  await ctx.tx(async ({ db }) => {
    await db.knex('license_releases').insert({
      id,
      state,
      tenant_id: ctx.tenantId,
      product_id: product.id,
      version: '1.2.3',
      channel: 'stable',
      changelog: '',
      bundle_filename: 'editor.bin',
      bundle_size: size,
      bundle_sha256: sha256,
      bundle_sha512: '',
      signature: 'none',
      key_id: '0'.repeat(16),
      required_entitlements: '[]',
      published_at: now,
      created_at: now,
      updated_at: now,
    });
  });
  return id;
}
