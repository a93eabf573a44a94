import type { Product } from './record.ts';

/** Whether the shop shows a product at a time. @param now ISO time, `ctx.now()` */
export const isShown = ({ status, publishAt }: Pick<Product, 'status' | 'publishAt'>, now: string): boolean =>
  status === 'active' && (publishAt === null || publishAt <= now);

/** From when on the shop will show a product that it does not show yet; null for one that is shown or not active. */
export const scheduledFor = (product: Pick<Product, 'status' | 'publishAt'>, now: string): string | null =>
  product.status === 'active' && !isShown(product, now) ? product.publishAt : null;
