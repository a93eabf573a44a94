import type { Cli } from './frame/context.ts';
import type { OptionSpec } from './frame/spec.ts';

/** Most rows of a page, as in the API (licensing D17). */
const MOST_PER_PAGE = 500;

/** Most rows of a page of the shop (storefront-api.md 1.2). */
const MOST_OF_THE_SHOP = 100;

const optionsUpTo = (most: number): readonly OptionSpec[] => [
  {
    name: 'page',
    value: 'N',
    summary: 'page to show',
    type: 'integer',
    min: 1,
    max: 1_000_000_000,
    default: '1',
  },
  {
    name: 'limit',
    value: 'N',
    summary: 'rows per page',
    type: 'integer',
    min: 1,
    max: most,
    default: '50',
  },
];

/** Declares `--page` and `--limit` of a list. */
export const pageOptions = optionsUpTo(MOST_PER_PAGE);

/** As `pageOptions`, of a list of the shop. */
export const storePageOptions = optionsUpTo(MOST_OF_THE_SHOP);

/** A page as a desk answers it. */
export interface DeskPage<T> {
  readonly items: readonly T[];
  readonly pagination: { page: number; limit: number; total: number; totalPages: number };
}

/** The page that the command line asks for. */
export function pageAsked(cli: Cli): { page: number; limit: number } {
  return { page: cli.integer('page') ?? 1, limit: cli.integer('limit') ?? 50 };
}

/** Puts a page together from its rows and the number of all rows. */
export function pageOf<T>(
  { page, limit }: { page: number; limit: number },
  items: readonly T[],
  total: number,
): DeskPage<T> {
  return { items, pagination: { page, limit, total, totalPages: Math.ceil(total / limit) } };
}
