import { type Query, withQuery } from './address.ts';
import { filtersIn } from './list-model.ts';
import type { Desk } from './registry.ts';

/** How a list is followed as it grows. */
export interface LiveModel {
  /** Address of the list as it is shown: what a browser without a script reads again. */
  readonly href: string;
  /** Stream whose events announce new rows; null where the list itself is asked. */
  readonly stream: string | null;
}

/** @returns null for a list that does not grow at its top: a later page, another order, one that was refused */
export function liveOf(desk: Desk, path: string, query: Query, fault: string | null): LiveModel | null {
  const { live } = desk.screen;
  if (live === undefined || fault !== null) return null;
  if (query.cursor !== undefined || query.sort !== undefined || (query.page ?? '1') !== '1') return null;
  const href = withQuery(path, query, {});
  return { href, stream: live === 'ask' ? null : withQuery(live, filtersIn(desk, query), {}) };
}
