/** How settings are shown and edited in the panel. */
import type { Ctx } from '#kernel/context.ts';
import { localMinute } from '#kernel/local-time.ts';
import { choicesOf } from './settings.ts';
import type { SettingView } from './view.ts';

/** As a person reads it: a text as it is, yes and no in words, everything else as JSON. */
export function written(value: unknown): string {
  if (typeof value === 'string') return value === '' ? 'empty' : value;
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(written).join(', ');
  return value === null ? 'none' : JSON.stringify(value);
}

/** Who changed it and when, in words; null for one that nobody changed. */
export function changeIn({ updatedAt, updatedBy }: SettingView): string | null {
  if (updatedAt === undefined) return null;
  const at = localMinute(new Date(updatedAt));
  return updatedBy === undefined ? at : `${updatedBy}, ${at}`;
}

export type InputKind = 'select' | 'lines' | 'json' | 'number' | 'text';

function kindOf({ type }: SettingView, choices: readonly string[]): InputKind {
  if (type === 'boolean' || choices.length > 0) return 'select';
  if (type === 'array') return 'lines';
  if (type === 'object') return 'json';
  return type === 'integer' || type === 'number' ? 'number' : 'text';
}

const ON_OFF = [
  { value: 'true', label: 'On' },
  { value: 'false', label: 'Off' },
];

/** What the form of a setting begins with. A secret is never shown. */
export function textOf({ value, isSecret }: SettingView): string {
  if (isSecret || value === null) return '';
  if (Array.isArray(value)) return value.join('\n');
  return typeof value === 'object' ? JSON.stringify(value, null, 2) : String(value);
}

/** What a setting is edited with, and what it can be chosen from. */
export function inputOf(
  ctx: Ctx,
  one: SettingView,
): { readonly kind: InputKind; readonly options: readonly { value: string; label: string }[] } {
  const choices = choicesOf(ctx, one.key);
  const options = choices.length > 0 ? choices.map((value) => ({ value, label: value })) : ON_OFF;
  return { kind: kindOf(one, choices), options };
}

/** A list, one item a line. */
export const linesOf = (sent: string): string[] =>
  sent
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
