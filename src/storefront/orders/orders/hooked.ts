import type { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import type { Payload } from '#kernel/hooks/point.ts';
import { deliveredOf } from './delivered.ts';
import { get } from './orders.ts';
import type { Order } from './record.ts';
import { orderView } from './view.ts';
import { whole } from './whole.ts';

/** What a person is about to do with an order. */
export interface Doing {
  /** `hold`, `cancel`, `change` … */
  readonly action: string;
  /** What was sent with it, by the names of the API. */
  readonly sent: Payload;
  /** Which of that a hook may change, and how. */
  readonly changes?: () => Readonly<Record<string, z.ZodType>>;
}

/**
 * Asks the operator's hooks before a person or an API key changes an order (storefront-domain 19): of one that was placed,
 * since nobody but staff knows of the others.
 *
 * @returns the fields that they have changed; null when none
 * @throws AppError NOT_FOUND; VALIDATION_ERROR, reason HOOK_REJECTED; HookFailed
 */
export async function beforeUpdate(
  ctx: Ctx,
  idOrNumber: string,
  { action, sent, changes = () => ({}) }: Doing,
): Promise<Payload | null> {
  if (ctx.hooks.isIdle('before:order.update')) return null;
  const order = await get(ctx, idOrNumber);
  if (order.placedAt === null) return null;
  return ctx.before(
    'order.update',
    order.id,
    async () => ({ action, ...sent, order: await shown(ctx, order) }),
    () => ({ changes: changes() }),
  );
}

/** An order as webhooks are told of it. */
const shown = async (ctx: Ctx, order: Order) =>
  orderView(await whole(ctx, order), await deliveredOf(ctx, order));
