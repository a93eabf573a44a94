import { z } from 'zod';
import { scopeOf } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import { sha256Hex } from '#kernel/crypto.ts';
import type { Endpoint } from '#kernel/http/endpoint.ts';
import type { Asked, Seal } from '#kernel/http/surface.ts';
import { isNonce } from '#licensing/contract/fields.ts';
import { signResponses } from '#licensing/contract/settings.ts';
import { signerFor } from './signer.ts';

/**
 * Tells which answers are signed (licensing 6.13): those of endpoints whose body or query knows the field `nonce`,
 * when the request carries a valid one. A refusal is signed as well, once the input was read.
 */
export function answerSeals(
  endpoints: readonly Endpoint[],
): (endpoint: Endpoint, asked: Asked) => Seal | null {
  const places = new Map<Endpoint, keyof Asked>();
  for (const endpoint of endpoints) {
    if (knowsNonce(endpoint.body)) places.set(endpoint, 'body');
    else if (knowsNonce(endpoint.query)) places.set(endpoint, 'query');
  }
  return (endpoint, asked) => {
    const place = places.get(endpoint);
    const nonce = place === undefined ? undefined : nonceIn(asked[place]);
    return nonce === undefined ? null : (ctx, answer) => sign(ctx, nonce, answer);
  };
}

const knowsNonce = (schema: z.ZodType | undefined): boolean =>
  schema instanceof z.ZodObject && Object.hasOwn(schema.shape, 'nonce');

function nonceIn(input: unknown): string | undefined {
  if (typeof input !== 'object' || input === null || !Object.hasOwn(input, 'nonce')) return undefined;
  const { nonce } = input as { nonce: unknown };
  return isNonce(nonce) ? nonce : undefined;
}

/** The headers of a signed answer; none when nobody may sign for the product. */
async function sign(
  ctx: Ctx,
  nonce: string,
  { status, text }: { status: number; text: string },
): Promise<Record<string, string>> {
  const productId = ctx.settings.get(signResponses) ? productOf(ctx) : null;
  const signer = productId === null ? null : await signerFor(ctx, productId, 'response');
  if (!signer) return {};
  const date = ctx.now();
  const signed = ['response/v1', String(status), date, nonce, sha256Hex(text)].join('\n');
  const signature = signer.sign(Buffer.from(signed, 'ascii')).toString('base64url');
  return {
    'X-Response-Date': date,
    'X-Response-Signature': `v1;kid=${signer.keyId};sig=${signature}`,
    'X-Response-Delegation': signer.delegation,
  };
}

/** The product of the license; for an unknown key the only one that the API key is bound to. */
function productOf({ actor, origin }: Ctx): string | null {
  const [only, ...others] = scopeOf(actor, 'license_product') ?? [];
  return origin.trail?.owner ?? (others.length === 0 ? (only ?? null) : null);
}
