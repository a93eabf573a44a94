import type { ValuesOf } from '#kernel/db/record.ts';
import type { attemptRecord, deliveryRecord, webhookRecord } from './record.ts';

/** A receiver of events, as staff sees it: without its secrets. */
export interface Webhook extends ValuesOf<typeof webhookRecord> {
  /** Names of the headers that are sent beside the documented ones; their values may be credentials. */
  headerNames: string[];
}

/** A delivery with the exact text that is sent. */
export type DeliveryWithBody = ValuesOf<typeof deliveryRecord>;

/** One event on its way to one webhook. */
export type Delivery = Omit<DeliveryWithBody, 'body'>;

/** One request to a receiver and what came back. */
export type Attempt = ValuesOf<typeof attemptRecord>;

/** A delivery with what was sent and what came back. */
export type DeliveryRecord = DeliveryWithBody & { webhookName: string; log: Attempt[] };
