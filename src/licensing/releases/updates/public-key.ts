import type { Ctx } from '#kernel/context.ts';
import { publicKeyToDer, publicKeyToPem } from '#kernel/ed25519.ts';
import { type ClientKey, publicKeysForClients } from '#licensing/catalog/keys/index.ts';
import * as products from '#licensing/catalog/products/index.ts';
import { fail } from '#licensing/contract/errors.ts';
import { idOfVisitor } from '#platform/tenants/index.ts';
import type { PublicKeyAnswer, PublicKeyAsked } from './schemas.ts';

/**
 * The keys that verify a product's releases (spec, GET /api/v1/updates/public-key; D95, D98, D99). It needs no
 * credential, and what it tells must not be trusted: an application embeds its keys.
 *
 * @param host as the header Host says it
 * @throws AppError NOT_FOUND for an unknown tenant or product, and for one without a key
 */
export async function publicKey(
  ctx: Ctx,
  { product: slug, tenant, format }: PublicKeyAsked,
  host: string | undefined,
): Promise<PublicKeyAnswer> {
  const tenantId = await idOfVisitor(ctx, tenant, host);
  const productId = await products.idOfSlug(ctx.with({ tenantId }), slug);
  if (productId === null) throw fail('NOT_FOUND', 'Product not found');
  const keys = await publicKeysForClients(ctx, productId);
  const [first] = keys;
  if (!first) throw fail('NOT_FOUND', 'The product has no release key');
  const forms = {
    pem: publicKeyToPem(first.publicKey),
    raw: rawOf(first),
    der: publicKeyToDer(first.publicKey).toString('base64'),
  };
  return {
    public_key: forms[format],
    algorithm: 'Ed25519',
    key_id: first.keyId,
    public_key_raw: forms.raw,
    public_key_der: forms.der,
    keys: keys.map((key) => ({
      key_id: key.keyId,
      status: key.status,
      public_key_raw: rawOf(key),
      created_at: key.createdAt,
      ...(key.activateAt !== null && { activate_at: key.activateAt }),
      ...(key.continuity !== null && { continuity: key.continuity }),
    })),
  };
}

/** A key that verifies releases, as its reader copies it. */
export interface ReleaseKey {
  readonly keyId: string;
  readonly status: ClientKey['status'];
  /** SPKI, of several lines. */
  readonly publicKeyPem: string;
  /** 32 bytes in base64. */
  readonly publicKeyRaw: string;
}

/**
 * The keys that verify the releases of a product, the one in use first; each release names its own (licensing 2.12).
 *
 * @param productId of a license that the caller may see
 */
export const publicKeysFor = async (ctx: Ctx, productId: string): Promise<ReleaseKey[]> =>
  (await publicKeysForClients(ctx, productId)).map((key) => ({
    keyId: key.keyId,
    status: key.status,
    publicKeyPem: publicKeyToPem(key.publicKey),
    publicKeyRaw: rawOf(key),
  }));

const rawOf = ({ publicKey }: ClientKey): string => publicKey.toString('base64');
