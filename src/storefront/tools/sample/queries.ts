import type { Ctx } from '#kernel/context.ts';
import { statement } from '#kernel/db/statement.ts';
import { movementRecord } from '#storefront/catalog/inventory/index.ts';
import { variantRecord } from '#storefront/catalog/products/index.ts';

const movements = statement<{ id: string }, { count: number | string }>((q, p) =>
  q({ m: movementRecord.table })
    .join({ v: variantRecord.table }, 'v.id', 'm.variant_id')
    .where('v.product_id', p('id'))
    .count({ count: '*' }),
);

/** How often the stock of a product has changed. */
export const countMovements = async ({ db }: Ctx, productId: string): Promise<number> =>
  Number((await movements.first(db, { id: productId }))?.count ?? 0);
