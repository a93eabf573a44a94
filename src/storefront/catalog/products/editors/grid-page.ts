import { z } from 'zod';
import { allows } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import { oneOf, optional, text } from '#kernel/http/fields.ts';
import { goTo, type Page, page, type Shown, show } from '#kernel/http/page.ts';
import { RecordFault } from '#kernel/records/fault.ts';
import { fail } from '#kernel/service/errors.ts';
import { later } from '#kernel/sharing.ts';
import { PANEL } from '#platform/panel/index.ts';
import { currencyCode } from '#storefront/contract/settings.ts';
import { PRODUCT_STATUSES } from '../record.ts';
import { GRID_COLUMNS } from './columns.ts';
import { type CellChange, type CellFault, type Cells, rowsOf, type SentRow, saveGrid } from './grid.ts';
import { MOST_PASTED, type Pasted, readPasted } from './pasted.ts';
import { gridRows } from './queries.ts';

const PATH = '/store/products/grid';
const PER_PAGE = 50;
const FORM_BYTES = 2_000_000;
const FIELDS = MOST_PASTED * (GRID_COLUMNS.length + 3) + 20;
/** Products that a list chooses. */
const MOST_CHOSEN = 200;

const each = (max: number) => z.array(z.string().max(max)).max(MOST_PASTED);

const Query = later(() =>
  z.object({
    page: z.coerce.number().int().min(1).max(1_000_000).catch(1).default(1),
    q: z.string().max(200).optional().catch(undefined),
    status: z.enum(PRODUCT_STATUSES).optional().catch(undefined),
    tag: z.string().max(50).optional().catch(undefined),
    ids: z.string().max(8000).optional().catch(undefined),
  }),
);
type Asked = z.output<typeof Query>;

const Form = later(() =>
  z.object({
    do: oneOf(['save', 'preview']),
    back: optional(text({ max: 9000 })),
    paste: optional(text({ max: 500_000 })).meta({ title: 'Rows' }),
    variant: each(30),
    version: each(20),
    was: each(10_000),
    ...Object.fromEntries(GRID_COLUMNS.map(({ name }) => [name, each(5000)])),
  }),
);
type Sent = z.output<typeof Form> & Readonly<Record<string, readonly string[]>>;

/** What became of rows, or would become of them. */
interface Outcome {
  readonly isPreview: boolean;
  readonly changes: readonly CellChange[];
  readonly faults: readonly CellFault[];
  readonly notes: readonly string[];
}

const cellsSchema = z.record(z.string(), z.string());

/** What the row said when it was shown; a text that is not that makes every cell count as changed. */
function wasOf(text: string | undefined): Cells {
  try {
    return cellsSchema.parse(JSON.parse(text ?? '{}'));
  } catch {
    return {};
  }
}

const sentRows = (sent: Sent): SentRow[] =>
  sent.variant.map((id, at) => ({
    id,
    version: sent.version[at] ?? '',
    was: wasOf(sent.was[at]),
    cells: Object.fromEntries(
      GRID_COLUMNS.flatMap(({ name }) => {
        const cell = sent[name]?.[at];
        return cell === undefined ? [] : [[name, cell]];
      }),
    ),
  }));

/** @param sent what the cells say in place of what is stored, by variant */
async function rowModels(
  ctx: Ctx,
  ids: readonly string[],
  faults: readonly CellFault[],
  sent: ReadonlyMap<string, Cells>,
) {
  const currency = ctx.settings.get(currencyCode);
  return (await rowsOf(ctx, ids)).map(({ variant, whole, cells, isFirst }) => ({
    id: variant.id,
    version: whole.product.version,
    was: JSON.stringify(cells),
    href: `/store/products/${whole.product.id}`,
    name: `${whole.product.title} ${variant.title}`,
    title: variant.title,
    fault: faults.find(({ row, column }) => row === variant.id && column === null)?.text ?? null,
    cells: GRID_COLUMNS.map((column) => ({
      name: column.name,
      label: `${column.label(currency)} of ${variant.sku}`,
      isNumber: column.isNumber === true,
      options: column.options ?? null,
      isShown: column.of === 'variant' || isFirst,
      stored: cells[column.name] ?? '',
      value: sent.get(variant.id)?.[column.name] ?? cells[column.name] ?? '',
      fault: faults.find((one) => one.row === variant.id && one.column === column.name)?.text ?? null,
    })),
  }));
}

async function modelOf(
  ctx: Ctx,
  ids: readonly string[],
  more: { outcome?: Outcome; sent?: ReadonlyMap<string, Cells>; back: string },
): Promise<Record<string, unknown>> {
  const currency = ctx.settings.get(currencyCode);
  const { outcome = null, sent = new Map(), back } = more;
  const rows = await rowModels(ctx, ids, outcome?.faults ?? [], sent);
  const labels = new Map(GRID_COLUMNS.map(({ name, label }) => [name, label(currency)]));
  const names = new Map(rows.map(({ id, name }) => [id, name]));
  return {
    action: PATH,
    rows,
    columns: [...labels.values()],
    back,
    mayWrite: allows(ctx.actor, 'products:write'),
    mostPasted: MOST_PASTED,
    isPreview: outcome?.isPreview ?? false,
    isDone: outcome !== null,
    notes: outcome?.notes ?? [],
    changes: (outcome?.changes ?? []).map((one) => ({
      ...one,
      row: names.get(one.row) ?? one.row,
      column: labels.get(one.column) ?? one.column,
    })),
    faults: (outcome?.faults ?? []).map(({ row, column, text }) => ({
      field: column === null ? `row-${row}` : `${column}-${row}`,
      text: `${names.get(row) ?? row}: ${text}`,
    })),
    pages: null,
    query: {},
    statuses: PRODUCT_STATUSES,
  };
}

const withQuery = (asked: Asked, number: number): string => {
  const { page: _page, ...rest } = asked;
  const said = Object.entries(rest).filter(([, value]) => value);
  return `${PATH}?${new URLSearchParams([...said, ['page', String(number)]] as [string, string][])}`;
};

async function listShown(ctx: Ctx, asked: Asked): Promise<Shown> {
  const { ids, q, status, tag } = asked;
  const filters = {
    ...(ids && { productId: ids.split(',').slice(0, MOST_CHOSEN) }),
    ...(status && { status: [status] }),
    ...(tag && { tag }),
  };
  const offset = (asked.page - 1) * PER_PAGE;
  const { items, total } = await gridRows.page(ctx, { offset, limit: PER_PAGE, filters, ...(q && { q }) });
  const back = withQuery(asked, asked.page);
  return show('store/product-grid', {
    ...(await modelOf(
      ctx,
      items.map(({ id }) => id),
      { back },
    )),
    query: asked,
    pages: {
      first: Math.min(offset + 1, total),
      last: offset + items.length,
      total,
      previous: asked.page > 1 ? withQuery(asked, asked.page - 1) : null,
      next: offset + items.length < total ? withQuery(asked, asked.page + 1) : null,
    },
  });
}

async function pasted(ctx: Ctx, sent: Sent, back: string): Promise<Shown> {
  const { rows, notes } = await understood(ctx, sent.paste ?? '');
  const changes = rows.flatMap(({ id, was, cells }) =>
    GRID_COLUMNS.filter(({ name }) => cells[name] !== was[name]).map(({ name }) => ({
      row: id,
      column: name,
      before: was[name] ?? '',
      after: cells[name] ?? '',
    })),
  );
  const outcome = { isPreview: true, changes, faults: [], notes };
  const model = await modelOf(
    ctx,
    rows.map(({ id }) => id),
    { outcome, sent: new Map(rows.map(({ id, cells }) => [id, cells])), back },
  );
  return show('store/product-grid', model);
}

async function understood(ctx: Ctx, text: string): Promise<Pasted> {
  try {
    return await readPasted(ctx, text);
  } catch (error) {
    if (!(error instanceof RecordFault)) throw error;
    throw fail('VALIDATION_ERROR', `Line ${error.line} cannot be read: ${error.message}`);
  }
}

async function saved(ctx: Ctx, sent: Sent, back: string): Promise<Shown> {
  const rows = sentRows(sent);
  const { changes, faults } = await saveGrid(ctx, rows);
  const failed = new Set(faults.map(({ row }) => row));
  const kept = rows.filter(({ id }) => failed.has(id));
  const model = await modelOf(
    ctx,
    rows.map(({ id }) => id),
    {
      outcome: { isPreview: false, changes, faults, notes: [] },
      sent: new Map(kept.map(({ id, cells }) => [id, cells])),
      back,
    },
  );
  return show('store/product-grid', model, { status: faults.length > 0 ? 400 : 200 });
}

const ownPath = (back: string | undefined): string =>
  back?.startsWith(`${PATH}?`) || back === PATH ? back : PATH;

/** Products and their variants in one table, which takes cells out of a spreadsheet. */
const gridPage = page({
  path: PATH,
  title: 'Edit products in a table',
  audience: { staff: 'products:read' },
  layout: PANEL,
  help: 'open-a-shop',
  joinsRepeated: true,
  query: Query,
  form: Form,
  formBytes: FORM_BYTES,
  formFields: FIELDS,
  show: (ctx, { query }) => listShown(ctx, query),
  async submit(ctx, { form }) {
    const sent = form as unknown as Sent;
    if (!allows(ctx.actor, 'products:write'))
      throw fail('INSUFFICIENT_SCOPE', 'Your role can view products but not change them');
    const back = ownPath(sent.back as unknown as string | undefined);
    return sent.do === 'preview' ? pasted(ctx, sent, back) : saved(ctx, sent, back);
  },
});

/** Leads from chosen rows of the list of products to the table of their variants. */
const chosenPage = page({
  path: `${PATH}/chosen`,
  title: 'Edit products in a table',
  audience: { staff: 'products:read' },
  layout: PANEL,
  help: 'open-a-shop',
  form: later(() =>
    z.object({
      ids: z.array(z.string().max(30)).max(MOST_CHOSEN),
      all: optional(text({ max: 5 })),
      filter: optional(text({ max: 2000 })),
    }),
  ),
  show: async () => goTo(PATH),
  async submit(_ctx, { form: { ids, all, filter } }) {
    if (all === 'true' && filter) return goTo(`${PATH}?${new URLSearchParams(filter)}`);
    return goTo(all === 'true' || ids.length === 0 ? PATH : `${PATH}?ids=${ids.join(',')}`);
  },
});

/** Pages of the table. */
export const gridPages: readonly Page[] = [gridPage, chosenPage];
