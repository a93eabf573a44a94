/** Objects of the admin API about purchases that come in (licensing 4.2; the names are those of cli.md section 2). */

import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { count, instant } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { LICENSE_TIERS } from '#licensing/contract/enumerations.ts';
import { MAPPED_TYPES, PROCESSORS, QUANTITY_MODES, REFUND_ACTIONS } from './choices.ts';
import { endpointUrl } from './integration.ts';
import type { Integration, ProductMapping } from './record.ts';

/** An integration without its secrets; `url` is what the processor is told. */
export const IntegrationView = later(() =>
  z
    .object({
      id: z.string(),
      name: z.string(),
      /** A stored wallet processor is possible, although none can be made (D114). */
      processor: z.enum([...PROCESSORS, 'WALLET']),
      url: z.string(),
      notificationUrl: z.string().nullable(),
      enabled: z.boolean(),
      previousSecretUntil: instant().nullable(),
      lastEventAt: instant().nullable(),
      createdAt: instant(),
      updatedAt: instant(),
    })
    .meta({ id: 'Integration' }),
);

export const integrationView = (
  { baseUrl }: Ctx,
  { tenantId, previousUntil, ...config }: Integration,
): z.output<typeof IntegrationView> => ({
  ...config,
  url: endpointUrl(baseUrl, config.id),
  previousSecretUntil: previousUntil,
});

/** What one product of the processor is here. */
export const MappingView = z
  .object({
    id: z.string(),
    configId: z.string(),
    externalProductId: z.string(),
    productId: z.string(),
    productSlug: z.string(),
    licenseType: z.enum(MAPPED_TYPES),
    licenseTier: z.enum(LICENSE_TIERS),
    maxActivations: count(),
    durationDays: count().nullable(),
    policyId: z.string().nullable(),
    quantityMode: z.enum(QUANTITY_MODES),
    onRefund: z.enum(REFUND_ACTIONS),
    createdAt: instant(),
    updatedAt: instant(),
  })
  .meta({ id: 'Mapping' }) satisfies z.ZodType<ProductMapping>;

/** An integration with all that it sells, oldest mapping first; a line of a list has them when `details` are asked for. */
export const IntegrationDetails = later(() =>
  IntegrationView.extend({ mappings: z.array(MappingView) }).meta({
    id: 'IntegrationDetails',
  }),
);
export const ListedIntegration = later(() =>
  IntegrationView.extend({ mappings: z.array(MappingView).optional() }).meta({
    id: 'ListedIntegration',
  }),
);
