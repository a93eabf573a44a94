import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import { currencyCode } from '#storefront/contract/settings.ts';
import { shopProductRows, variantRows, wholesOf } from '../queries.ts';
import type { ProductUpdateInput, VariantUpdateInput } from '../schemas.ts';
import type { VariantOf, Whole } from '../whole.ts';
import { cellValue, type EditorColumn, GRID_COLUMNS } from './columns.ts';
import { Refused, saveRows } from './save.ts';

/** Texts by the names of columns. */
export type Cells = Readonly<Record<string, string>>;

/** A row as somebody sent it: what it says, what it said when the page was shown, and of which version that was. */
export interface SentRow {
  readonly id: string;
  readonly version: string;
  readonly was: Cells;
  readonly cells: Cells;
}

/** A row as it is stored. */
export interface GridRow {
  readonly whole: Whole;
  readonly variant: VariantOf;
  readonly cells: Cells;
  /** The first row of a product holds what all its rows share. */
  readonly isFirst: boolean;
}

/** A cell that came out otherwise. */
export interface CellChange {
  readonly row: string;
  readonly column: string;
  readonly before: string;
  readonly after: string;
}

/** Why a cell was not saved; of the row when it has no column. */
export interface CellFault {
  readonly row: string;
  readonly column: string | null;
  readonly text: string;
}

/** Rows of variants: products in the order of these, each with its variants in theirs; what does not exist is left out. */
export async function rowsOf(ctx: Ctx, ids: readonly string[]): Promise<GridRow[]> {
  const variants = await variantRows.of(ctx, ids);
  const wanted = new Set(ids);
  const products = await shopProductRows.of(ctx, [...new Set(variants.map(({ productId }) => productId))]);
  return (await wholesOf(ctx, products)).flatMap((whole) =>
    whole.variants
      .filter(({ id }) => wanted.has(id))
      .map((variant, at) => ({ whole, variant, isFirst: at === 0, cells: cellsOf(whole, variant) })),
  );
}

const cellsOf = (whole: Whole, variant: VariantOf): Cells =>
  Object.fromEntries(GRID_COLUMNS.map((column) => [column.name, column.text(whole, variant)]));

/** The cells of a row that somebody changed. Fields of the product count in its first row alone. */
const touchedIn = ({ was, cells }: SentRow, isFirst: boolean): EditorColumn[] =>
  GRID_COLUMNS.filter(
    ({ name, of }) => (of === 'variant' || isFirst) && cells[name] !== undefined && cells[name] !== was[name],
  );

/**
 * Saves the rows that were changed, product by product: one that is refused or was changed by somebody else meanwhile
 * costs only its own rows.
 */
export async function saveGrid(
  ctx: Ctx,
  sent: readonly SentRow[],
): Promise<{ changes: CellChange[]; faults: CellFault[] }> {
  const stored = await rowsOf(
    ctx,
    sent.map(({ id }) => id),
  );
  const byId = new Map(stored.map((row) => [row.variant.id, row]));
  const gone = sent.filter(({ id }) => !byId.has(id));
  const outcome = {
    changes: [] as CellChange[],
    faults: gone.map(({ id }): CellFault => ({ row: id, column: null, text: 'This variant was removed' })),
  };
  const sentById = new Map(sent.map((row) => [row.id, row]));
  const known = stored.flatMap(({ variant }) => sentById.get(variant.id) ?? []);
  const groups = Map.groupBy(known, ({ id }) => (byId.get(id) as GridRow).whole.product.id);
  for (const [productId, rows] of groups) {
    const touched = rows.map((row) => ({
      row,
      columns: touchedIn(row, (byId.get(row.id) as GridRow).isFirst),
    }));
    if (touched.every(({ columns }) => columns.length === 0)) continue;
    const faults = await saveProduct(ctx, productId, touched);
    outcome.faults.push(...faults);
    if (faults.length > 0) continue;
    for (const { row, columns } of touched)
      for (const { name } of columns)
        outcome.changes.push({
          row: row.id,
          column: name,
          before: row.was[name] ?? '',
          after: row.cells[name] ?? '',
        });
  }
  return outcome;
}

type Touched = { readonly row: SentRow; readonly columns: readonly EditorColumn[] };

async function saveProduct(ctx: Ctx, id: string, touched: readonly Touched[]): Promise<CellFault[]> {
  const { product, variants, faults } = inputsOf(ctx, touched);
  if (faults.length > 0) return faults;
  const first = (touched[0] as Touched).row;
  try {
    await saveRows(
      ctx,
      id,
      { variants, ...(Object.keys(product).length > 0 && { product }) },
      { ifMatch: first.version },
    );
    return [];
  } catch (error) {
    return faultsOf(error, first.id);
  }
}

/** What the cells stand for, by whose field it is. */
function inputsOf(ctx: Ctx, touched: readonly Touched[]) {
  const currency = ctx.settings.get(currencyCode);
  const product: Record<string, unknown> = {};
  const variants = new Map<string, VariantUpdateInput>();
  const faults: CellFault[] = [];
  for (const { row, columns } of touched) {
    const input: Record<string, unknown> = {};
    for (const column of columns) {
      const understood = cellValue(column, row.cells[column.name] ?? '', currency);
      if ('fault' in understood) faults.push({ row: row.id, column: column.name, text: understood.fault });
      else (column.of === 'product' ? product : input)[column.field] = understood.value;
    }
    if (Object.keys(input).length > 0) variants.set(row.id, input);
  }
  return { product: product as ProductUpdateInput, variants, faults };
}

/** @param first row of the product, which holds its fields */
function faultsOf(error: unknown, first: string): CellFault[] {
  const columnOf = (field: string) => GRID_COLUMNS.find((one) => one.field === field)?.name ?? null;
  if (error instanceof Refused)
    return error.faults.map(({ row, field, text }) => ({ row: row ?? first, column: columnOf(field), text }));
  if (!(error instanceof AppError) || error.status >= 500) throw error;
  if (error.code === 'PRECONDITION_FAILED') {
    const text =
      'Someone else changed this product after you opened it. Compare your entries with the saved values, and save again';
    return [{ row: first, column: null, text }];
  }
  const issues = (error.details.issues ?? []) as { path: string; message: string }[];
  const known = issues.map(({ path, message }) => ({
    row: first,
    column: columnOf(path.split('.', 1)[0] ?? ''),
    text: message,
  }));
  return known.length > 0 ? known : [{ row: first, column: null, text: error.message }];
}
