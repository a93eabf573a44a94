import type { Allowed, Payload } from './point.ts';

/** What a hook changed: as it wrote it, and as the schemas of the use case read it. */
export interface Changed {
  readonly sent: Payload;
  readonly read: Payload;
}

const MOST_BYTES = 1024 * 1024;

/**
 * What a before-hook changed of its payload by what it returned. Fields that it left out stay as they are.
 *
 * @throws Error that names the field which it may not change, or whose new value is not allowed
 */
export function changesOf(
  payload: Payload,
  returned: unknown,
  { changes = {}, computed = [] }: Allowed,
): Changed | null {
  if (returned === undefined) return null;
  const copy = plain(returned);
  const sent: Record<string, unknown> = {};
  const read: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(copy)) {
    if (computed.includes(field) || isSame(payload[field], value)) continue;
    const schema = Object.hasOwn(changes, field) ? changes[field] : undefined;
    if (!schema) throw new Error(notAllowed(field, Object.hasOwn(payload, field), Object.keys(changes)));
    const parsed = schema.safeParse(value);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      const path = [field, ...(issue?.path ?? [])].join('.');
      throw new Error(`it returned a value of ${path} that is not allowed: ${issue?.message}`);
    }
    sent[field] = value;
    read[field] = parsed.data;
  }
  return Object.keys(sent).length > 0 ? { sent, read } : null;
}

function notAllowed(field: string, isKnown: boolean, may: readonly string[]): string {
  const what = may.length > 0 ? `a hook may change ${may.join(', ')}` : 'a hook cannot change anything here';
  return isKnown
    ? `it changed ${field}, which it may not; ${what}`
    : `it returned ${field}, which does not exist; ${what}`;
}

/** Plain JSON of whatever was returned. */
function plain(returned: unknown): Readonly<Record<string, unknown>> {
  const text = JSON.stringify(returned) as string | undefined;
  if (text !== undefined && text.length > MOST_BYTES) throw new Error('it returned more than 1 MB');
  const value: unknown = text === undefined ? undefined : JSON.parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error('it returned something that is not the payload; return the payload, or nothing');
  return value as Readonly<Record<string, unknown>>;
}

const isSame = (before: unknown, after: unknown): boolean =>
  JSON.stringify(sorted(before)) === JSON.stringify(sorted(after));

/** Objects by the order of their names. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, one]) => [name, sorted(one)]),
  );
}
