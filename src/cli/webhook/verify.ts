import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { equalSecrets } from '#kernel/crypto.ts';

/** What the signature of a request is worth. */
export interface Verdict {
  /** null where no secret is given to check with. */
  valid: boolean | null;
  /** In words: `ok`, `missing`, `wrong`, … */
  signature: string;
}

/**
 * Checks X-Webhook-Signature as every receiver has to: HMAC-SHA256 over the bytes as they came, compared without telling
 * by time where they differ (spec, Request headers). After a rotation the old secret is found by its own header (D120).
 *
 * @param secret undefined: nothing can be checked
 */
export function verify(headers: IncomingHttpHeaders, raw: Buffer, secret: string | undefined): Verdict {
  const sent = one(headers['x-webhook-signature']);
  if (sent === undefined) return { valid: secret === undefined ? null : false, signature: 'missing' };
  if (secret === undefined) return { valid: null, signature: 'not checked' };
  const wanted = `sha256=${createHmac('sha256', secret).update(raw).digest('hex')}`;
  if (equalSecrets(sent, wanted)) return { valid: true, signature: 'ok' };
  const previous = one(headers['x-webhook-signature-previous']);
  if (previous !== undefined && equalSecrets(previous, wanted))
    return { valid: true, signature: 'ok, by the secret before the last rotation' };
  if (!/^sha256=[0-9a-f]{64}$/.test(sent))
    return { valid: false, signature: 'wrong: not of the form sha256=<64 hex digits>' };
  return { valid: false, signature: 'wrong: a different secret, or the body was changed on the way' };
}

const one = (value: string | string[] | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined;
