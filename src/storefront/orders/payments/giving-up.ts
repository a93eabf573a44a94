import type { Ctx } from '#kernel/context.ts';
import { processorOf } from '../processors/index.ts';
import type { Payment } from './record.ts';
import { settle, unknownOf } from './settle.ts';

/** Gives up a payment of which no money was taken. @returns whether the processor has given it up */
export async function giveUp(ctx: Ctx, payment: Payment): Promise<boolean> {
  const { id: paymentId, transactionId } = payment;
  if (transactionId === null) return false;
  try {
    const connection = await processorOf(ctx, payment.processor).connect(ctx);
    const gone = await connection.void({ paymentId, transactionId, key: `${paymentId}:void` });
    if (gone.status !== 'succeeded') return false;
  } catch (error) {
    ctx.log.warn({ err: error, payment: paymentId }, 'a payment could not be given up');
    return false;
  }
  await settle(ctx, paymentId, { ...unknownOf(payment), status: 'voided' });
  return true;
}
