/** Objects of the admin API about what payment processors reported (licensing 4.2; cli.md section 2). */
import { z } from 'zod';
import { count, instant } from '#kernel/http/fields.ts';
import { Pagination } from '#kernel/service/pagination.ts';
import { MappingView } from '../integrations/view.ts';
import type { Reprocessed } from './events/events.ts';
import type { InboundEvent, InboundEventDetails } from './events/queries.ts';
import { EVENT_STATUSES } from './outcome.ts';
import type { CountedRefusal } from './refusals/queries.ts';
import type { SignedSample } from './sample.ts';
import type { Simulated } from './simulate.ts';

/** An event of the inbox. */
export const InboundEventView = z
  .object({
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
  })
  .meta({ id: 'InboundEvent' }) satisfies z.ZodType<InboundEvent>;

/** With its body, null once it has been removed for its age, and the licenses that it made. */
export const InboundEventDetailsView = InboundEventView.extend({
  paymentId: z.string().nullable(),
  orderId: z.string().nullable(),
  headers: z.record(z.string(), z.string()),
  body: z.string().nullable(),
  licenses: z.array(z.object({ licenseId: z.string(), externalProductId: z.string() })),
}).meta({ id: 'InboundEventDetails' }) satisfies z.ZodType<InboundEventDetails>;

/** What processing it again came to. */
export const ReprocessedView = z
  .object({
    event: InboundEventDetailsView.omit({ headers: true, body: true }),
    licensesCreated: count(),
  })
  .meta({ id: 'Reprocessed' }) satisfies z.ZodType<Reprocessed>;

export const RefusalView = z.object({
  hour: z.string(),
  reason: z.string(),
  ip: z.string(),
  detail: z.string().nullable(),
  count: count(),
  lastAt: instant(),
}) satisfies z.ZodType<CountedRefusal>;

export const RefusalPage = z
  .object({
    items: z.array(RefusalView),
    /** Deliveries that were refused within the last 24 hours. */
    lastDay: count(),
    pagination: Pagination,
  })
  .meta({ id: 'RefusedEventPage' });

/** What an event would come to, and the licenses that it would make. */
export const SimulatedView = z
  .object({
    event: z.object({ id: z.string(), name: z.string(), kind: z.enum(['PURCHASE', 'REFUND', 'OTHER']) }),
    status: z.enum(EVENT_STATUSES),
    reason: z.string().nullable(),
    message: z.string().nullable(),
    matched: z.array(MappingView),
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
  })
  .meta({ id: 'SimulatedEvent' }) satisfies z.ZodType<Simulated>;

/** A purchase, signed as the processor signs it: sent to the endpoint of the integration it makes a license. */
export const SampleView = z
  .object({
    configId: z.string(),
    externalProductId: z.string(),
    orderId: z.string(),
    /** Those that carry the signature; none in a rehearsal. */
    headers: z.record(z.string(), z.string()),
    body: z.string(),
  })
  .meta({ id: 'SignedSample' }) satisfies z.ZodType<SignedSample>;
