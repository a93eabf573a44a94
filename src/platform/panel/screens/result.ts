import { type Shown, show } from '#kernel/http/page.ts';
import type { View } from '../../admin/index.ts';
import { labelOf } from '../forms/schema.ts';
import { doneText } from './done.ts';
import type { Desk } from './registry.ts';
import { titleOf } from './words.ts';

/** What an operation answered beside the item, as a page shows it. */
interface Result {
  readonly done: string;
  readonly view: View | null;
  readonly shown: Readonly<Record<string, unknown>>;
  /** Where it goes on. */
  readonly next: string;
}

/** Values that are shown this once. */
const SECRET = /^(?:key|newKey|secret|signingSecret|token|password|link|url|recoveryCodes|keys)$/;

/**
 * The page after an operation that answers more than the item: a secret that is shown this once, a preview, a report.
 * It is the answer of the form itself, because nothing of it is kept where a redirect could find it.
 *
 * @returns null when nothing was answered that a page could show
 */
export function resultOf(desk: Desk, { done, view, shown, next }: Result): Shown | null {
  const lines = Object.entries(shown)
    .filter(([, value]) => value !== null && value !== undefined && value !== false)
    .map(([name, value]) => ({
      label: desk.screen.labels?.[name] ?? labelOf(name),
      text: typeof value === 'object' ? JSON.stringify(value, null, 2) : textOf(value),
      isBlock: typeof value === 'object' || String(value).includes('\n'),
      isSecret: SECRET.test(name),
    }));
  if (lines.length === 0) return null;
  return show('panel/result', {
    heading: doneText(desk, { done }) ?? titleOf(done),
    subject: view && desk.screen.title(view),
    lines,
    verdict: desk.screen.verdicts?.[done]?.(shown) ?? null,
    hasSecret: lines.some(({ isSecret }) => isSecret),
    next,
    labels: desk.labels,
  });
}

const textOf = (value: unknown): string =>
  typeof value === 'boolean' ? (value ? 'Yes' : 'No') : String(value);
