// The books of a small library: a table of the test, and use cases on it.
import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { filter } from '#kernel/db/selection/filter.ts';
import { selection } from '#kernel/db/selection/selection.ts';
import { integer, optional, text } from '#kernel/http/fields.ts';
import { conflict, fail } from '#kernel/service/errors.ts';
import { requireUnchanged } from '#kernel/service/precondition.ts';
import type { How } from '#platform/admin/index.ts';

/** A book or a chapter, as the table holds it. */
export interface Book {
  readonly id: string;
  readonly title: string;
  readonly under_id: string | null;
  readonly page_count: number;
  readonly lent_to: string | null;
  readonly tags: string;
  readonly version: number;
}

export const makeTable = (ctx: Ctx): Promise<void> =>
  ctx.tx(async ({ db }) => {
    await db.knex.schema.createTable('test_books', (table) => {
      table.text('id').primary();
      table.text('tenant_id');
      table.text('title');
      table.text('under_id');
      table.integer('page_count');
      table.text('lent_to');
      table.text('tags');
      table.integer('version');
    });
  });

export const rows = selection<Book, Book>({
  from: ({ db }) => db.knex('test_books'),
  id: 'id',
  scope: { tenant: 'tenant_id' },
  columns: ['*'],
  read: (stored) => stored,
  filters: {
    underId: filter.lookup({ label: 'Part of', column: 'under_id', resource: 'books' }),
    pageCount: filter.numbers({ label: 'Pages', column: 'page_count' }),
  },
  search: { placeholder: 'Title', by: ['title'] },
  sorts: { title: 'title', pageCount: 'page_count' },
  initial: 'title',
});

export const get = async (ctx: Ctx, id: string): Promise<Book> => (await rows.find(ctx, id)) ?? missing(id);
const missing = (id: string): never => {
  throw fail('NOT_FOUND', `book ${id} does not exist`);
};

export const Create = z.strictObject({
  title: text({ min: 1, max: 100 }),
  underId: optional(text({ max: 30 })),
  pageCount: integer(1, 5000),
});
export const Change = Create.partial().check(({ value, issues }) => {
  if (value.title !== undefined && value.title === String(value.pageCount))
    issues.push({ code: 'custom', input: value, path: ['pageCount'], message: 'must not be the title' });
});

export async function create(ctx: Ctx, input: z.output<typeof Create>): Promise<Book> {
  const book: Book = {
    id: ctx.newId('tbk'),
    title: input.title,
    under_id: input.underId ?? null,
    page_count: input.pageCount,
    lent_to: null,
    tags: '[]',
    version: 1,
  };
  await ctx.tx(({ db }) => db.knex('test_books').insert({ ...book, tenant_id: ctx.tenantId }));
  return book;
}

/** As the surface says it: the time of the change, or its number. */
const stateOf = (version: number, ifMatch: string | undefined): string =>
  ifMatch?.includes('T') ? new Date(version).toISOString() : String(version);

export const change = (
  ctx: Ctx,
  id: string,
  fields: Partial<Book>,
  { ifMatch }: Partial<How> = {},
): Promise<Book> =>
  ctx.tx(async (ctx) => {
    const { version } = await get(ctx, id);
    requireUnchanged(id, stateOf(version, ifMatch), ifMatch);
    await ctx.db
      .knex('test_books')
      .where({ id })
      .update({ ...fields, version: version + 1 });
    return get(ctx, id);
  });

export async function remove(ctx: Ctx, id: string, { ifMatch }: How): Promise<void> {
  const { version } = await get(ctx, id);
  requireUnchanged(id, stateOf(version, ifMatch), ifMatch);
  await ctx.tx(({ db }) => db.knex('test_books').where({ id }).delete());
}

/** One that is lent cannot be lent again. */
export async function lend(ctx: Ctx, id: string, { lentTo }: { lentTo: string }): Promise<Book> {
  const book = await get(ctx, id);
  if (book.lent_to !== null) throw conflict(`${book.title} is lent to ${book.lent_to}`);
  return change(ctx, id, { lent_to: lentTo });
}
