import type { z } from 'zod';
import type { ProductKeysView } from '#licensing/catalog/keys/view.ts';
import { formatPublicKey } from '#signing/keys/public-key-text.ts';
import type { MinisignSigner } from '#signing/releases/minisign-signature.ts';
import { at, type Desk } from '../desk/desk.ts';

/** A product as far as releases concern it. */
export interface DeskProduct {
  /** Slug or id, as it was named. */
  readonly reference: string;
  /** Its release keys. */
  readonly keys: z.output<typeof ProductKeysView>['items'];
}

/** Reads the release keys of a product. @throws NOT_FOUND for one that is neither slug nor id */
export async function productOf(desk: Desk, reference: string): Promise<DeskProduct> {
  const { items } = await desk.get<z.output<typeof ProductKeysView>>(at`products/${reference}/keys`);
  return { reference, keys: items };
}

/** Makes the public half of a key the ACTIVE one of a product that has none, else its NEXT one. */
export async function registerKey(
  desk: Desk,
  { reference }: DeskProduct,
  { publicKey, minisignId = null }: MinisignSigner,
): Promise<void> {
  // Only minisign's own form tells the id that it gave to the key.
  const form = minisignId === null ? 'base64' : 'minisign';
  await desk.post(at`products/${reference}/keys`, {
    publicKey: formatPublicKey(publicKey, form, minisignId),
  });
}
