import { z } from 'zod';

/** What of a field's schema decides how a form shows and reads it. */
export interface FieldSchema {
  readonly base: z.ZodType;
  /** May be left out, and may be emptied. */
  readonly isOptional: boolean;
  readonly isNullable: boolean;
  /** A text that may have nothing in it. */
  readonly takesEmpty: boolean;
  readonly meta: Readonly<Record<string, unknown>>;
}

/** Takes off what a schema is wrapped in: optional, null, a default, a transformation. */
export function unwrap(schema: unknown): FieldSchema {
  let meta: Record<string, unknown> = {};
  let one = schema as z.ZodType;
  for (;;) {
    meta = { ...one.meta(), ...meta };
    const { innerType, in: input } = one.def as { innerType?: z.ZodType; in?: z.ZodType };
    const inner = innerType ?? input;
    if (!inner) break;
    one = inner;
  }
  const read = (value: unknown) => z.safeParse(schema as z.ZodType, value);
  const none = read(null);
  // A null that is read as left out clears nothing.
  const isNullable = none.success && none.data === null;
  return {
    base: one,
    isOptional: read(undefined).success,
    isNullable,
    takesEmpty: one instanceof z.ZodString && read('').success,
    meta,
  };
}

/** A value of a choice as people write it: `bank_transfer` is `bank transfer`. */
export const valueWords = (value: string): string =>
  /^[a-z][a-z0-9]*(?:_[a-z0-9]+)+$/.test(value) ? value.replaceAll('_', ' ') : value;

/** `validUntil` and `valid-until` are called `Valid until`; what people write in capitals stays so. */
export function labelOf(name: string): string {
  const words = name
    .replaceAll(/[_-]+/g, ' ')
    .replaceAll(/([a-z])(\d+)(?=[A-Z])/g, '$1 $2')
    .replaceAll(/([a-z\d])([A-Z])/g, (_, one: string, two: string) => `${one} ${two.toLowerCase()}`)
    .split(' ')
    .map((word) => CAPITALS[word.toLowerCase()] ?? word);
  const text = words.join(' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const CAPITALS: Readonly<Record<string, string>> = {
  id: 'ID',
  ids: 'IDs',
  ip: 'IP',
  ips: 'IPs',
  url: 'URL',
  http: 'HTTP',
  os: 'OS',
  ms: 'ms',
  api: 'API',
  json: 'JSON',
  sha256: 'SHA-256',
};
