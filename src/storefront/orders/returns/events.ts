import { change, defineEvents, event, signal } from '#kernel/events.ts';
import { type Return, returnReasonRecord, returnRecord } from './record.ts';

/** What every event of a return says; receivers of webhooks get the whole return. */
export type ReturnTold = Pick<Return, 'returnNumber' | 'status' | 'orderId'>;

/** What happens to returns, by the names that webhooks know (storefront-domain 18). */
export const returnEvents = defineEvents(
  'store',
  {
    'return.requested': event<ReturnTold>(),
    'return.approved': event<ReturnTold>(),
    'return.received': event<ReturnTold>(),
    /** Any other change: rejected, sent, refunded, exchanged, opened again. */
    'return.changed': change<ReturnTold>(),
    /** Whoever wrote: the log has that it was written, and not what. */
    'return.message_added': change<{ readonly isInternal: boolean }>(),
    /** It ends and the goods stay where they are: cancelled, rejected, expired, closed without a refund. In its transaction. */
    'return.ended': signal<{ readonly orderId: string; readonly how: Return['status'] }>(),
    /** Its units were settled. In its transaction. */
    'return.settled': signal<{ readonly orderId: string; readonly outcome: 'refund' | 'exchange' }>(),
  },
  { target: 'shop-returns', record: returnRecord },
);

/** What staff do to the reasons that customers choose from. */
export const returnReasonEvents = defineEvents(
  'store',
  {
    'return_reason.created': change<{ readonly label: string }>(),
    'return_reason.updated': change<{ readonly label: string }>(),
    'return_reason.deleted': change<{ readonly label: string }>(),
  },
  { target: 'shop-return-reasons', record: returnReasonRecord },
);
