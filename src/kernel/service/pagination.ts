import { z } from 'zod';
import { count, queryInteger } from '../http/fields.ts';
import { later } from './../sharing.ts';
import { fail } from './errors.ts';

/** Bounds of a list's query (D17). */
export const pageBounds = {
  page: { default: 1, max: 1_000_000_000 },
  limit: { default: 50, max: 500 },
} as const;

/** Query of a list (D17). */
export const ListQuery = later(() =>
  z.object({
    page: queryInteger({ min: 1, max: pageBounds.page.max, fallback: pageBounds.page.default }),
    limit: queryInteger({ min: 1, max: pageBounds.limit.max, fallback: pageBounds.limit.default }),
  }),
);

/** Pagination envelope of lists. */
export const Pagination = z
  .object({ page: count(), limit: count(), total: count(), totalPages: count() })
  .meta({ id: 'Pagination' });

/** The page that is asked for: `page` from 1, `limit` 1 to 500 (D17). */
export interface PageAsked {
  page: number;
  limit: number;
}

/** One page of a list. */
export interface Page<T> {
  items: T[];
  pagination: z.output<typeof Pagination>;
}

/** Which rows a page holds. */
export interface Slice {
  offset: number;
  limit: number;
}

/**
 * The rows of a page. Out of range is refused here as well, because a command asks without an endpoint's schema.
 *
 * @throws AppError VALIDATION_ERROR
 */
export function sliceOf({ page, limit }: PageAsked): Slice {
  refuseOutside('page', page, pageBounds.page.max);
  refuseOutside('limit', limit, pageBounds.limit.max);
  return { offset: (page - 1) * limit, limit };
}

/** Puts a page together from its rows and the number of all rows. */
export const pageOf = <T>({ page, limit }: PageAsked, found: { items: T[]; total: number }): Page<T> => ({
  items: found.items,
  pagination: { page, limit, total: found.total, totalPages: Math.ceil(found.total / limit) },
});

function refuseOutside(path: string, value: number, max: number): void {
  if (Number.isInteger(value) && value >= 1 && value <= max) return;
  const message = `must be a whole number from 1 to ${max}`;
  throw fail('VALIDATION_ERROR', `${path} ${message}`, {
    details: { issues: [{ path, rule: 'range', message }] },
  });
}
