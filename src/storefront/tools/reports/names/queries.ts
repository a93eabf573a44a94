import type { Ctx } from '#kernel/context.ts';

type Row = Record<string, unknown>;

/** Ids of one question. */
const AT_ONCE = 5000;

async function inParts<T>(ids: readonly string[], read: (some: string[]) => Promise<T[]>): Promise<T[]> {
  const all = [...new Set(ids)].filter((id) => id !== '');
  const found: T[] = [];
  for (let from = 0; from < all.length; from += AT_ONCE)
    found.push(...(await read(all.slice(from, from + AT_ONCE))));
  return found;
}

/** How a variant is called now. */
export interface VariantName {
  readonly title: string;
  /** null: the product has only this one. */
  readonly variantTitle: string | null;
  readonly sku: string;
}

const ONLY = 'Default';

export async function nameVariants(
  { db: { knex } }: Ctx,
  ids: readonly string[],
): Promise<Map<string, VariantName>> {
  const rows: Row[] = await inParts(ids, (some) =>
    knex({ v: 'product_variants' })
      .join({ p: 'products' }, 'p.id', 'v.product_id')
      .whereIn('v.id', some)
      .select('v.id', 'v.sku', { variant: 'v.title', title: 'p.title' }),
  );
  return new Map(
    rows.map(({ id, title, variant, sku }) => [
      String(id),
      { title: String(title), variantTitle: variant === ONLY ? null : String(variant), sku: String(sku) },
    ]),
  );
}

export async function namePromotions(
  { db: { knex } }: Ctx,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const rows: Row[] = await inParts(ids, (some) =>
    knex('promotions').whereIn('id', some).select('id', 'name'),
  );
  return new Map(rows.map(({ id, name }) => [String(id), String(name)]));
}

export interface CustomerName {
  readonly name: string;
  readonly email: string;
}

export async function nameCustomers(
  { db: { knex } }: Ctx,
  ids: readonly string[],
): Promise<Map<string, CustomerName>> {
  const rows: Row[] = await inParts(ids, (some) =>
    knex('customers').whereIn('id', some).select('id', 'email', 'first_name', 'last_name'),
  );
  return new Map(
    rows.map(({ id, email, first_name: first, last_name: last }) => {
      const name = [first, last].filter((part) => part).join(' ');
      return [String(id), { name: name || String(email), email: String(email) }];
    }),
  );
}
