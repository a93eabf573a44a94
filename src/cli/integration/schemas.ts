import { z } from 'zod';
import type {
  CountedRefusal,
  InboundEvent,
  InboundEventDetails,
  SimulatedLicense,
} from '#licensing/purchases/inbox/index.ts';
import { batchShape, dryRun, Instant, pageShape } from '../shapes.ts';
import type { IntegrationView, MappingView } from './view.ts';

/** `Mapping` of cli.md section 2. */
export const MappingShape = z.strictObject({
  id: z.string(),
  externalProductId: z.string(),
  productId: z.string(),
  product: z.string(),
  licenseType: z.enum(['PERPETUAL', 'SUBSCRIPTION', 'TRIAL', 'BETA']),
  licenseTier: z.enum(['PERSONAL', 'PROFESSIONAL', 'BUSINESS', 'ENTERPRISE']),
  maxActivations: z.int(),
  durationDays: z.int().nullable(),
  policyId: z.string().nullable(),
  quantityMode: z.enum(['LICENSES', 'SEATS']),
  onRefund: z.enum(['NONE', 'SUSPEND', 'REVOKE']),
}) satisfies z.ZodType<MappingView>;

/** `Integration` of cli.md section 2. */
export const IntegrationShape = z.strictObject({
  id: z.string(),
  name: z.string(),
  processor: z.enum(['STRIPE', 'SQUARE', 'GENERIC', 'WALLET']),
  url: z.string(),
  notificationUrl: z.string().nullable(),
  enabled: z.boolean(),
  lastEventAt: Instant.nullable(),
  previousUntil: Instant.nullable(),
  createdAt: Instant,
  mappings: z.array(MappingShape),
}) satisfies z.ZodType<IntegrationView>;

export const IntegrationPage = pageShape(IntegrationShape);
export const IntegrationPlan = IntegrationShape.extend({ dryRun });
/** The secret is there once, when it was made here: on a terminal, with --json or --reveal, unless --out took it. */
export const IntegrationWithSecret = IntegrationPlan.extend({ secret: z.string().optional() });
export const MappingPage = pageShape(MappingShape);
export const MappingPlan = MappingShape.extend({ dryRun });

/** `InboundEvent` of cli.md section 2. */
export const EventShape = z.strictObject({
  id: z.string(),
  configId: z.string(),
  processorEventId: z.string(),
  eventName: z.string(),
  status: z.enum(['RECEIVED', 'PROCESSED', 'IGNORED', 'FAILED']),
  reason: z.string().nullable(),
  error: z.string().nullable(),
  licensesCreated: z.int(),
  unmapped: z.array(z.string()),
  attempts: z.int(),
  nextAttemptAt: Instant.nullable(),
  receivedAt: Instant,
  processedAt: Instant.nullable(),
  spooled: z.boolean(),
}) satisfies z.ZodType<InboundEvent>;

export const EventPage = pageShape(EventShape);
export const EventDetails = EventShape.extend({
  paymentId: z.string().nullable(),
  orderId: z.string().nullable(),
  headers: z.record(z.string(), z.string()),
  body: z.string().nullable(),
  licenses: z.array(z.strictObject({ licenseId: z.string(), externalProductId: z.string() })),
}) satisfies z.ZodType<InboundEventDetails>;

export const RefusalPage = pageShape(
  z.strictObject({
    hour: Instant,
    reason: z.string(),
    ip: z.string(),
    detail: z.string().nullable(),
    count: z.int(),
    lastAt: Instant,
  }) satisfies z.ZodType<CountedRefusal>,
);

/** One event that was processed again. */
export const Replayed = z.strictObject({
  id: z.string(),
  status: z.string(),
  reason: z.string().nullable(),
  licensesCreated: z.int(),
});
export const ReplayOutput = batchShape(Replayed);

/** `integration test` of cli.md section 3.7; `response` is null in a dry run, which shows the event instead. */
export const TestOutput = z.strictObject({
  response: z
    .strictObject({ status: z.int(), ms: z.int(), body: z.record(z.string(), z.unknown()).nullable() })
    .nullable(),
  licensesCreated: z.array(
    z.strictObject({
      id: z.string(),
      product: z.string(),
      type: z.string(),
      tier: z.string(),
      maxActivations: z.int(),
      validUntil: Instant.nullable(),
    }),
  ),
  event: z.record(z.string(), z.unknown()).optional(),
  dryRun,
});

/** `integration simulate` of cli.md section 3.7. */
export const SimulateOutput = z.strictObject({
  event: z.strictObject({ id: z.string(), name: z.string(), kind: z.string() }),
  status: z.string(),
  reason: z.string().nullable(),
  message: z.string().nullable(),
  matched: z.array(MappingShape),
  unmapped: z.array(z.string()),
  wouldCreate: z.array(
    z.strictObject({
      externalProductId: z.string(),
      productId: z.string(),
      productSlug: z.string(),
      type: z.string(),
      tier: z.string(),
      maxActivations: z.int(),
      validUntil: Instant.nullable(),
      customerEmail: z.string(),
      orderId: z.string().nullable(),
    }) satisfies z.ZodType<SimulatedLicense>,
  ),
});
