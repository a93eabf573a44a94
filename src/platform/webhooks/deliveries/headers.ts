import { hmacSha256Hex } from '#kernel/crypto.ts';
import type { Credentials } from './sender.ts';

/** One request to a receiver, before it is signed. */
export interface Sendable {
  /** Name of the event. */
  readonly event: string;
  /** Equal in every attempt and redelivery: receivers tell repeats by it. */
  readonly eventId: string;
  /** Byte for byte what is sent. */
  readonly body: string;
  /** 1, 2, 3 … within its run. */
  readonly n: number;
  readonly isRedelivery: boolean;
}

const SIGNATURES = new Set(['x-webhook-signature', 'x-webhook-signature-previous']);
const REDACTED = '[redacted]';

/**
 * The headers of one request (spec, Request headers; D120). X-Webhook-Id, -Timestamp, -Signature-Previous and
 * -Redelivery are additive.
 *
 * @param about `sender` whose name User-Agent tells; `sentAt` ISO time of the sending
 */
export function headersOf(
  sendable: Sendable,
  { secret, previous, headers }: Credentials,
  about: { sender: string; sentAt: string },
): Record<string, string> {
  const { event, eventId, body, n, isRedelivery } = sendable;
  const documented: Record<string, string> = {
    'Content-Type': 'application/json',
    'User-Agent': userAgent(about.sender),
    'X-Webhook-Event': event,
    'X-Webhook-Attempt': String(n),
    'X-Webhook-Signature': signature(secret, body),
    'X-Webhook-Id': eventId,
    'X-Webhook-Timestamp': about.sentAt,
    ...(previous !== null && { 'X-Webhook-Signature-Previous': signature(previous, body) }),
    ...(isRedelivery && { 'X-Webhook-Redelivery': 'true' }),
  };
  return { ...documented, ...without(headers, documented) };
}

/** What the log of deliveries keeps of them: neither a signature nor what the webhook's owner added. */
export function redactHeaders(
  sent: Readonly<Record<string, string>>,
  own: Readonly<Record<string, string>>,
): Record<string, string> {
  const isOwn = (name: string): boolean => Object.hasOwn(own, name);
  return Object.fromEntries(
    Object.entries(sent).map(([name, value]) => [
      name,
      SIGNATURES.has(name.toLowerCase()) || isOwn(name) ? REDACTED : value,
    ]),
  );
}

/** HMAC-SHA256 over the exact bytes of the body (spec, Request headers). */
const signature = (secret: string, body: string): string => `sha256=${hmacSha256Hex(secret, body)}`;

/** A name may hold what a header may not: a product of a user agent is a token (RFC 9110). */
function userAgent(sender: string): string {
  const token = sender.replaceAll(/[^!#$%&'*+.^_`|~0-9A-Za-z-]+/g, '-').replaceAll(/^-+|-+$/g, '');
  return `${token || 'appctl'}/1.0`;
}

/** A header of the owner never replaces one that receivers rely on. */
function without(
  own: Readonly<Record<string, string>>,
  documented: Readonly<Record<string, string>>,
): Record<string, string> {
  const taken = new Set(Object.keys(documented).map((name) => name.toLowerCase()));
  return Object.fromEntries(
    Object.entries(own).filter(
      ([name]) => !taken.has(name.toLowerCase()) && !name.toLowerCase().startsWith('x-webhook-'),
    ),
  );
}
