import { isUtf8 } from 'node:buffer';
import { UnreadableBody } from './body.ts';

/** The fields of a form as they came; a name may come several times. */
export type FormFields = ReadonlyMap<string, readonly string[]>;

/** Field of the token: never a field of a capability. */
export const CSRF_FIELD = '_csrf';

/** More fields than a person fills in. */
export const MOST_FIELDS = 500;
export const LONGEST_NAME = 100;

/**
 * Reads `a=1&b=2` as browsers write it. What cannot be decoded is refused and not replaced, as in JSON bodies (D4).
 *
 * @throws UnreadableBody for what is not UTF-8, a wrong escape, U+0000, too many fields, a name that is too long
 */
export function parseForm(bytes: Buffer, mostFields = MOST_FIELDS): FormFields {
  if (!isUtf8(bytes)) throw new UnreadableBody('the form is not valid UTF-8');
  const fields = new Map<string, string[]>();
  const pairs = bytes.length === 0 ? [] : bytes.toString('utf8').split('&', mostFields + 1);
  if (pairs.length > mostFields) throw new UnreadableBody(`the form has more than ${mostFields} fields`);
  for (const pair of pairs) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decode(equals === -1 ? pair : pair.slice(0, equals));
    addField(fields, name, equals === -1 ? '' : decode(pair.slice(equals + 1)));
  }
  return fields;
}

/** @throws UnreadableBody for a name that is too long and for U+0000, which no database stores faithfully */
export function addField(fields: Map<string, string[]>, name: string, value: string): void {
  if (name.length > LONGEST_NAME) throw new UnreadableBody('the name of a field is too long');
  if (value.includes('\0') || name.includes('\0'))
    throw new UnreadableBody('fields of a form must not contain U+0000');
  const values = fields.get(name);
  if (values) values.push(value);
  else fields.set(name, [value]);
}

function decode(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    throw new UnreadableBody('the form contains an escape that is not valid UTF-8');
  }
}
