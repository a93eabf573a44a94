import type { Checked } from '#kernel/http/fields.ts';
import { report } from '#kernel/http/fields.ts';

const MOST_HEADERS = 10;
const LONGEST_VALUE = 1024;
const LONGEST_TOGETHER = 4096;

/** The same bounds, as the OpenAPI document states them. */
export const headersBound = {
  maxProperties: MOST_HEADERS,
  description:
    `At most ${MOST_HEADERS} headers; a value has 1 to ${LONGEST_VALUE} characters of printable ASCII, ` +
    `names and values together at most ${LONGEST_TOGETHER}`,
};

/** A token of RFC 9110 that begins with a letter or digit. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9!#$%&'*+.^_`|~-]{0,63}$/;
/** Visible ASCII with blanks inside: what every server reads alike. */
const VALUE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/**
 * Names that belong to the request itself, to the connection, or to what receivers verify: with one of these a webhook
 * could smuggle a second request, name another host or forge a signature.
 */
const RESERVED = new Set([
  'accept-encoding',
  'connection',
  'expect',
  'forwarded',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
  'via',
]);
const RESERVED_PREFIXES = ['content-', 'proxy-', 'x-webhook-', 'x-forwarded-'];

/** Refuses headers that a webhook may not have, each with its reason. */
export function checkHeaders(checked: Checked<Record<string, string>>): void {
  const entries = Object.entries(checked.value);
  if (entries.length > MOST_HEADERS) {
    report(checked, 'too_big', `must have at most ${MOST_HEADERS} headers`);
    return;
  }
  const seen = new Set<string>();
  for (const [name, value] of entries) {
    const fault = nameFault(name, seen) ?? valueFault(value);
    if (fault !== null) report(checked, 'invalid_header', fault, [name]);
    seen.add(name.toLowerCase());
  }
  const together = entries.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  if (together > LONGEST_TOGETHER)
    report(checked, 'too_big', `must have at most ${LONGEST_TOGETHER} characters together`);
}

function nameFault(name: string, seen: ReadonlySet<string>): string | null {
  const lower = name.toLowerCase();
  if (!NAME.test(name)) return 'is not a valid header name';
  if (seen.has(lower)) return 'appears twice';
  const isReserved = RESERVED.has(lower) || RESERVED_PREFIXES.some((prefix) => lower.startsWith(prefix));
  return isReserved ? 'is set by the server itself' : null;
}

function valueFault(value: string): string | null {
  if (value.length > LONGEST_VALUE) return `must have at most ${LONGEST_VALUE} characters`;
  return VALUE.test(value)
    ? null
    : 'must be printable ASCII without leading or trailing spaces, and not empty';
}
