import type { Ctx } from '#kernel/context.ts';
import { moneyWords } from '#kernel/money-words.ts';
import { fail, invalidField } from '#kernel/service/errors.ts';
import * as orders from '../orders/index.ts';
import { newPayment } from './gift-cards.ts';
import { restated } from './placing.ts';
import type { Payment } from './record.ts';
import * as repo from './repository.ts';
import { paid } from './settle.ts';

export const OFFLINE_METHODS = ['cash', 'check', 'bank_transfer', 'po', 'other'] as const;

/** Money that arrived outside of any processor. */
export interface Received {
  readonly amountCents: number;
  readonly method: (typeof OFFLINE_METHODS)[number];
  readonly reference?: string | undefined;
  /** ISO time; now when absent. */
  readonly receivedAt?: string | undefined;
}

/** How staff call each of them. */
export const offlineLabels: Readonly<Record<Received['method'], string>> = {
  cash: 'Cash',
  check: 'Check',
  bank_transfer: 'Bank transfer',
  po: 'Purchase order',
  other: 'Other',
};

/**
 * Records money for an order that was placed. The whole of what is due moves it on.
 *
 * @throws AppError NOT_FOUND; VALIDATION_ERROR for more than is due, or an order that has ended
 */
export async function record(ctx: Ctx, idOrNumber: string, received: Received): Promise<Payment> {
  const { payment, after } = await recorded(ctx, idOrNumber, received);
  await orders.completePaid(ctx, after);
  return payment;
}

function recorded(ctx: Ctx, idOrNumber: string, received: Received) {
  return ctx.tx(async (ctx) => {
    const order = await orders.lock(ctx, idOrNumber);
    if (order.placedAt === null || order.status === 'cancelled')
      throw fail(
        'VALIDATION_ERROR',
        `order ${order.orderNumber ?? order.id} cannot take a payment: it is ${order.status}`,
        {
          details: { reason: 'INVALID_TRANSITION' },
        },
      );
    const due = orders.settlement(order);
    if (received.amountCents > due)
      throw invalidField(
        'amount_cents',
        `only ${moneyWords({ amountCents: Math.max(0, due), currency: order.currency }, 'en')} is due`,
      );
    const { method, reference, amountCents } = received;
    const payment = newPayment(ctx, {
      orderId: order.id,
      processor: 'offline',
      kind: 'offline',
      amountCents,
      currency: order.currency,
      status: 'captured',
      capturedCents: amountCents,
      methodLabel: [offlineLabels[method], reference]
        .filter((one) => one)
        .join(' ')
        .slice(0, 100),
      receivedAt: received.receivedAt ?? ctx.now(),
    });
    await repo.insertPayment(ctx, payment);
    await orders.note(ctx, order.id, {
      type: 'payment',
      data: {
        payment_id: payment.id,
        status: 'captured',
        amount_cents: amountCents,
        currency: order.currency,
        method,
      },
      visibleToCustomer: true,
    });
    return { payment, after: await paid(ctx, order, await restated(ctx, order)) };
  });
}
