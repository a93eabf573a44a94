import { isUtf8 } from 'node:buffer';
import { email, textFault } from '#kernel/http/fields.ts';
import type { PurchaseItem } from './event.ts';

type JsonRecord = Record<string, unknown>;

const isRecord = (value: unknown): value is JsonRecord =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/** The JSON object of a body; null when it is none. It may be of any depth: nothing here walks through all of it. */
export function parseBody(raw: Buffer): JsonRecord | null {
  if (!isUtf8(raw)) return null;
  try {
    const value: unknown = JSON.parse(raw.toString('utf8'));
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}

/** The value below these names; undefined where there is none. Only an object's own names count. */
export function at(value: unknown, ...names: string[]): unknown {
  let found = value;
  for (const name of names) {
    if (!isRecord(found) || !Object.hasOwn(found, name)) return undefined;
    found = found[name];
  }
  return found;
}

/** A text of 1 to `max` characters that both databases can hold; a whole number counts as its digits. */
export function textOf(value: unknown, max = 255): string | null {
  const text = Number.isSafeInteger(value) ? String(value) : value;
  return typeof text === 'string' && textFault(text, 1, max) === null ? text : null;
}

/** The first of these that is a text. */
export const firstText = (...values: unknown[]): string | null =>
  values.map((value) => textOf(value)).find((text) => text !== null) ?? null;

const anEmail = email();

/** The first of these that is an e-mail address. */
export function firstEmail(...values: unknown[]): string | null {
  for (const value of values) {
    const parsed = anEmail.safeParse(value);
    if (parsed.success) return parsed.data;
  }
  return null;
}

/** Id of something that a processor may also send whole. */
export const idOf = (value: unknown): string | null => firstText(value, at(value, 'id'));

/** The line of a product. @param quantity absent counts as 1; digits in a text count as their number */
export function itemOf(ids: readonly unknown[], quantity: unknown): PurchaseItem | null {
  const externalIds = [...new Set(ids.map((id) => textOf(id)).filter((id) => id !== null))];
  return externalIds.length === 0 ? null : { externalIds, quantity: quantityOf(quantity) };
}

function quantityOf(value: unknown): number | null {
  if (value === undefined || value === null) return 1;
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) ? number : null;
}

/** The lines of a list, as `read` reads each; those that name no product are left out. */
export const itemsOf = (list: unknown, read: (line: unknown) => PurchaseItem | null): PurchaseItem[] =>
  Array.isArray(list) ? list.map(read).filter((item) => item !== null) : [];
