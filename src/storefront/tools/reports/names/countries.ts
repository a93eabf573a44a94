/** English names of countries; the code where there is none, and words for none at all. */
export function nameCountries(): (code: string) => string {
  const names = new Intl.DisplayNames(['en'], { type: 'region' });
  return (code) => (/^[A-Z]{2}$/.test(code) ? (names.of(code) ?? code) : code || 'Unknown');
}
