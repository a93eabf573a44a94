import type { Ctx } from '#kernel/context.ts';
import { type SigningKey, signingKeyOf } from '#kernel/ed25519.ts';
import { memoryKey } from '#kernel/process-memory.ts';
import {
  compactDelegation,
  type Delegation,
  type DelegationUse,
  unixSeconds,
} from '#signing/keys/delegation.ts';
import { openSeed } from '../sealed-seed.ts';
import { judgeDelegation } from './delegation-fault.ts';
import * as repo from './repository.ts';

/** The online key of a product, ready to sign what its delegation allows. */
export interface OnlineSigner {
  readonly keyId: string;
  /** `<DP>.<DS>`, which every signed message carries. */
  readonly delegation: string;
  /** Unix seconds: from here on nothing that it signed is believed. */
  readonly expiresAt: number;
  sign(message: Uint8Array): Buffer;
}

/** A key that was opened, and the stored texts that it was opened from: it serves as long as they are the same. */
interface Opened {
  readonly sealed: string;
  readonly text: string;
  readonly key: SigningKey;
  readonly delegation: Delegation;
}

/** Opened keys by product. At rest they are sealed; opening one on every request would cost more than signing. */
const openedKeys = memoryKey('online-keys', () => new Map<string, Opened>());

/**
 * The online key that may sign for a product now (licensing 6.1). The row is read every time, so a new delegation, a
 * rotation or a retired root key counts from the next call on, in every process.
 *
 * @returns null when the product has no online key, or no delegation that is valid now and allows `use`
 */
export async function signerFor(
  ctx: Ctx,
  productId: string,
  use: DelegationUse,
): Promise<OnlineSigner | null> {
  const { online, roots } = await repo.listInForce(ctx, productId);
  const row = online.find(({ status }) => status === 'ACTIVE');
  const opened = row && openKey(ctx, row, roots);
  if (!opened) return null;
  const { key, delegation, text } = opened;
  const seconds = unixSeconds(ctx.now());
  // What was opened once may have run out since, its root key may be retired, and the product may have another slug.
  const isInForce =
    delegation.nbf <= seconds &&
    seconds < delegation.exp &&
    delegation.prd === row.productSlug &&
    roots.some(({ keyId }) => keyId === delegation.root);
  if (!isInForce || !delegation.use.includes(use)) return null;
  return {
    keyId: key.keyId,
    delegation: compactDelegation(text),
    expiresAt: delegation.exp,
    sign: (message) => key.sign(message),
  };
}

function openKey(ctx: Ctx, row: repo.OnlineKeyRow, roots: readonly repo.RootKey[]): Opened | null {
  const { productId, privateKey: sealed, delegation: text } = row;
  if (text === null) return null;
  const kept = ctx.memory.of(openedKeys).get(productId);
  if (kept && kept.sealed === sealed && kept.text === text) return kept;
  const judged = judgeDelegation(text, row, roots, ctx.now());
  if ('fault' in judged) return null;
  const opened = { sealed, text, key: signingKeyOf(openSeed(ctx, row)), delegation: judged.delegation };
  ctx.memory.of(openedKeys).set(productId, opened);
  return opened;
}

/**
 * A signed message of the online key (licensing 6.1): `<kind>/<P>.<S>.<DP>.<DS>`.
 *
 * @param payload becomes JSON
 */
export function signMessage(signer: OnlineSigner, kind: 'license' | 'timestamp', payload: object): string {
  const message = `${kind}/${Buffer.from(JSON.stringify(payload)).toString('base64url')}`;
  const signature = signer.sign(Buffer.from(message, 'ascii')).toString('base64url');
  return `${message}.${signature}.${signer.delegation}`;
}
