import { fail } from '#kernel/service/errors.ts';
import type { Setting } from '#kernel/settings.ts';

const WORDS: Readonly<Record<string, boolean>> = {
  on: true,
  true: true,
  yes: true,
  '1': true,
  off: false,
  false: false,
  no: false,
  '0': false,
};

/**
 * The value that a text typed by an operator means for a setting: itself, a switch, a number, or JSON, whichever
 * its schema takes first.
 *
 * @throws AppError VALIDATION_ERROR naming the setting and what it wants
 */
export function parseText(target: Setting, text: string): unknown {
  const word = WORDS[text.toLowerCase()];
  const candidates: unknown[] = [text];
  if (word !== undefined) candidates.push(word);
  if (/^-?\d+(\.\d+)?$/.test(text)) candidates.push(Number(text));
  if (/^[[{"]|^null$/.test(text)) candidates.push(parseJson(text));
  for (const candidate of candidates) {
    const result = target.schema.safeParse(candidate);
    if (result.success) return result.data;
  }
  return checkValue(target, candidates.at(-1));
}

/**
 * A value as the setting's schema sees it.
 *
 * @throws AppError VALIDATION_ERROR naming the setting and what it wants
 */
export function checkValue(target: Setting, value: unknown): unknown {
  const result = target.schema.safeParse(value);
  if (result.success) return result.data;
  const wanted = result.error.issues.map((issue) => issue.message).join('; ');
  throw fail('VALIDATION_ERROR', `${target.key}: ${wanted}`, {
    details: { issues: [{ path: target.key, message: wanted }] },
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
