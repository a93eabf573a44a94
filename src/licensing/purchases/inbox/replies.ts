import { z } from 'zod';
import { count } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import type { FailureReason, Outcome, RefusalReason } from './outcome.ts';

/** Body of every answer to an event, 200 also when it is refused (D101, D102): it says itself whether it succeeded. */
export const InboundReply = later(() =>
  z.object({
    success: z.boolean(),
    /** Whether the event is kept here. */
    received: z.boolean(),
    /** It was reported before, or another event of the same payment was. */
    duplicate: z.boolean().optional(),
    licensesCreated: count(),
    /** It will be processed later. */
    queued: z.literal(true).optional(),
    /** It is kept on the disk because the database is away. */
    spooled: z.literal(true).optional(),
    ignored: z.literal(true).optional(),
    reason: z.string().optional(),
    error: z.object({ code: z.string(), message: z.string() }).optional(),
  }),
);
/** Body of the one answer that asks the processor to send an event again: it could be kept nowhere (D101). */
export const NotKept = later(() =>
  z.object({
    success: z.literal(false),
    error: z.object({ code: z.string(), message: z.string() }),
    requestId: z.string(),
  }),
);

export type InboundReply = z.output<typeof InboundReply>;

const accepted = (more: Partial<InboundReply> = {}): InboundReply => ({
  success: true,
  received: true,
  duplicate: false,
  licensesCreated: 0,
  ...more,
});

/** What the sender may know about a refusal; more would help who tries signatures. */
const refusalMessages: Record<RefusalReason, string> = {
  CONFIG_NOT_FOUND: 'This integration was not found',
  TOO_LARGE: 'The body is larger than 1 MiB',
  MALFORMED: 'The body is not an event',
  SIGNATURE_INVALID: 'The signature is not valid',
  UNSUPPORTED_PROCESSOR: 'Events of this processor are not supported',
};

/** Answer to what is not an event of the integration, and is not kept. */
export const refusedReply = (reason: RefusalReason): InboundReply => ({
  success: false,
  received: false,
  licensesCreated: 0,
  reason,
  error: {
    code: reason === 'CONFIG_NOT_FOUND' ? 'NOT_FOUND' : 'VALIDATION_ERROR',
    message: refusalMessages[reason],
  },
});

const failedReply = (reason: FailureReason, message: string): InboundReply => ({
  success: false,
  received: true,
  duplicate: false,
  licensesCreated: 0,
  reason,
  error: { code: 'VALIDATION_ERROR', message },
});

/** Answer to an event of the inbox after it was looked at. */
export function outcomeReply({ status, reason, message, licensesCreated }: Outcome): InboundReply {
  switch (status) {
    case 'PROCESSED':
      return accepted({ licensesCreated });
    case 'IGNORED':
      return reason === 'DUPLICATE_PAYMENT'
        ? accepted({ duplicate: true })
        : accepted({ ignored: true, reason: 'EVENT_IGNORED' });
    case 'FAILED':
      return failedReply(reason as FailureReason, message ?? 'The event cannot be processed');
    case 'RECEIVED':
      return accepted({ queued: true });
  }
}

/** Answer to an event that is in the inbox and is processed later. */
export const queuedReply = (): InboundReply => accepted({ queued: true });

/** Answer to an event that is on the disk. */
export const spooledReply = (): InboundReply => accepted({ spooled: true });

/** Answer to a repeated delivery. @param waits its event is processed later, or again */
export const duplicateReply = (waits: boolean): InboundReply =>
  accepted({ duplicate: true, ...(waits && { queued: true }) });
