import { addSeconds, SECONDS_PER_DAY } from '#kernel/clock.ts';
import type { Table } from '#kernel/records/table.ts';
import { checkInput } from '#kernel/service/input.ts';
import { later } from '#kernel/sharing.ts';
import { StaffCreateBody, type StaffCreateInput } from '../schemas.ts';

/** How a cell of CSV becomes a value; JSON has its types already. */
type Reading = 'text' | 'integer' | 'flag' | 'json';

/** The fields of create, and two ways to say how long. Columns may also be called as the options of `license mint`. */
const fields: Readonly<Record<string, { reading: Reading; option?: string }>> = {
  productId: { reading: 'text', option: 'product' },
  customerEmail: { reading: 'text', option: 'email' },
  customerName: { reading: 'text', option: 'name' },
  type: { reading: 'text' },
  tier: { reading: 'text' },
  maxActivations: { reading: 'integer' },
  validUntil: { reading: 'text' },
  days: { reading: 'integer' },
  perpetual: { reading: 'flag' },
  orderId: { reading: 'text' },
  metadata: { reading: 'json' },
  policyId: { reading: 'text', option: 'policy' },
  features: { reading: 'json' },
  maxVersion: { reading: 'text' },
  maxUses: { reading: 'integer' },
  gracePeriodSeconds: { reading: 'integer', option: 'grace' },
  notes: { reading: 'text' },
  key: { reading: 'text' },
  force: { reading: 'flag' },
  idempotencyKey: { reading: 'text' },
};

const normal = (name: string): string => name.toLowerCase().replaceAll(/[\s._-]/g, '');
const byName = new Map(
  Object.entries(fields).flatMap(([field, { option }]): [string, string][] => [
    [normal(field), field],
    ...(option === undefined ? [] : [[option, field] as [string, string]]),
  ]),
);
const METADATA = /^metadata\.(.+)$/i;

/** Names of the fields that a column may stand for. */
export const rowFields: readonly string[] = Object.keys(fields);

/** How a caller says what is wrong with a row, and reads its times. */
export interface RowReader {
  /** @param cure what to change */
  refuse(message: string, cure?: string): Error;
  /** A date without a time is the end of that day. @throws what `refuse` makes */
  time(text: string): string;
}

/** The field of a column; null for a column that means nothing here. */
export const fieldOf = (column: string): string | null =>
  METADATA.test(column) ? 'metadata' : (byName.get(normal(column)) ?? null);

/**
 * Refuses a header with columns that nobody would read: a misspelt one would otherwise mint licenses without it.
 *
 * @throws what `refuse` makes
 */
export function checkColumns({ columns }: Pick<Table, 'columns'>, refuse: RowReader['refuse']): void {
  const named = (columns ?? []).filter((column) => column !== '');
  const unknown = named.filter((column) => fieldOf(column) === null);
  if (unknown.length > 0) {
    const known = Object.keys(fields).join(', ');
    throw refuse(`unknown column: ${unknown.join(', ')}`, `columns are ${known} and metadata.NAME`);
  }
  const single = named.filter((column) => !METADATA.test(column)).map((column) => fieldOf(column));
  const twice = single.find((field, index) => single.indexOf(field) !== index);
  if (twice) throw refuse(`two columns are called ${twice}`);
  for (const field of columns === null ? [] : ['productId', 'customerEmail']) {
    if (!single.includes(field)) throw refuse(`the column ${field} is missing`);
  }
}

/** What a row asks for. */
export interface RowAsked {
  input: StaffCreateInput;
  /** Value of its column idempotencyKey. */
  ownKey: string | undefined;
  /** Its end counts from now, so that the same row differs from run to run. */
  endMoves: boolean;
  /** Its end is a date without a time. */
  endsWithDay: boolean;
}

/** What a row may say: the rest is the command's. */
const RowBody = later(() =>
  StaffCreateBody.omit({ idempotencyKey: true, mustBeNew: true, source: true, withKey: true }),
);

/**
 * The input of create that a row describes, checked as the API checks a body.
 *
 * @param kind of the table: texts are read as what their field demands
 * @param now the column days counts from it; ISO 8601 UTC
 * @throws AppError VALIDATION_ERROR; what `reader` refuses with for a term or an own key that is none
 */
export function readRow(
  values: ReadonlyMap<string, unknown>,
  kind: Table['values'],
  now: string,
  reader: RowReader,
): RowAsked {
  const row = collect(values, kind);
  const { days, perpetual, idempotencyKey, ...input } = row;
  const until = endOf(row, now, reader);
  const checked = checkInput(RowBody, { ...input, ...(until !== undefined && { validUntil: until }) });
  const { validUntil } = row;
  return {
    input: checked,
    ownKey: ownKeyOf(idempotencyKey, reader),
    endMoves: days !== undefined,
    endsWithDay: typeof validUntil === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(validUntil),
  };
}

/** What a row writes where its e-mail address belongs, valid or not; null when there is nothing. */
export function emailIn(values: ReadonlyMap<string, unknown>): string | null {
  const [, email] = [...values].find(([column]) => fieldOf(column) === 'customerEmail') ?? [];
  return typeof email === 'string' && email.trim() !== '' ? email.trim() : null;
}

function ownKeyOf(value: unknown, { refuse }: RowReader): string | undefined {
  if (value === undefined || value === null) return undefined;
  const length = typeof value === 'string' ? [...value].length : 0;
  if (length >= 1 && length <= 255) return value as string;
  throw refuse('idempotencyKey must have 1 to 255 characters');
}

function collect(values: ReadonlyMap<string, unknown>, kind: Table['values']): Record<string, unknown> {
  const row: [string, unknown][] = [];
  const metadata: [string, unknown][] = [];
  for (const [column, value] of values) {
    const entry = METADATA.exec(column)?.[1];
    const field = fieldOf(column) ?? column;
    const read = kind === 'text' ? fromText(String(value), readingOf(field)) : value;
    if (read === undefined) continue;
    if (entry === undefined) row.push([field, read]);
    else metadata.push([entry, kind === 'text' ? String(value).trim() : value]);
  }
  const own = row.find(([field]) => field === 'metadata')?.[1];
  const isObject = typeof own === 'object' && own !== null && !Array.isArray(own);
  if (metadata.length > 0 && (own === undefined || isObject)) {
    row.push(['metadata', Object.fromEntries([...Object.entries(own ?? {}), ...metadata])]);
  }
  // Properties are defined, not assigned: a field that is called __proto__ is an unknown one like any other.
  return Object.fromEntries(row);
}

const readingOf = (field: string): Reading =>
  (Object.hasOwn(fields, field) ? fields[field]?.reading : null) ?? 'text';

/** An empty cell is no value. What cannot be read stays a text, which the check then refuses by name. */
function fromText(cell: string, reading: Reading): unknown {
  const text = cell.trim();
  if (text === '') return undefined;
  if (reading === 'integer') return /^-?\d{1,15}$/.test(text) ? Number(text) : text;
  if (reading === 'flag')
    return /^(true|yes|1)$/i.test(text) || (/^(false|no|0)$/i.test(text) ? false : text);
  if (reading === 'text') return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** undefined asks for the default, null for a license without an end (licensing D47). */
function endOf(
  row: Record<string, unknown>,
  now: string,
  { refuse, time }: RowReader,
): string | null | undefined {
  const { validUntil, days, perpetual } = row;
  const given = [
    validUntil !== undefined && 'validUntil',
    days !== undefined && 'days',
    perpetual === true && 'perpetual',
  ];
  const named = given.filter((name) => name !== false);
  if (named.length > 1) throw refuse(`${named.join(' and ')} exclude each other`);
  if (perpetual === true || validUntil === null) return null;
  if (days !== undefined) {
    if (Number.isInteger(days) && Number(days) >= 1 && Number(days) <= 3660) {
      return addSeconds(now, Number(days) * SECONDS_PER_DAY);
    }
    throw refuse('days must be a whole number from 1 to 3660');
  }
  return typeof validUntil === 'string' ? time(validUntil) : undefined;
}
