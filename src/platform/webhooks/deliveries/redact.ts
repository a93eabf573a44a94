import type { TargetOutcome } from '#kernel/outbound/types.ts';
import type { Credentials } from './sender.ts';

const REDACTED = '[redacted]';

/** What an answer may repeat of a secret, whoever's it is (D126). */
const SECRETS: readonly [pattern: RegExp, by: string][] = [
  [/\bsha256=[0-9a-f]{16,}/gi, `sha256=${REDACTED}`],
  [/(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/gi, REDACTED],
  [/\b(bearer|basic)\s+[\w.~+/=-]{8,}/gi, `$1 ${REDACTED}`],
  // License keys: a prefix, then at least four groups of four.
  [/(?<![A-Za-z0-9])[A-Za-z0-9]{2,10}(?:-[A-Za-z0-9]{4}){4,20}(?![A-Za-z0-9])/g, REDACTED],
  // Credentials of this program: license and store keys, admin tokens, signing secrets.
  [/\b[a-z]{3}_[A-Za-z0-9_-]{40,}/g, REDACTED],
];

/** Shorter values stand in many texts without being meant. */
const SHORTEST_VALUE = 6;

/** Headers of an answer that tell what stood at the other end. */
const KEPT_HEADERS = [
  'content-type',
  'content-length',
  'date',
  'location',
  'retry-after',
  'server',
  'www-authenticate',
  'x-request-id',
];
const LONGEST_HEADER = 200;

/** How many bytes more to read than are kept: a secret that is cut in two would not be recognised. */
export const REDACTION_MARGIN = 512;

/** Removes from a text what may be a secret: patterns, and the webhook's own secrets and header values. */
export function redact(text: string, { secret, previous, headers }: Credentials): string {
  let clean = text;
  for (const value of [secret, previous, ...Object.values(headers)]) {
    if (value !== null && value.length >= SHORTEST_VALUE) clean = clean.replaceAll(value, REDACTED);
  }
  for (const [pattern, by] of SECRETS) clean = clean.replaceAll(pattern, by);
  return clean;
}

/**
 * What the log of deliveries keeps of an answer: a few headers, and the beginning of the body without secrets.
 *
 * @param excerptBytes of UTF-8
 */
export function redactAnswer(
  outcome: TargetOutcome,
  credentials: Credentials,
  excerptBytes: number,
): { headers: Record<string, string>; excerpt: string } | null {
  if (!('status' in outcome)) return null;
  const clean = (text: string): string => redact(text, credentials);
  const kept = KEPT_HEADERS.flatMap((name): [string, string][] => {
    const value = outcome.headers[name];
    return value === undefined ? [] : [[name, cut(clean(value), LONGEST_HEADER)]];
  });
  return { headers: Object.fromEntries(kept), excerpt: cut(clean(outcome.excerpt), excerptBytes) };
}

/** The beginning of a text, in whole characters. */
function cut(text: string, bytes: number): string {
  const whole = Buffer.from(text.replaceAll('\0', '\uFFFD'));
  if (whole.length <= bytes) return whole.toString();
  let end = bytes;
  // Not between the bytes of one character: those that continue one begin with the bits 10.
  while (end > 0 && ((whole[end] as number) & 0xc0) === 0x80) end -= 1;
  return whole.subarray(0, end).toString();
}
