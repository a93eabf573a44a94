import type { Ctx } from '#kernel/context.ts';
import { secureRandom } from '#kernel/random.ts';
import {
  canonicalKey,
  formatOf,
  generateKey,
  type KeyFormat,
  keyPrefix,
  keyShape,
} from '#licensing/catalog/key-formats/index.ts';
import { fail } from '#licensing/contract/errors.ts';
import { ids } from '#licensing/contract/ids.ts';
import { keyDigest } from '../../standing/index.ts';
import * as repo from './repository.ts';

const KEY_TRIES = 5;

/**
 * Draws the current key of a license in the format of its product, and stores it (D56).
 *
 * @param product `keyFormatId` of the product, null for the tenant's or the built-in format
 * @returns the whole key
 */
export const drawKey = async (
  ctx: Ctx,
  licenseId: string,
  product: { keyFormatId: string | null },
): Promise<string> => drawKeyIn(ctx, licenseId, await formatOf(ctx, product), 'CURRENT');

/** Draws a key of a kind in a format, and stores it. @returns the whole key */
export async function drawKeyIn(
  ctx: Ctx,
  licenseId: string,
  format: KeyFormat,
  kind: 'CURRENT' | 'HONEYPOT',
): Promise<string> {
  for (let tries = 0; tries < KEY_TRIES; tries++) {
    const key = generateKey(format, secureRandom);
    if (await store(ctx, licenseId, key, kind)) return key;
  }
  throw new Error(`no unused license key was found in ${KEY_TRIES} tries`);
}

/**
 * Stores an own key, which keeps its spelling and is found in any case (D11).
 *
 * @throws AppError INVALID_KEY; VALIDATION_ERROR when the key is taken
 */
export async function keepKey(ctx: Ctx, licenseId: string, key: string): Promise<string> {
  if (!keyShape(key)) throw fail('INVALID_KEY', 'a license key may only contain letters, digits and hyphens');
  if (await store(ctx, licenseId, key, 'CURRENT')) return key;
  throw fail('VALIDATION_ERROR', 'key is taken by another license', {
    details: {
      reason: 'DUPLICATE',
      issues: [{ path: 'key', rule: 'unique', message: 'is taken by another license' }],
    },
  });
}

const store = (ctx: Ctx, licenseId: string, key: string, kind: 'CURRENT' | 'HONEYPOT'): Promise<boolean> =>
  repo.insert(ctx, {
    id: ctx.newId(ids.licenseKey),
    licenseId,
    digest: keyDigest(ctx, canonicalKey(key)),
    sealed: ctx.keyring.seal('license-key', key, licenseId),
    prefix: keyPrefix(key),
    isCanonical: key === canonicalKey(key),
    kind,
    overlapUntil: null,
    thenHoneypot: false,
    replacedAt: null,
    createdAt: ctx.now(),
  });
