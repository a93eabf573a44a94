import { isDeepStrictEqual } from 'node:util';
import type { AuditEntry } from '#kernel/context.ts';

/** What a row shows instead of a secret. */
export const MASK = '***';

/** Fields of an object that differ, apart by whether everybody who reads the log may see them. */
export interface Side {
  readonly open: Record<string, unknown>;
  /** Of the person: sealed under a key of their own. */
  readonly personal: Record<string, unknown>;
}

/** What was there and what is there now; null where there was or is nothing. */
export interface Sides {
  readonly before: Side | null;
  readonly after: Side | null;
  /** Whom the personal fields are about; null when nobody is named. */
  readonly person: string | null;
}

/**
 * Takes out of an event what differs between the two sides: all of it where one of them is missing.
 *
 * @param entry with `before` and `after`, or with a diff `{field: [before, after]}`
 */
export function sidesOf({ event }: AuditEntry): Sides {
  const { before, after } = given(event);
  // Most values are the same or plain: comparing objects costs more than all the rest.
  const differs = (name: string) =>
    !before || !after || (before[name] !== after[name] && !isDeepStrictEqual(before[name], after[name]));
  const names = Object.keys({ ...before, ...after }).filter(differs);
  const record = event.target?.record;
  const person = record?.person ? (after?.[record.person] ?? before?.[record.person] ?? null) : null;
  const id = typeof person === 'string' ? person : record?.person === 'id' ? event.subject : null;
  const side = (values: Values | null): Side | null => {
    if (!values) return null;
    const [open, personal]: [Values, Values] = [{}, {}];
    for (const name of names) {
      const value = values[name];
      if (value === undefined) continue;
      const traits = record?.columns[name]?.traits;
      if (traits?.isSecret || isSecretName(name)) open[name] = value === null ? null : MASK;
      else if (!traits?.personal) open[name] = value;
      // Nobody could ever erase what is about a person whom the record does not name.
      else if (id === null) open[name] = value === null ? null : MASK;
      else personal[name] = value;
    }
    return { open, personal };
  };
  return { before: side(before), after: side(after), person: id };
}

type Values = Record<string, unknown>;

function given({ before, after, diff }: AuditEntry['event']): {
  before: Values | null;
  after: Values | null;
} {
  if (before !== undefined || after !== undefined)
    return { before: (before ?? null) as Values | null, after: (after ?? null) as Values | null };
  if (!diff) return { before: null, after: null };
  const pairs = Object.entries(diff as Record<string, [unknown, unknown]>);
  return {
    before: Object.fromEntries(pairs.map(([name, [old]]) => [name, old])),
    after: Object.fromEntries(pairs.map(([name, [, now]]) => [name, now])),
  };
}

/** A field that no record describes is a secret when its name says so; `secretReplaced` says that something happened. */
const isSecretName = (name: string): boolean =>
  /(password|passphrase|secret|token|hash|seed|privateKey|rawKey|recoveryCodes)$/i.test(name);
