// Reading JSON of which nothing is known yet.
import { ClientError } from './errors.ts';
import type { Json } from './json.ts';

export type JsonObject = { [key: string]: Json };

/** A server takes half of it. What is nested without end breaks whatever reads it level by level. */
const DEEPEST = 64;

/** @returns null for a text that is not a JSON object, or one that is nested too deep */
export function parseObject(text: string | null): JsonObject | null {
  if (text === null || isNestedTooDeep(text)) return null;
  try {
    const value = JSON.parse(text) as Json;
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** Told from the text: to parse one that is all brackets takes seconds. */
function isNestedTooDeep(text: string): boolean {
  let depth = 0;
  let isQuoted = false;
  for (let place = 0; place < text.length && depth <= DEEPEST; place += 1) {
    const char = text[place] as string;
    if (char === '"') isQuoted = !isQuoted;
    else if (isQuoted) place += char === '\\' ? 1 : 0;
    else if (char === '[' || char === '{') depth += 1;
    else if (char === ']' || char === '}') depth -= 1;
  }
  return depth > DEEPEST;
}

export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const isText = (value: Json | undefined): value is string => typeof value === 'string';
export const isFlag = (value: Json | undefined): value is boolean => typeof value === 'boolean';
export const isInteger = (value: Json | undefined): value is number => Number.isSafeInteger(value);
export const isCount = (value: Json | undefined): value is number => isInteger(value) && value >= 0;
export const isInstant = (value: Json | undefined): value is string =>
  isText(value) && !Number.isNaN(Date.parse(value));
export const isNull = (value: Json | undefined): value is null => value === null;

/** `either(isText, isNull)` */
export const either =
  <A extends Json, B extends Json>(
    first: (value: Json | undefined) => value is A,
    second: (value: Json | undefined) => value is B,
  ) =>
  (value: Json | undefined): value is A | B =>
    first(value) || second(value);

/** @throws ClientError BAD_RESPONSE when an answer lacks a field or holds something else in it */
export function need<T extends Json>(
  body: JsonObject,
  name: string,
  is: (value: Json | undefined) => value is T,
): T {
  const value = Object.hasOwn(body, name) ? body[name] : undefined;
  if (!is(value)) throw new ClientError('BAD_RESPONSE', `the answer has no usable field \`${name}\``);
  return value;
}

/** A field that may be absent. @throws ClientError BAD_RESPONSE when it is of another type */
export function maybe<T extends Json>(
  body: JsonObject,
  name: string,
  is: (value: Json | undefined) => value is T,
): T | undefined {
  return body[name] === undefined || body[name] === null ? undefined : need(body, name, is);
}
