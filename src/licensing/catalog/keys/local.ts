import type { LocalPart } from '#kernel/capability.ts';
import { on } from '#kernel/events.ts';
import { productEvents } from '../products/index.ts';

export const keysLocal = {
  name: 'keys',
  subscribers: [
    on(productEvents, 'PRODUCT_DELETED', async (ctx, { subject }) => {
      const { removeOf } = await import('./release/repository.ts');
      await removeOf(ctx, subject);
    }),
  ],
} satisfies LocalPart;
