import { InvalidValue } from './errors.ts';

interface Field {
  readonly name: string;
  readonly least: number;
  readonly most: number;
  /** Words for the numbers from `least` on; the first three letters are enough. */
  readonly words: readonly string[];
  /** A form that only this field has, for example `L` for the last day of a month. */
  readonly own?: RegExp;
}

const FIELDS: readonly Field[] = [
  { name: 'minute', least: 0, most: 59, words: [] },
  { name: 'hour', least: 0, most: 23, words: [] },
  { name: 'day', least: 1, most: 31, words: [], own: /^(?:l|lw|(?:[1-9]|[12]\d|3[01])w)$/ },
  {
    name: 'month',
    least: 1,
    most: 12,
    words: 'january february march april may june july august september october november december'.split(' '),
  },
  {
    name: 'weekday',
    least: 0,
    most: 7,
    words: 'sunday monday tuesday wednesday thursday friday saturday'.split(' '),
    own: /^[0-7]l$/,
  },
];

const LONGEST_MONTHS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const HINT = 'write it as "30 3 * * *" (every day at 3:30) or "0 4 * * 0" (Sundays at 4:00), or off';

/**
 * Five fields of cron, or `off`. By the rules of the library that jobs use, which every command would wait for: what
 * passes here, it reads.
 *
 * @throws InvalidValue that names the field
 */
export function parseSchedule(text: string): string {
  if (text === 'off') return text;
  const parts = text.toLowerCase().split(' ');
  const refuse = (why: string): never => {
    throw new InvalidValue(`"${text}" is not a valid schedule: ${why}`, HINT);
  };
  if (parts.length !== FIELDS.length) refuse('it needs five fields: minute, hour, day, month, weekday');
  for (const [at, field] of FIELDS.entries()) {
    const part = parts[at] ?? '';
    if (!part.split(',').every((item) => isItem(field, item)))
      refuse(`${field.name} must be ${field.least} to ${field.most}, not ${part === '' ? 'empty' : part}`);
  }
  const [, , days = '', months = ''] = parts;
  if (neverComes(days, months)) refuse(`month ${months} has no day ${days}`);
  return text;
}

/** `*`, `5`, `1-5`, the last two with a step, or what only this field has. */
function isItem(field: Field, item: string): boolean {
  if (field.own?.test(item)) return true;
  const [range = '', step, ...rest] = item.split('/');
  const ends = range.split('-');
  const isRange = range === '*' || ends.length === 2;
  if (rest.length > 0 || (step !== undefined && !(isRange && /^[1-9]\d{0,2}$/.test(step)))) return false;
  return range === '*' || (ends.length <= 2 && ends.every((end) => numberOf(field, end) !== null));
}

function numberOf({ least, most, words }: Field, text: string): number | null {
  const word = words.findIndex((one) => one === text || one.slice(0, 3) === text);
  const number = /^\d{1,2}$/.test(text) ? Number(text) : word < 0 ? -1 : least + word;
  return number >= least && number <= most ? number : null;
}

/** Days that none of the months has, such as 30 February. */
function neverComes(days: string, months: string): boolean {
  if (!/^[\d,]+$/.test(days)) return false;
  const month = FIELDS[3] as Field;
  const wanted = months.split(',').map((one) => numberOf(month, one));
  const longest = Math.max(...wanted.map((one) => (one === null ? 31 : (LONGEST_MONTHS[one - 1] ?? 31))));
  return days.split(',').every((day) => Number(day) > longest);
}
