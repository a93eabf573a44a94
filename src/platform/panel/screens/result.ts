import type { Ctx } from '#kernel/context.ts';
import { type Shown, show } from '#kernel/http/page.ts';
import { localMinute } from '#kernel/local-time.ts';
import type { View } from '../../admin/index.ts';
import { labelOf } from '../forms/schema.ts';
import { doneText } from './done.ts';
import type { Desk } from './registry.ts';
import { headingOf, titleOf } from './words.ts';

/** What an operation answered beside the item, as a page shows it. */
interface Result {
  readonly done: string;
  readonly view: View | null;
  readonly shown: Readonly<Record<string, unknown>>;
  /** Where it goes on. */
  readonly next: string;
}

/** Values that are shown this once. */
const SECRET =
  /^(?:code|key|newKey|rawKey|rawToken|secret|signingSecret|token|password|link|url|recoveryCodes|keys)$/;

/**
 * The page after an operation that answers more than the item: a secret that is shown this once, a preview, a report.
 * It is the answer of the form itself, because nothing of it is kept where a redirect could find it.
 *
 * @returns null when nothing was answered that a page could show
 */
export async function resultOf(
  ctx: Ctx,
  desk: Desk,
  { done, view, shown, next }: Result,
): Promise<Shown | null> {
  const lines = Object.entries(shown)
    .flatMap(partsOf)
    .filter(([, value]) => value !== null && value !== undefined && value !== false)
    .map(([name, value]) => ({
      label: desk.screen.labels?.[name] ?? labelOf(lastOf(name)),
      text: typeof value === 'object' ? JSON.stringify(value, null, 2) : textOf(value),
      isBlock: typeof value === 'object' || String(value).includes('\n'),
      isSecret: SECRET.test(lastOf(name)),
    }));
  if (lines.length === 0) return null;
  const verdict = (await desk.screen.verdicts?.[done]?.(shown, ctx)) ?? null;
  const label = titleOf(desk.ops.spec.actions?.[done]?.label ?? done);
  return show('panel/result', {
    heading: verdict ? headingOf(label, desk.labels, null) : (doneText(desk, { done }) ?? label),
    subject: view && desk.screen.title(view),
    // A verdict says in a sentence what they say one by one.
    lines: verdict ? [] : lines,
    verdict,
    hasSecret: lines.some(({ isSecret }) => isSecret),
    next,
    labels: desk.labels,
  });
}

/** A small object by its parts, such as `invite.url`: a link with its end is no block of JSON. */
function partsOf([name, value]: [string, unknown]): [string, unknown][] {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return [[name, value]];
  const parts = Object.entries(value);
  if (parts.some(([, part]) => part !== null && typeof part === 'object')) return [[name, value]];
  return parts.map(([part, text]) => [`${name}.${part}`, text]);
}

const lastOf = (name: string): string => name.split('.').at(-1) ?? name;

function textOf(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  return typeof value === 'string' && INSTANT.test(value) ? localMinute(new Date(value)) : String(value);
}

/** As answers write a point in time. */
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
