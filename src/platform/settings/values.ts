import type { z } from 'zod';
import { fail } from '#kernel/service/errors.ts';
import type { Setting } from '#kernel/settings.ts';

const WORDS: ReadonlyMap<string, boolean> = new Map(
  Object.entries({
    on: true,
    true: true,
    yes: true,
    '1': true,
    off: false,
    false: false,
    no: false,
    '0': false,
  }),
);

/**
 * The value that a text typed by an operator means for a setting: itself, a switch, a number, or JSON, whichever
 * its schema takes first.
 *
 * @throws AppError VALIDATION_ERROR naming the setting and what it wants
 */
export function parseText(target: Setting, text: string): unknown {
  const word = WORDS.get(text.toLowerCase());
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
  const wanted = result.error.issues.map(inWords).join('; ');
  throw fail('VALIDATION_ERROR', `${target.key}: ${wanted}`, {
    details: { issues: [{ path: target.key, message: wanted }] },
  });
}

/** What the schema wants, with its bounds, in words for the operator; a text of the schema's own wins over a type's. */
function inWords(issue: z.core.$ZodIssue): string {
  if (issue.code === 'too_small' && isNumber(issue.origin)) return `must be at least ${issue.minimum}`;
  if (issue.code === 'too_big' && isNumber(issue.origin)) return `must be at most ${issue.maximum}`;
  if (!issue.message.startsWith('Invalid')) return issue.message;
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.join(', ')}`;
  if (issue.code !== 'invalid_type') return issue.message;
  if (issue.expected === 'boolean') return 'must be on or off';
  return isNumber(issue.expected) ? 'must be a whole number' : issue.message;
}

const isNumber = (kind: string): boolean => kind === 'number' || kind === 'int';

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
