import type { ConfigEntry } from './resolve.ts';
import { type ConfigKeyName, findConfigKey } from './table.ts';

const mask = '****';

/**
 * Hides the password of a URL, and secrets in its query; every other part stays readable.
 * @returns the URL with `****` for the password; a text that is no URL comes back as it is
 */
export function maskUrlPassword(text: string): string {
  if (!text.includes('://') || !URL.canParse(text)) return text;
  return text
    .replace(/^([a-z][a-z0-9+.-]*:\/\/)([^/?#]*)@/i, (whole, scheme: string, user: string) => {
      const colon = user.indexOf(':');
      return colon < 0 ? whole : `${scheme}${user.slice(0, colon)}:${mask}@`;
    })
    .replace(/([?&](?:password|sslpassword|secret|token)=)[^&#]*/gi, `$1${mask}`);
}

/** Returns an entry as it may be shown: secrets as `****`, passwords inside URLs hidden. */
export function maskEntry(key: ConfigKeyName, entry: ConfigEntry): ConfigEntry {
  const { secret } = findConfigKey(key) ?? {};
  if (secret === undefined || entry.value === null) return entry;
  const value = secret === 'value' ? mask : maskUrlPassword(String(entry.value));
  return { ...entry, value };
}
