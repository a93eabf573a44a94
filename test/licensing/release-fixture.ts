// A product with a key in use, and releases of it: what the tests of releases and updates share.
import { createHash } from 'node:crypto';
import type { Ctx } from '#kernel/context.ts';
import { type SigningKey, signingKeyOf } from '#kernel/ed25519.ts';
import { register } from '#licensing/catalog/keys/index.ts';
import * as products from '#licensing/catalog/products/index.ts';
import * as releases from '#licensing/releases/releases/index.ts';
import { StatementInput, signStatement } from '#signing/releases/statement.ts';

/** A key that is the same in every run; `n` tells several apart. */
export const keyOf = (n = 1): SigningKey => signingKeyOf(Buffer.alloc(32, n));

/** The bytes of a bundle, others for every text. */
export const bundleOf = (text: string): Buffer => Buffer.from(`the bytes of ${text}\n`.repeat(100));

export async function* sourceOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 1000) yield bytes.subarray(at, at + 1000);
}

/** Makes a product whose releases `key` signs. */
export async function signedProduct(
  ctx: Ctx,
  slug: string,
  extra: Partial<products.ProductCreateInput> = {},
  key = keyOf(),
): Promise<products.Product> {
  const product = await products.create(ctx, { name: slug, slug, ...extra });
  await register(ctx, product, { publicKey: key.publicKey, seed: null, label: null });
  return product;
}

/** What `release sign` writes about bytes; with a statement when `said` holds what it says. */
export function signed(
  bytes: Buffer,
  said: Partial<StatementInput> | null = null,
  { key = keyOf(), now = '2026-03-01T12:00:00.000Z' }: { key?: SigningKey; now?: string } = {},
): releases.SignatureSent & { keyId: string } {
  const digest = { size: bytes.length, sha256: createHash('sha256').update(bytes).digest() };
  const statement = said && signStatement(StatementInput.parse(said), digest, key, now);
  return { signature: key.sign(digest.sha256).toString('base64'), keyId: key.keyId, ...statement };
}

/** What makes a release beside its product and version. */
export type Draft = Partial<releases.ReleaseCreateInput> & {
  bytes?: Buffer;
  key?: SigningKey;
  /** Null: without a statement. Else what the statement says beside what the release says. */
  statement?: Partial<StatementInput> | null;
};

/** A draft with bundle and signature, ready to be published. */
export async function drafted(
  ctx: Ctx,
  product: { id: string; slug: string },
  version: string,
  { bytes = bundleOf(`${product.slug} ${version}`), key = keyOf(), statement = {}, ...more }: Draft = {},
): Promise<releases.Release> {
  const made = await releases.create(ctx, { productId: product.id, version, ...more });
  await releases.attachBundle(ctx, made.id, { filename: `app-${version}.zip`, source: sourceOf(bytes) });
  const { channel, platform, arch, isCritical, requiresMigration, minFromVersion } = made;
  const own = {
    product: product.slug,
    version,
    channel,
    platform,
    arch,
    isCritical,
    requiresMigration,
    minFromVersion,
  };
  const said = statement && { ...own, sequence: sequenceOf(version), ...statement };
  return releases.attachSignature(ctx, made.id, signed(bytes, said, { key, now: ctx.now() }));
}

/** A release that is published. */
export const published = async (
  ctx: Ctx,
  product: { id: string; slug: string },
  version: string,
  draft: Draft & { at?: string } = {},
): Promise<releases.Release> => {
  const { at, ...rest } = draft;
  const { id } = await drafted(ctx, product, version, rest);
  return releases.publish(ctx, id, { at });
};

/** Rises with the version: 2.1.0 is 2,001,000. */
const sequenceOf = (version: string): number =>
  version
    .split(/[-+]/, 1)
    .flatMap((numbers) => numbers.split('.'))
    .reduce((sum, part) => sum * 1000 + Number(part), 0);
