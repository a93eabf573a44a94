import type { RefundWay } from '../mails/index.ts';
import type { Payment, Refund } from './record.ts';

/**
 * How money reaches the customer when it goes back. What came outside of any processor, such as cash or a transfer, staff
 * pay back themselves.
 */
export function refundWay(payment: Pick<Payment, 'kind'> | null, to: Refund['to']): RefundWay {
  if (to === 'gift_card' || (to === 'original' && payment?.kind === 'gift_card')) return 'gift_card';
  return to === 'offline' || payment?.kind === 'offline' ? 'by_hand' : 'bank';
}
