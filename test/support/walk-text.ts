// What differs from one walk to the next, and what fits a terminal.
import { userInfo } from 'node:os';

/** Words that a person pastes: a terminal folds them, and they are copied as one line. A fact has its title before. */
const ONE_PIECE =
  /^\s*(?:\w+: +|[A-Z]\w+ +)?(?:(?:\w+=\$\()?(?:npx )?appctl .*|curl .*|\S+)$|^\{.*\}$|^[\w ]+? {2,}\S+$/;

/** Whether a line needs more room than there is, though words of it could stand on another line. */
export const isTooWide = (line: string, columns: number): boolean =>
  line.length > columns && !line.startsWith('$ ') && !ONE_PIECE.test(line);

const times = [
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, '2027-01-31T12:00:00.000Z'],
  [/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, '2027-01-31 12:00:00'],
  [/\d{4}-\d\d-\d\d \d\d:\d\d/g, '2027-01-31 12:00'],
  [/\b\d{4}-\d\d-\d\d\b/g, '2027-01-31'],
  [/\b\d\d:\d\d:\d\d\.\d{3}\b/g, '12:00:00.000'],
  [/\b\d+(?:\.\d+)? ms\b/g, '12 ms'],
  [/\bup \d+ seconds?\b/g, 'up 2 seconds'],
  [/\brunning for \d+ seconds?\b/g, 'running for 2 seconds'],
] as const;

const texts = [
  [/\bpid \d+/g, 'pid 4711'],
  [/\bSQLite \d+\.\d+\.\d+/g, 'SQLite 3.54.1'],
  [/\b\d+(?:\.\d)? KiB\b/g, '12 KiB'],
  [/\b\d+\.\d [KMG]iB\b/g, '4.2 MiB'],
  [/\bwrote \d+ files\b/g, 'wrote 300 files'],
  [/\b\d+ migrations\b/g, '100 migrations'],
  [/\bapplied=\d+/g, 'applied=72'],
  [/\bsequence +\d{10}\b/g, 'sequence         1795889375'],
] as const;

/** What is random, each by as many letters: where lines are broken stays the same. */
const random = [
  /(?<=\b(?:alk|ask|adt|whsec|tok)_)[A-Za-z0-9_-]{16,}/g,
  /(?<=token=)[\w-]{20,}/g,
  /(?<![\w/+])[A-Za-z0-9+/]{40,}={0,2}(?![\w/+])/g,
  /\b(?=[0-9a-f]*[a-f])[0-9a-f]{12,64}\b/g,
  /(?<=^Password +)\S+/gm,
] as const;

/** Makes what masks the text of one walk. */
export function createMask({ home, port }: { home: string; port: number }): (text: string) => string {
  const idNumbers = numbers();
  const keyNumbers = numbers();
  const ids = (_: string, prefix: string, rest: string): string => {
    const number = rest.length === 26 ? String(idNumbers(prefix, rest)).padStart(2, '0') : '';
    return `${prefix}_01${'X'.repeat(rest.length - 2 - number.length)}${number}`;
  };
  const keys = (_: string, first: string, rest: string): string =>
    `APP-K${String(keyNumbers('APP', first)).padStart(3, '0')}${rest.replaceAll(/[0-9A-Z]/g, 'X')}`;
  return (text) => {
    let masked = text
      // A prompt may break the path anywhere before it.
      .replaceAll(home.slice(-6), 'XXXXXX')
      .replaceAll(`:${port}`, ':8480')
      .replaceAll(`by ${userInfo().username}`, 'by ann');
    for (const [pattern, by] of [...times, ...texts]) masked = masked.replaceAll(pattern, by);
    for (const pattern of random) masked = masked.replaceAll(pattern, (word) => 'x'.repeat(word.length));
    return masked
      .replaceAll(/\b([a-z]{3})_(01[0-9A-HJKMNP-TV-Z]{2,24})\b/g, ids)
      .replaceAll(/\bAPP-([0-9A-Z]{4})((?:-(?:[0-9A-Z]{4}|\*{4}))*)/g, keys);
  };
}

/** Numbers things of one kind in the order in which they appear. */
function numbers(): (kind: string, text: string) => number {
  const known = new Map<string, string[]>();
  return (kind, text) => {
    const all = known.get(kind) ?? [];
    known.set(kind, all);
    if (!all.includes(text)) all.push(text);
    return all.indexOf(text) + 1;
  };
}
