import type { ConfigEntry } from './resolve.ts';
import { type ConfigKeyName, findConfigKey } from './table.ts';

const mask = '****';

/** Addresses of files have no password, and their paths may hold any character. */
const OF_FILES = /^(?:sqlite|file):/i;
const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;
const NAMES = '[\\w-]*(?:password|passwd|pwd|secret|token|signature|api[_-]?key)|sig|auth|key';
const IN_QUERY = new RegExp(`([?&](?:${NAMES})=)[^&]*`, 'gi');
/** `host=… password=…`: a value may hold blanks, so that nothing after it is shown. */
const IN_WORDS = new RegExp(`((?:^|[\\s?&;])(?:${NAMES})\\s*=)[^]*`, 'gi');

/**
 * Hides the password of an address, and secrets in its query; other parts stay readable. A text that is no URL may be one
 * whose password has characters that belong percent-encoded: all between the first colon and the last `@` is hidden.
 *
 * @returns the text with `****` for what may be a password; the address of a file comes back as it is
 */
export function maskUrlPassword(text: string): string {
  if (OF_FILES.test(text)) return text;
  const scheme = SCHEME.exec(text)?.[0] ?? '';
  // An @ inside a parameter may be the one before the host: it stays, so that all before it is hidden too.
  const rest = text
    .slice(scheme.length)
    .replace(scheme === '' ? IN_WORDS : IN_QUERY, (whole, name: string) =>
      whole.includes('@') ? `${name}${mask}@` : name + mask,
    );
  const [colon, at] = [rest.indexOf(':'), rest.lastIndexOf('@')];
  return colon < 0 || at < colon
    ? scheme + rest
    : `${scheme}${rest.slice(0, colon)}:${mask}${rest.slice(at)}`;
}

/** Whether an address holds a password or another secret. */
export const holdsPassword = (text: string): boolean => maskUrlPassword(text) !== text;

/** Returns an entry as it may be shown: secrets as `****`, passwords inside URLs hidden. */
export function maskEntry(key: ConfigKeyName, entry: ConfigEntry): ConfigEntry {
  const { secret } = findConfigKey(key) ?? {};
  if (secret === undefined || entry.value === null) return entry;
  const value = secret === 'value' ? mask : maskUrlPassword(String(entry.value));
  return { ...entry, value };
}
