import type { Ctx } from '#kernel/context.ts';
import { sha256Hex } from '#kernel/crypto.ts';
import { signerFor, signMessage } from '#licensing/catalog/keys/index.ts';
import { timestampTtlSeconds } from '#licensing/contract/settings.ts';
import { unixSeconds } from '#signing/keys/delegation.ts';
import type { Release } from '../releases/index.ts';

/** What was asked and answered. */
export interface Stamped {
  readonly product: { readonly id: string; readonly slug: string };
  readonly channel: string;
  readonly platform: string | undefined;
  readonly arch: string | undefined;
  /** The installed version as it was sent, without a leading v. */
  readonly installed: string;
  readonly offer: Pick<Release, 'version' | 'sequence' | 'statement'> | null;
  readonly nonce: string | undefined;
  readonly asker: Sender;
}

/** Who asks: what else the answer depends on, each as it was sent; empty where it was not. */
export interface Sender {
  readonly licenseKey: string;
  readonly keyIds: string;
  readonly machineId: string;
}

/**
 * The proof that an answer about updates is recent (licensing 6.3), signed by the online key. It can never make a
 * release acceptable; without it a client notices after a while that somebody keeps the news from it.
 *
 * @param now ISO 8601 UTC
 * @returns null when the product has no online key that may sign timestamps
 */
export async function timestampToken(ctx: Ctx, stamped: Stamped, now: string): Promise<string | null> {
  const { product, channel, platform, arch, installed, offer, nonce, asker } = stamped;
  const signer = await signerFor(ctx, product.id, 'timestamp');
  if (!signer) return null;
  const iat = unixSeconds(now);
  return signMessage(signer, 'timestamp', {
    v: 1,
    kid: signer.keyId,
    prd: product.slug,
    ch: channel,
    plat: platform ?? '',
    arch: arch ?? '',
    cur: installed,
    // Who may ask in another's name would get a true answer, to another question, that keeps a release back.
    ask: digestOf(`${asker.licenseKey}\n${asker.keyIds}\n${asker.machineId}`),
    offer: offer?.version ?? null,
    seq: offer?.sequence ?? null,
    sts: offer?.statement ? digestOf(offer.statement) : null,
    nonce: nonce ?? null,
    iat,
    exp: iat + ctx.settings.get(timestampTtlSeconds),
  });
}

const digestOf = (text: string): string => Buffer.from(sha256Hex(text), 'hex').toString('base64url');
