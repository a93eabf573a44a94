/** Objects of the admin API about what payment processors reported (licensing 4.2; cli.md section 2). */
import { z } from 'zod';
import { count, instant } from '#kernel/http/fields.ts';
import { Pagination } from '#kernel/service/pagination.ts';
import { MappingReply } from '../integrations/index.ts';
import type { Reprocessed } from './events/events.ts';
import type { InboundEvent, InboundEventDetails } from './events/queries.ts';
import { EVENT_STATUSES } from './outcome.ts';
import type { CountedRefusal } from './refusals/queries.ts';
import type { Simulated } from './simulate.ts';

/** An event of the inbox. */
export const InboundEventReply = z.object({
  id: z.string(),
  configId: z.string(),
  processorEventId: z.string(),
  eventName: z.string(),
  status: z.enum(EVENT_STATUSES),
  reason: z.string().nullable(),
  error: z.string().nullable(),
  licensesCreated: count(),
  unmapped: z.array(z.string()),
  attempts: count(),
  nextAttemptAt: instant().nullable(),
  receivedAt: instant(),
  processedAt: instant().nullable(),
  spooled: z.boolean(),
}) satisfies z.ZodType<InboundEvent>;

export const InboundEventPage = z
  .object({ items: z.array(InboundEventReply), pagination: Pagination })
  .meta({ id: 'InboundEvent' });

/** With its body, null once it has been removed for its age, and the licenses that it made. */
export const InboundEventDetailsReply = InboundEventReply.extend({
  paymentId: z.string().nullable(),
  orderId: z.string().nullable(),
  headers: z.record(z.string(), z.string()),
  body: z.string().nullable(),
  licenses: z.array(z.object({ licenseId: z.string(), externalProductId: z.string() })),
}) satisfies z.ZodType<InboundEventDetails>;

/** What processing it again came to. */
export const ReprocessedReply = z.object({
  event: InboundEventDetailsReply.omit({ headers: true, body: true }),
  licensesCreated: count(),
}) satisfies z.ZodType<Reprocessed>;

const RefusalReply = z.object({
  hour: z.string(),
  reason: z.string(),
  ip: z.string(),
  detail: z.string().nullable(),
  count: count(),
  lastAt: instant(),
}) satisfies z.ZodType<CountedRefusal>;

export const RefusalPage = z
  .object({ items: z.array(RefusalReply), pagination: Pagination })
  .meta({ id: 'RefusedEvent' });

/** What an event would come to, and the licenses that it would make. */
export const SimulatedReply = z.object({
  event: z.object({ id: z.string(), name: z.string(), kind: z.enum(['PURCHASE', 'REFUND', 'OTHER']) }),
  status: z.enum(EVENT_STATUSES),
  reason: z.string().nullable(),
  message: z.string().nullable(),
  matched: z.array(MappingReply),
  unmapped: z.array(z.string()),
  wouldCreate: z.array(
    z.object({
      externalProductId: z.string(),
      productId: z.string(),
      productSlug: z.string(),
      type: z.string(),
      tier: z.string(),
      maxActivations: count(),
      validUntil: instant().nullable(),
      customerEmail: z.string(),
      orderId: z.string().nullable(),
    }),
  ),
}) satisfies z.ZodType<Simulated>;
