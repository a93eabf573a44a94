// A small library in every shape that the engine of resources carries (admin.md 1), on both staff surfaces.
import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { streamContent } from '#kernel/http/content.ts';
import { text } from '#kernel/http/fields.ts';
import type { Upload } from '#kernel/http/upload.ts';
import { conflict } from '#kernel/service/errors.ts';
import {
  action,
  adminResource,
  answering,
  beside,
  type Edition,
  type Removal,
  type Resource,
  type Twin,
} from '#platform/admin/index.ts';
import { upserting } from '#platform/admin/upsert.ts';
import { type Book, Change, Create, change, create, get, lend, remove, rows } from './books.ts';

const Borrower = z.strictObject({ lentTo: text({ min: 1, max: 50 }) });
const Tags = z.object({ items: z.array(z.string()) });
const Moved = z.object({ pages: z.int(), books: z.int() });

const view = z
  .object({
    id: z.string(),
    title: z.string(),
    underId: z.string().nullable(),
    pageCount: z.int(),
    lentTo: z.string().nullable(),
    updatedAt: z.string(),
  })
  .meta({ id: 'Book' });
const storeView = z
  .object({
    id: z.string(),
    title: z.string(),
    under_id: z.string().nullable(),
    page_count: z.int(),
    version: z.int(),
  })
  .meta({ id: 'StoreBook' });
const toView = (book: Book) => ({
  id: book.id,
  title: book.title,
  underId: book.under_id,
  pageCount: book.page_count,
  lentTo: book.lent_to,
  updatedAt: new Date(book.version).toISOString(),
});
const toStoreView = ({ id, title, under_id, page_count, version }: Book) => ({
  id,
  title,
  under_id,
  page_count,
  version,
});

/** The same resource on both surfaces. */
const both = (path: string, more: Partial<Twin<Book>> = {}): Twin<Book>[] => [
  { surface: 'license-admin', path, item: 'book', view, toView, ...more } as Twin<Book>,
  { surface: 'store', path, item: 'book', view: storeView, toView: toStoreView, ...more } as Twin<Book>,
];
const common = { about: 'Books', needs: { read: 'licensing:read', write: 'licensing:write' }, rows } as const;
const all = ['list', 'get', 'create', 'change', 'remove', 'export', 'bulk'] as const;
const sum = (books: readonly Book[]) => books.reduce((pages, { page_count }) => pages + page_count, 0);

const inTwoSteps = (label: string, isRun: boolean) =>
  answering<Book, typeof Moved, z.ZodObject<{ factor: z.ZodInt }>>({
    label,
    needs: isRun ? 'licensing:write' : 'licensing:read',
    level: 'severe',
    where: 'page',
    path: isRun ? '/reprint' : '/reprint/preview',
    input: z.strictObject({ factor: z.int().min(1).max(9) }),
    output: Moved,
    run: async (ctx, _id, { factor }) => {
      const { items } = await rows.page(ctx, { offset: 0, limit: 1000 });
      for (const { id, page_count } of isRun ? items : [])
        await change(ctx, id, { page_count: page_count * factor });
      return { pages: sum(items) * factor, books: items.length };
    },
  });

const edit: Edition<Book, typeof Change> = {
  schema: Change,
  run: (ctx, id, { title, pageCount }, how) =>
    change(ctx, id, { ...(title && { title }), ...(pageCount && { page_count: pageCount }) }, how),
};
const removal: Removal = {
  level: 'severe',
  isBulk: true,
  input: z.strictObject({ reason: text({ min: 1, max: 50 }) }),
  run: remove,
};
const lending = action<Book, typeof Borrower>({
  label: 'Lend',
  needs: 'licensing:write',
  level: 'mild',
  where: 'both',
  input: Borrower,
  run: lend,
});

const books = adminResource<Book, typeof Create, typeof Change>({
  ...common,
  name: 'books',
  labels: { one: 'book', many: 'books' },
  get,
  create: {
    schema: Create,
    beside: { secret: z.string() },
    run: async (ctx, input) => beside(await create(ctx, input), { secret: 'shown once' }),
  },
  edit,
  remove: removal,
  actions: {
    lend: lending,
    preview: inTwoSteps('Preview', false),
    reprint: inTwoSteps('Reprint', true),
    tags: answering({
      label: 'Tag',
      needs: 'licensing:write',
      level: 'mild',
      where: 'row',
      method: 'put',
      input: z.strictObject({ items: z.array(text({ min: 1, max: 20 })).max(5) }),
      output: Tags,
      run: async (ctx, id, { items }) => {
        await change(ctx, id, { tags: JSON.stringify(items) });
        return { items };
      },
    }),
    // A singleton below an item: shown, replaced, taken away.
    loan: answering({
      label: 'Show the loan of',
      needs: 'licensing:read',
      level: 'mild',
      where: 'row',
      method: 'get',
      output: z.object({ lentTo: z.string().nullable() }),
      run: async (ctx, id) => ({ lentTo: (await get(ctx, id)).lent_to }),
    }),
    replaceLoan: action<Book, typeof Borrower>({
      label: 'Replace the loan of',
      needs: 'licensing:write',
      level: 'mild',
      where: 'row',
      method: 'put',
      path: '/loan',
      input: Borrower,
      run: (ctx, id, { lentTo }) => change(ctx, id, { lent_to: lentTo }),
    }),
    endLoan: action<Book>({
      label: 'End the loan of',
      needs: 'licensing:write',
      level: 'mild',
      where: 'row',
      method: 'delete',
      path: '/loan',
      run: (ctx, id) => change(ctx, id, { lent_to: null }),
    }),
    text: {
      label: 'Read',
      needs: 'licensing:read',
      level: 'mild',
      where: 'row',
      method: 'get',
      file: { type: 'text/plain' },
      run: async (ctx: Ctx, id: string) => {
        const { title, lent_to } = await get(ctx, id);
        return streamContent(
          'text/plain',
          'book.txt',
          (async function* () {
            yield Buffer.from(`${title}: ${lent_to ?? ''}`);
          })(),
        );
      },
    },
    write: {
      label: 'Write',
      needs: 'licensing:write',
      level: 'mild',
      where: 'row',
      method: 'put',
      path: '/text',
      upload: { maxBytes: () => 100 },
      run: async (ctx: Ctx, id: string, { file }: { file: Upload }) => {
        const chunks = [];
        for await (const chunk of file.stream) chunks.push(chunk);
        return change(ctx, id, { lent_to: Buffer.concat(chunks).toString() });
      },
    },
    shelve: upserting<Book, typeof Create>({
      label: 'Shelve',
      needs: 'licensing:write',
      where: 'page',
      path: '/shelf',
      item: Create,
      run: async (ctx, _id, item) => {
        if (item.title === 'forbidden') throw conflict('forbidden is not taken');
        return create(ctx, item);
      },
    }),
  },
  apis: both('/books'),
});

const shaped = (name: string, apis: Twin<Book>[], more: object = {}): Resource =>
  adminResource<Book>({ ...common, name, labels: { one: 'book', many: 'books' }, apis, ...more });

const parent = {
  name: 'bookId',
  filter: 'underId',
  find: async (ctx: Ctx, id: string) => (await get(ctx, id)).id,
};

export const library: readonly Resource[] = [
  books,
  shaped('plain', both('/plain-books', { paged: false, without: ['export'] })),
  shaped('log', both('/book-log', { paged: 'cursor', without: ['get', 'export'] })),
  shaped(
    'tree',
    both('/contents', { paged: 'tree', under: ({ under_id }) => under_id, without: ['get', 'export'] }),
  ),
  // Items of a collection that stand below it, and items that have a path of their own.
  shaped('chapters', both('/books/{bookId}/chapters', { parent }), {
    create: { schema: Create, run: create },
    edit,
    remove: removal,
    actions: { lend: lending },
  }),
  shaped('parts', both('/books/{bookId}/parts', { parent, itemsAt: '/parts' })),
  // A singleton of the surface: there is one, and it has no id.
  shaped('hours', both('/opening-hours', { without: all }), {
    actions: {
      show: answering({
        label: 'Show',
        needs: 'licensing:read',
        level: 'mild',
        where: 'page',
        method: 'get',
        path: '',
        output: z.object({ pages: z.int() }),
        run: async (ctx) => ({ pages: sum((await rows.page(ctx, { offset: 0, limit: 1000 })).items) }),
      }),
    },
  }),
];
