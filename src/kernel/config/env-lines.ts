const QUOTES = ['"', "'", '`'];

/**
 * The first line of an env file that sets nothing and is no comment, which `parseEnv` of Node leaves out without a word.
 * A value in quotes may have several lines. Systemd reads such files too: there `;` begins a comment, and a backslash at
 * the end of a line goes on in the next one.
 *
 * @returns its number from 1; null when there is none
 */
export function strayLine(text: string): number | null {
  const lines = text.split('\n');
  for (let at = 0; at < lines.length; at += 1) {
    const line = (lines[at] ?? '').trim();
    if (line === '' || /^[#;]/.test(line)) continue;
    const [, value] = /^[^=]*=\s*(.*)$/.exec(line) ?? [];
    if (value === undefined) return at + 1;
    at = lastLineOf(lines, at, value);
  }
  return null;
}

/** Where a value ends. A quote that nothing closes is a part of the value. */
function lastLineOf(lines: readonly string[], first: number, value: string): number {
  const [quote = ''] = value;
  if (QUOTES.includes(quote)) {
    if (value.includes(quote, 1)) return first;
    const end = lines.findIndex((line, at) => at > first && line.includes(quote));
    if (end >= 0) return end;
  }
  let last = first;
  while (last < lines.length - 1 && /\\\r?$/.test(lines[last] ?? '')) last += 1;
  return last;
}
