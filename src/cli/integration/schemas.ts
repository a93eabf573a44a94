import { z } from 'zod';
import { InboundEventView, RefusalView, SimulatedView } from '#licensing/purchases/inbox/view.ts';
import { IntegrationView, MappingView } from '#licensing/purchases/integrations/view.ts';
import { batchShape, dryRun, Instant, pageShape } from '../shapes.ts';

/** `Mapping` of cli.md section 2. */
export const MappingShape = MappingView.omit({
  configId: true,
  productSlug: true,
  createdAt: true,
  updatedAt: true,
}).extend({ product: z.string() });

/** `Integration` of cli.md section 2. */
export const IntegrationShape = IntegrationView.omit({ previousSecretUntil: true, updatedAt: true }).extend({
  previousUntil: Instant.nullable(),
  mappings: z.array(MappingShape),
});

export const IntegrationPage = pageShape(IntegrationShape);
export const IntegrationPlan = IntegrationShape.extend({ dryRun });
/** The secret is there once, when it was made here: on a terminal, with --json or --reveal, unless --out took it. */
export const IntegrationWithSecret = IntegrationPlan.extend({ secret: z.string().optional() });
export const MappingPage = pageShape(MappingShape);
export const MappingPlan = MappingShape.extend({ dryRun });

export const EventPage = pageShape(InboundEventView);
export const RefusalPage = pageShape(RefusalView.extend({ hour: Instant }));

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
export const SimulateOutput = SimulatedView.extend({ matched: z.array(MappingShape) });
