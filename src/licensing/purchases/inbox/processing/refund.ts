import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import type { RefundAction } from '../../integrations/index.ts';
import * as claims from '../claims/repository.ts';
import { failed, ignored, type Outcome } from '../outcome.ts';
import type { Work } from './work.ts';

/**
 * Does to the licenses of a refunded purchase what the mapping of each says (D116), in the transaction that holds the
 * event. A license that is gone or revoked already stays so. A refund that came before its purchase is kept, visible,
 * and taken up again when the purchase has its licenses.
 */
export async function refund(ctx: Ctx, work: Work): Promise<Outcome> {
  const { event, config } = work;
  if (config.mappings.every(({ onRefund }) => onRefund === 'NONE')) return ignored('EVENT_IGNORED');
  const names = { paymentId: event.paymentId, orderId: event.namedOrderId };
  const made = await claims.listLicensesOf(ctx, config.id, names);
  if (made.length === 0) {
    const name = event.paymentId ?? event.namedOrderId;
    const message =
      name === null ? 'the refund has no payment or order' : `no license was created for ${name}`;
    return failed('PURCHASE_UNKNOWN', message);
  }
  for (const { licenseId, externalProductId } of made) {
    const mapping = config.mappings.find((one) => one.externalProductId === externalProductId);
    await apply(ctx, licenseId, mapping?.onRefund ?? 'NONE', `refund ${event.id}`);
  }
  return { status: 'PROCESSED', reason: null, message: null, licensesCreated: 0 };
}

async function apply(ctx: Ctx, licenseId: string, action: RefundAction, note: string): Promise<void> {
  try {
    if (action === 'SUSPEND') await licenses.suspend(ctx, licenseId, { reason: 'REFUND', note });
    if (action === 'REVOKE') await licenses.revoke(ctx, { licenseId }, 'REFUND');
  } catch (error) {
    // It is in the trash, or revoked: less than what the refund asks for it is not.
    if (!(error instanceof AppError)) throw error;
  }
}
