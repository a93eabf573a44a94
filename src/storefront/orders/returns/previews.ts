import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import { money } from '../desk/index.ts';
import * as orders from '../orders/index.ts';
import { get } from './returns.ts';
import { previewSettling } from './settle.ts';

/** What staff read before they refund a return: what is, and what would be. */
export async function refundWords(ctx: Ctx, id: string): Promise<string[]> {
  const { currency } = await orders.get(ctx, (await get(ctx, id)).orderId);
  const words = (cents: number) => money(cents, currency);
  try {
    const { valueCents, feeCents, amountCents, leftCents } = await previewSettling(ctx, id, {});
    return [
      `The received items cost ${words(valueCents)}; ${words(feeCents)} is the restocking fee from the settings.`,
      `Now: ${words(leftCents)} of the order can be refunded. Then: ${words(leftCents - amountCents)}, and ${words(amountCents)} is refunded.`,
      'A refund cannot be undone.',
    ];
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) throw error;
    return [error.message];
  }
}
