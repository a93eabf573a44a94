import type { Ctx } from '#kernel/context.ts';
import { optionRecord, optionValueRecord, productMediaRecord, shopProductRecord } from '../record.ts';

/** Where a picture is shown. */
export interface Usage {
  readonly mediaId: string;
  readonly productId: string;
  readonly slug: string;
  readonly title: string;
}

/** The products that show some pictures. */
export async function usagesOf({ db }: Ctx, mediaIds: readonly string[]): Promise<Usage[]> {
  const rows: { media_id: string; id: string; slug: string; title: string }[] = await db
    .knex({ l: productMediaRecord.table })
    .join({ p: shopProductRecord.table }, 'p.id', 'l.product_id')
    .whereIn('l.media_id', [...mediaIds])
    .orderBy(['p.title', 'p.id'])
    .select('l.media_id', 'p.id', 'p.slug', 'p.title');
  return rows.map(({ media_id, id, slug, title }) => ({ mediaId: media_id, productId: id, slug, title }));
}

/** A value of an option that is shown by a picture. */
export interface ValueShown {
  readonly mediaId: string;
  readonly valueId: string;
  readonly productId: string;
  /** `Color: Red (Shirt)` */
  readonly title: string;
}

interface ValueRow {
  media_id: string;
  id: string;
  value: string;
  option: string;
  product_id: string;
  product: string;
}

/** The values of options that some pictures show. */
export async function valuesShownBy({ db }: Ctx, mediaIds: readonly string[]): Promise<ValueShown[]> {
  const rows: ValueRow[] = await db
    .knex({ v: optionValueRecord.table })
    .join({ o: optionRecord.table }, 'o.id', 'v.option_id')
    .join({ p: shopProductRecord.table }, 'p.id', 'o.product_id')
    .whereIn('v.media_id', [...mediaIds])
    .orderBy(['p.title', 'p.id', 'o.position', 'v.position', 'v.id'])
    .select('v.media_id', 'v.id', 'v.value', { option: 'o.name' }, 'o.product_id', { product: 'p.title' });
  return rows.map((row) => ({
    mediaId: row.media_id,
    valueId: row.id,
    productId: row.product_id,
    title: `${row.option}: ${row.value} (${row.product})`,
  }));
}
