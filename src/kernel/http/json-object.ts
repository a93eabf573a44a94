import { z } from 'zod';
import { type Checked, codePoints, report, textFault } from './fields.ts';

/** Any value that JSON can carry. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** A JSON object with its own properties only. */
export type JsonObject = { [key: string]: Json };

/** Bounds of a free JSON object. */
export interface JsonBounds {
  maxKeys: number;
  /** Most code points of a key; the fewest are 1. */
  maxKeyLength: number;
  /** Most code points of a value's string form: the text itself, else its JSON. */
  maxValueLength: number;
}

const DEEPEST = 32;

/**
 * A JSON object with bounded keys and values (licensing D51). The result is a copy that holds own properties
 * only; `__proto__` is an ordinary key in it and never reaches a prototype.
 */
export function jsonObject(bounds: JsonBounds): z.ZodType<JsonObject, JsonObject> {
  const schema = z.unknown().check((checked) => {
    if (checked.value === undefined) return void report(checked, 'required', 'is required');
    if (!isPlainObject(checked.value)) return void report(checked, 'invalid_type', 'must be an object');
    // Object.fromEntries defines properties, it does not assign them: `__proto__` stays a key.
    if (withinBounds(checked, checked.value, bounds))
      checked.value = Object.fromEntries(Object.entries(checked.value));
  });
  return schema.meta({
    type: 'object',
    additionalProperties: true,
    maxProperties: bounds.maxKeys,
    description:
      `At most ${bounds.maxKeys} keys of 1 to ${bounds.maxKeyLength} characters; ` +
      `a value has at most ${bounds.maxValueLength} characters as text or JSON`,
  }) as unknown as z.ZodType<JsonObject, JsonObject>;
}

function withinBounds(
  checked: Checked<unknown>,
  object: Record<string, unknown>,
  bounds: JsonBounds,
): boolean {
  const before = checked.issues.length;
  const keys = Object.keys(object);
  if (keys.length > bounds.maxKeys) {
    report(checked, 'too_big', `must have at most ${bounds.maxKeys} keys`);
    return false;
  }
  for (const key of keys) {
    const fault = textFault(key, 1, bounds.maxKeyLength);
    if (fault !== null) report(checked, fault.rule, `key ${fault.message}`, [key]);
    else checkValue(checked, key, object[key], bounds.maxValueLength);
  }
  return checked.issues.length === before;
}

function checkValue(checked: Checked<unknown>, key: string, value: unknown, max: number): void {
  const fault = jsonFault(value, DEEPEST);
  if (fault !== null) return void report(checked, 'invalid_json', fault, [key]);
  const form = typeof value === 'string' ? value : JSON.stringify(value);
  if (form.length > max && codePoints(form) > max) {
    report(checked, 'too_big', `must have at most ${max} characters as text`, [key]);
  }
}

/** Why a value cannot be stored as JSON, or null. `depth` is the number of levels that may still follow. */
function jsonFault(value: unknown, depth: number): string | null {
  if (value === null || typeof value === 'boolean') return null;
  if (typeof value === 'number') return Number.isFinite(value) ? null : 'must be a finite number';
  if (typeof value === 'string') return textFault(value, 0, value.length)?.message ?? null;
  if (depth === 0) return `must not be nested deeper than ${DEEPEST} levels`;
  if (!Array.isArray(value) && !isPlainObject(value)) return 'must be JSON';
  for (const [key, item] of Object.entries(value)) {
    const fault = textFault(key, 0, key.length)?.message ?? jsonFault(item, depth - 1);
    if (fault !== null) return fault;
  }
  return null;
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
