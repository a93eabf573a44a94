import type { Query } from './address.ts';
import type { Desk } from './registry.ts';
import { titleOf } from './words.ts';

/** What was done, by the word that the address of the page after it carries. */
const DONE: Readonly<Record<string, (one: string) => string>> = {
  create: (one) => `The ${one} was created.`,
  change: (one) => `The ${one} was saved.`,
  remove: (one) => `The ${one} was deleted.`,
  delete: (one) => `The ${one} was deleted.`,
  view: () => 'The view was saved.',
  columns: () => 'Your columns were saved.',
};

/**
 * What a page says of the change that led to it; the address is a stranger's word, so only what can be done is said.
 *
 * @returns null when nothing was done
 */
export function doneText({ labels, ops }: Pick<Desk, 'labels' | 'ops'>, { done }: Query): string | null {
  if (done === undefined) return null;
  if (Object.hasOwn(DONE, done)) return DONE[done]?.(labels.one) ?? null;
  const actions = ops.spec.actions ?? {};
  if (!Object.hasOwn(actions, done)) return null;
  return `Done: ${titleOf(actions[done]?.label ?? done).replace(/ (?:the|a|of)$/, '')}.`;
}
