import { isBeforeEpoch } from './clock.ts';
import { secureRandom } from './random.ts';

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const owners = new Map<string, string>();
let latestMs = Number.NaN;
let latestOrdinal = 0;

/**
 * Reserves the id prefixes of one capability. A prefix names one table of the whole database,
 * so a second owner is refused at start (storefront-domain section 2).
 *
 * @param prefixes name of the thing to its three-letter prefix, `{license: 'lic'}`
 * @throws Error when another table has the prefix already
 */
export function defineIds<T extends Record<string, string>>(prefixes: T): T {
  for (const [name, prefix] of Object.entries(prefixes)) {
    const owner = owners.get(prefix);
    if (owner !== undefined && owner !== name) throw new Error(`id prefix ${prefix} belongs to ${owner}`);
    if (!/^[a-z]{3}$/.test(prefix)) throw new Error(`id prefix ${prefix} is not three letters`);
    owners.set(prefix, name);
  }
  return prefixes;
}

/**
 * A new id: prefix, `_` and a ULID, 30 characters that sort by time of creation and cannot be guessed. Ids that one
 * process makes within a millisecond sort in the order in which they were made: two events of one change must not
 * change places in a timeline.
 *
 * @param prefix three letters, declared with defineIds
 * @param epochMs time of creation in milliseconds
 * @throws RangeError for a time before 1970, which a ULID cannot hold
 */
export function newId(prefix: string, epochMs: number): string {
  if (isBeforeEpoch(epochMs)) throw new RangeError(`no id can be created at ${epochMs} ms, before 1970`);
  let time = '';
  let rest = epochMs;
  for (let i = 0; i < 10; i++) {
    time = ALPHABET[rest % 32] + time;
    rest = Math.floor(rest / 32);
  }
  return `${prefix}_${time}${ordinal(epochMs)}${randomCharacters(12)}`;
}

/** When an id was made, in milliseconds; null for what is no id. */
export function madeAt(id: string): number | null {
  const [, time] = /^[a-z]{3}_([0-7][0-9A-HJKMNP-TV-Z]{9})[0-9A-HJKMNP-TV-Z]{16}$/.exec(id) ?? [];
  return time === undefined ? null : [...time].reduce((ms, digit) => ms * 32 + ALPHABET.indexOf(digit), 0);
}

/** Four characters: random in the lower half for the first id of a millisecond, then one more for each further one. */
function ordinal(epochMs: number): string {
  latestOrdinal = epochMs === latestMs ? latestOrdinal + 1 : secureRandom(2).readUInt16BE() * 8;
  latestMs = epochMs;
  let text = '';
  for (let i = 0, rest = latestOrdinal; i < 4; i++, rest = Math.floor(rest / 32))
    text = ALPHABET[rest % 32] + text;
  return text;
}

function randomCharacters(count: number): string {
  let text = '';
  for (const byte of secureRandom(count)) text += ALPHABET[byte & 31];
  return text;
}

/** Whether a text has the form of an id with this prefix. */
export const isId = (prefix: string, text: string): boolean =>
  text.length === 30 && text.startsWith(`${prefix}_`) && /^[0-9A-HJKMNP-TV-Z]{26}$/.test(text.slice(4));
