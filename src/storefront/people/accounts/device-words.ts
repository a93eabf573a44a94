const BROWSERS = { Edg: 'Edge', OPR: 'Opera', Firefox: 'Firefox', Chrome: 'Chrome', Safari: 'Safari' };
const SYSTEMS = {
  iPhone: 'iPhone',
  iPad: 'iPad',
  Android: 'Android',
  Windows: 'Windows',
  'Mac OS X': 'macOS',
  CrOS: 'ChromeOS',
  Linux: 'Linux',
};

const found = (names: Readonly<Record<string, string>>, isThere: (sign: string) => boolean): string[] =>
  Object.keys(names)
    .filter(isThere)
    .slice(0, 1)
    .flatMap((sign) => names[sign] ?? []);

/** The name of a browser; null for one that is not known. */
export const browserName = (userAgent: string | null): string | null =>
  found(BROWSERS, (sign) => userAgent?.includes(`${sign}/`) ?? false)[0] ?? null;

/** Browser and system of a device, such as `Firefox, Windows`; empty where neither is known. */
export const deviceWords = (userAgent: string | null): string =>
  [browserName(userAgent), ...found(SYSTEMS, (sign) => userAgent?.includes(sign) ?? false)]
    .filter((part) => part !== null)
    .join(', ');
