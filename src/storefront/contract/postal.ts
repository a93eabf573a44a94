/** Postal codes as zones compare them: without spaces and hyphens, in capital letters. */
const bare = (text: string): string => text.toUpperCase().replaceAll(/[\s-]/g, '');

const RANGE = /^(\d{1,12})\.\.(\d{1,12})$/;

/** Whether a text is a postal code, a beginning of some (`101*`), or a range of digits (`10000..19999`). */
export function isPostalPattern(pattern: string): boolean {
  const text = bare(pattern);
  const [, from, to] = RANGE.exec(text) ?? [];
  if (from !== undefined && to !== undefined) return from.length === to.length && from <= to;
  return /^[A-Z0-9]{1,12}\*?$/.test(text);
}

/** Whether the postal code of a place is one of those that a pattern stands for. */
export function isPostalWithin(
  pattern: string,
  { country, postalCode }: { readonly country: string; readonly postalCode: string | null },
): boolean {
  if (postalCode === null) return false;
  const code = codeOf(country, postalCode);
  const text = bare(pattern);
  const [, from = '', to = ''] = RANGE.exec(text) ?? [];
  if (from !== '') return code.length === from.length && /^\d+$/.test(code) && from <= code && code <= to;
  return text.endsWith('*') ? code.startsWith(text.slice(0, -1)) : code === text;
}

/** The four digits behind the five of a ZIP code name a street, which no zone does. */
function codeOf(country: string, postalCode: string): string {
  const code = bare(postalCode);
  return country.toUpperCase() === 'US' && /^\d{9}$/.test(code) ? code.slice(0, 5) : code;
}
