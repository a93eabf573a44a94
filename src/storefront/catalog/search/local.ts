import type { LocalPart } from '#kernel/capability.ts';
import type { Ctx } from '#kernel/context.ts';
import { onEventsOf } from '#kernel/events.ts';
import type { shopProductEvents } from '../products/events.ts';

const update = async (ctx: Ctx, productId: string, isShown: boolean): Promise<void> => {
  const { indexProduct, unindexProduct } = await import('./indexing.ts');
  await (isShown ? indexProduct : unindexProduct)(ctx, productId);
};

const onProduct = onEventsOf<typeof shopProductEvents>('store');

/** Keeps the index in step with the products, in the transactions that change them. */
export const shopSearchLocal = {
  name: 'shop-search',
  subscribers: [
    onProduct('product.created', async (ctx, { subject, data }) => {
      if (data.status === 'active') await update(ctx, subject, true);
    }),
    onProduct('product.updated', (ctx, { subject, data }) => update(ctx, subject, data.status === 'active')),
    onProduct('product.deleted', (ctx, { subject }) => update(ctx, subject, false)),
  ],
} satisfies LocalPart;
