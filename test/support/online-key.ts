// A product whose online key may sign, with the root key in the hands of the test.
import type { Ctx } from '#kernel/context.ts';
import { generateSeed, type SigningKey, signingKeyOf } from '#kernel/ed25519.ts';
import * as signingKeys from '#licensing/catalog/keys/index.ts';
import { type DelegationUse, signDelegation } from '#signing/keys/delegation.ts';

/** What a delegation may say otherwise. */
export type Terms = {
  uses?: DelegationUse[];
  days?: number;
  product?: string;
  publicKey?: Buffer;
  at?: string;
};

export type DelegatedProduct = {
  root: SigningKey;
  keyId: string;
  publicKey: Buffer;
  /** Signs another delegation of the online key, by this root key or another. */
  sign(terms?: Terms, by?: SigningKey): string;
};

/** A new root key of a product, registered; the private half stays here. */
export async function registerRoot(ctx: Ctx, product: { id: string; slug: string }): Promise<SigningKey> {
  const root = signingKeyOf(generateSeed());
  await signingKeys.register(ctx, product, { publicKey: root.publicKey, seed: null, label: null });
  return root;
}

/** Registers a root key, makes the online key and, unless `terms` is null, stores its delegation. */
export async function delegatedProduct(
  ctx: Ctx,
  product: { id: string; slug: string },
  terms: Terms | null = {},
): Promise<DelegatedProduct> {
  const root = await registerRoot(ctx, product);
  const made = await signingKeys.createOnline(ctx, product.slug);
  const publicKey = Buffer.from(made.publicKey, 'base64');
  const sign = (other: Terms = {}, by: SigningKey = root) =>
    signDelegation(
      {
        product: other.product ?? product.slug,
        publicKey: other.publicKey ?? publicKey,
        uses: other.uses ?? ['license', 'timestamp', 'response'],
        days: other.days ?? 400,
      },
      by,
      other.at ?? ctx.now(),
    );
  if (terms !== null) await signingKeys.delegate(ctx, made.keyId, sign(terms));
  return { root, keyId: made.keyId, publicKey, sign };
}
