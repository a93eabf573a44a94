/** Made when it is first asked for: the first format of a process reads the tables of languages, 15 ms of a start. */
let format: Intl.NumberFormat | undefined;

/** A figure for people: `1,234.5`. */
export function figureText(value: number): string {
  format ??= new Intl.NumberFormat('en', { maximumFractionDigits: 1 });
  return format.format(value);
}
