/** Why a delivery is refused before anything of it is stored (D102). */
export type RefusalReason =
  | 'CONFIG_NOT_FOUND'
  | 'TOO_LARGE'
  | 'MALFORMED'
  | 'SIGNATURE_INVALID'
  | 'UNSUPPORTED_PROCESSOR';

/** Why a stored event made no licenses and waits for somebody who does something about it. */
export type FailureReason =
  | 'UNMAPPED'
  | 'EMAIL_MISSING'
  | 'QUANTITY'
  | 'PURCHASE_UNKNOWN'
  | 'TENANT_SUSPENDED'
  | 'CONFIG_NOT_FOUND'
  | 'PROCESSING_FAILED';

/** Why a stored event needs nothing done. */
export type IgnoreReason = 'EVENT_IGNORED' | 'DUPLICATE_PAYMENT';

/** Some products of the event are mapped and licensed, others are not: it can be processed again. */
export const PARTLY_UNMAPPED = 'PARTLY_UNMAPPED';

export const EVENT_STATUSES = ['RECEIVED', 'PROCESSED', 'IGNORED', 'FAILED'] as const;
export type EventStatus = (typeof EVENT_STATUSES)[number];

/** How an event of the inbox stands after it was looked at. */
export interface Outcome {
  status: EventStatus;
  reason: FailureReason | IgnoreReason | typeof PARTLY_UNMAPPED | null;
  /** In words for staff. */
  message: string | null;
  /** By this processing of it. */
  licensesCreated: number;
}

/** An event that is answered as refused although it is stored. */
export const failed = (reason: FailureReason, message: string): Outcome => ({
  status: 'FAILED',
  reason,
  message,
  licensesCreated: 0,
});

export const ignored = (reason: IgnoreReason): Outcome => ({
  status: 'IGNORED',
  reason,
  message: null,
  licensesCreated: 0,
});
