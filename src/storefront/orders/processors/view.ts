import { z } from 'zod';
import { later } from '#kernel/sharing.ts';
import { PROCESSOR_IDS } from '#storefront/contract/payment-settings.ts';

const ConfigField = later(() =>
  z
    .object({
      /** As PUT …/config names it. */
      key: z.string(),
      /** As the settings of the shop name it. */
      setting: z.string(),
      label: z.string(),
      help: z.string(),
      type: z.enum(['text', 'password', 'select']),
      required: z.boolean(),
      /** Masked where it is secret, empty while there is none. */
      value: z.string(),
      options: z.array(z.string()),
    })
    .meta({ id: 'PaymentProcessorField' }),
);

/** A way to pay, as staff see it. */
export const PaymentProcessor = later(() =>
  z
    .object({
      id: z.enum(PROCESSOR_IDS),
      name: z.string(),
      display_name: z.string(),
      kind: z.enum(['card', 'wallet', 'offline']),
      capabilities: z.object({
        payments: z.boolean(),
        refunds: z.boolean(),
        subscriptions: z.boolean(),
        authorize: z.boolean(),
        redirect: z.boolean(),
      }),
      config_fields: z.array(ConfigField),
      configured: z.boolean(),
      /** Whether it is the main one. */
      active: z.boolean(),
      /** Whether buyers can choose it, when it is configured. */
      at_checkout: z.boolean(),
      /** What to register at the processor, for its notifications. */
      webhook_url: z.string().nullable(),
    })
    .meta({ id: 'PaymentProcessor' }),
);

export type ProcessorView = z.output<typeof PaymentProcessor>;
