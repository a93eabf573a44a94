import { hexDigest, isSigned } from './digest.ts';

/** Older deliveries may be replays, and later ones made for later (D104). */
const WINDOW_SECONDS = 120;

/** A delivery whose signature is asked for. */
export interface SignedDelivery {
  readonly raw: Buffer;
  /** The header that carries the signature; a repeated one arrives joined by `, `. */
  readonly header: string | undefined;
  /** Those in force, the current one first. */
  readonly secrets: readonly string[];
}

/**
 * `t=…,v1=…[,v1=…]`: exactly one time of digits only, at most two minutes away in either direction. The official SDK is
 * laxer (M9): it takes the last of two times, digits with letters behind them, and times in the future.
 *
 * @param receivedMs milliseconds since 1970
 * @returns why the signature does not hold, in words for staff; null when it holds. Never throws
 */
export function stripeSignatureFault(
  { raw, header, secrets }: SignedDelivery,
  receivedMs: number,
): string | null {
  if (header === undefined) return 'the Stripe-Signature header is missing';
  const parts = header.split(',').map((part) => part.trim());
  const times = parts.filter((part) => part.startsWith('t='));
  const time = times.length === 1 ? /^t=(\d{1,15})$/.exec(times[0] as string)?.[1] : undefined;
  if (time === undefined) return 'Stripe-Signature does not have exactly one time';
  const digests = parts
    .filter((part) => part.startsWith('v1='))
    .map((part) => hexDigest(part.slice(3)))
    .filter((digest) => digest !== null);
  if (digests.length === 0) return 'Stripe-Signature has no v1 of 64 hex digits';
  if (!isSigned(digests, secrets, [`${time}.`, raw])) return 'no v1 of Stripe-Signature matches the secret';
  const away = Math.abs(Math.floor(receivedMs / 1000) - Number(time));
  return away > WINDOW_SECONDS ? `the time of Stripe-Signature is ${away} s away` : null;
}
