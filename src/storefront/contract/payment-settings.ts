import { z } from 'zod';
import { invalidField } from '#kernel/service/errors.ts';
import { maybe, type Setting, setting } from '#kernel/settings.ts';

/** Every payment processor of the program, in the order in which they are offered (storefront-domain section 11). */
export const PROCESSOR_IDS = ['stripe', 'square', 'paypal', 'offline', 'fake'] as const;

export type ProcessorId = (typeof PROCESSOR_IDS)[number];

/** Takes money that is none: for whoever tries the shop (storefront-settled Z26). */
const TRIED_ONLY: ProcessorId = 'fake';

export const isProcessorId = (id: string): id is ProcessorId =>
  (PROCESSOR_IDS as readonly string[]).includes(id);

const CHOICES = PROCESSOR_IDS.filter((id) => id !== TRIED_ONLY).join(', ');

/** Whether a processor is offered in this mode. */
export const isOffered = (id: ProcessorId, { mode }: { readonly mode: string }): boolean =>
  id !== TRIED_ONLY || mode === 'development';

const requireOffered = (key: string, given: readonly string[], ctx: { readonly mode: string }): void => {
  const refused = given.find((id) => !isOffered(id as ProcessorId, ctx));
  if (refused !== undefined)
    throw invalidField(
      key,
      `${refused} is offered by a server with --dev only; choose it there, under /store/settings/payment`,
    );
};

export const paymentProcessor = setting<ProcessorId | null>({
  key: 'payment_processor',
  group: 'payment',
  description:
    'The payment processor: stripe, square, paypal or offline. Without one, only free orders can be placed',
  schema: maybe(30)
    .overwrite((id) => (id === 'none' ? null : id))
    .refine(
      (id) => id === null || isProcessorId(id),
      `must be one of ${CHOICES}`,
    ) as z.ZodType<ProcessorId | null>,
  default: null,
  check: async (ctx, id) => requireOffered('payment_processor', id === null ? [] : [id], ctx),
});

export const paymentProcessorsEnabled = setting<ProcessorId[]>({
  key: 'payment_processors_enabled',
  group: 'payment',
  description: 'Additional processors offered at checkout',
  schema: () =>
    z
      .array(z.enum(PROCESSOR_IDS))
      .max(PROCESSOR_IDS.length)
      .overwrite((ids) => [...new Set(ids)]),
  default: [],
  check: async (ctx, ids) => requireOffered('payment_processors_enabled', ids, ctx),
});

export const paymentCaptureMode = setting<'automatic' | 'manual'>({
  key: 'payment_capture_mode',
  group: 'payment',
  description:
    'When card payments are captured. automatic: immediately. manual: when staff capture it, within about seven days. Processors that cannot authorize always capture immediately',
  schema: z.enum(['automatic', 'manual']),
  default: 'automatic',
});

export const orderPaymentWindowMinutes = setting({
  key: 'order_payment_window_minutes',
  group: 'payment',
  description: 'Minutes that an unpaid order reserves its stock',
  schema: () => z.int('must be a whole number').min(5).max(10_080),
  default: 60,
});

export const offlinePaymentDays = setting({
  key: 'offline_payment_days',
  group: 'payment',
  description: 'Days until an unpaid order by bank transfer, check or purchase order is canceled',
  schema: () => z.int('must be a whole number').min(1).max(365),
  default: 14,
});

export const offlineInstructions = setting<string | null>({
  key: 'offline_instructions',
  group: 'payment',
  description:
    'How to pay by bank transfer, check or purchase order; shown at checkout, after the order and in the email',
  schema: maybe(5000),
  default: null,
});

/** What a processor has to be told before it takes payments. */
export interface ProcessorField {
  /** Of the API, such as `secret_key`; its setting is `<processor>_<name>`. */
  readonly name: string;
  readonly label: string;
  /** Where the value is found at the processor. */
  readonly help: string;
  readonly type: 'text' | 'password' | 'select';
  /** Without it no payment can be taken. */
  readonly required: boolean;
  readonly setting: Setting<string | null>;
}

type FieldSpec = Omit<ProcessorField, 'setting' | 'type'> & {
  readonly secret?: true;
  /** Begins so: a key in the wrong field is a frequent mistake, and a secret in a public one a costly one. */
  readonly begins?: readonly string[];
  readonly least?: number;
};

/** A shorter secret could be guessed, and anyone can sign with an empty one (M9). */
const LEAST_SECRET = 16;

function field(id: ProcessorId, spec: FieldSpec): ProcessorField {
  const { name, label, help, required, secret = false, begins = [], least = 1 } = spec;
  const fits = (value: string | null) =>
    value === null || begins.length === 0 || begins.some((prefix) => value.startsWith(prefix));
  return {
    name,
    label,
    help,
    required,
    type: secret ? 'password' : 'text',
    setting: setting<string | null>({
      key: `${id}_${name}`,
      group: 'payment',
      description: `${label}. ${help}`,
      schema: () =>
        maybe(500)
          .refine((value) => value === null || !/\s/.test(value), 'must not contain spaces')
          .refine(
            (value) => value === null || value.length >= least,
            `must have at least ${least} characters`,
          )
          .refine(fits, `must start with ${begins.join(' or ')}`),
      default: null,
      secret,
    }),
  };
}

const environment = (id: ProcessorId): ProcessorField => ({
  name: 'environment',
  label: 'Environment',
  help: 'production, or sandbox to test payments with the keys of a test account',
  type: 'select',
  required: true,
  setting: setting<string | null>({
    key: `${id}_environment`,
    group: 'payment',
    description: 'Environment. production, or sandbox to test payments with the keys of a test account',
    schema: z.enum(['production', 'sandbox']),
    default: 'production',
  }) as Setting<string | null>,
});

/** The configuration of each processor, in the order of its form (storefront-domain section 11). */
export const processorFields = {
  stripe: [
    field('stripe', {
      name: 'publishable_key',
      label: 'Publishable key',
      help: 'Dashboard, Developers, API keys. Starts with pk_',
      required: true,
      begins: ['pk_'],
    }),
    field('stripe', {
      name: 'secret_key',
      label: 'Secret key',
      help: 'Dashboard, Developers, API keys. Starts with sk_, or rk_ for a restricted key',
      required: true,
      secret: true,
      begins: ['sk_', 'rk_'],
      least: LEAST_SECRET,
    }),
    field('stripe', {
      name: 'webhook_secret',
      label: 'Webhook signing secret',
      help: 'Dashboard, Developers, Webhooks, the endpoint of this shop. Starts with whsec_',
      required: false,
      secret: true,
      begins: ['whsec_'],
      least: LEAST_SECRET,
    }),
  ],
  square: [
    field('square', {
      name: 'application_id',
      label: 'Application ID',
      help: 'Developer Console, the application, Credentials',
      required: true,
    }),
    field('square', {
      name: 'location_id',
      label: 'Location ID',
      help: "Developer Console, the application, Locations. Its currency must match the shop's",
      required: true,
    }),
    field('square', {
      name: 'access_token',
      label: 'Access token',
      help: 'Developer Console, the application, Credentials',
      required: true,
      secret: true,
      least: LEAST_SECRET,
    }),
    field('square', {
      name: 'webhook_signature_key',
      label: 'Webhook signature key',
      help: 'Developer Console, the application, Webhooks, the subscription of this shop',
      required: false,
      secret: true,
      least: LEAST_SECRET,
    }),
    environment('square'),
  ],
  paypal: [
    field('paypal', {
      name: 'client_id',
      label: 'Client ID',
      help: 'Developer Dashboard, Apps & Credentials, the REST API app',
      required: true,
    }),
    field('paypal', {
      name: 'client_secret',
      label: 'Client secret',
      help: 'Developer Dashboard, Apps & Credentials, the REST API app',
      required: true,
      secret: true,
      least: LEAST_SECRET,
    }),
    field('paypal', {
      name: 'webhook_id',
      label: 'Webhook ID',
      help: 'Developer Dashboard, the REST API app, Webhooks, the webhook of this shop',
      required: false,
    }),
    environment('paypal'),
  ],
  offline: [],
  fake: [],
} as const satisfies Record<ProcessorId, readonly ProcessorField[]>;

/** Settings of single processors: each processor has a form of its own in the panel. */
export const processorSettings: readonly Setting[] = Object.values(processorFields)
  .flat()
  .map((one) => one.setting as Setting);

/** Settings of payments (storefront-domain 13). */
export const paymentSettings = [
  paymentProcessor,
  paymentProcessorsEnabled,
  paymentCaptureMode,
  orderPaymentWindowMinutes,
  offlinePaymentDays,
  offlineInstructions,
  ...processorSettings,
] as readonly Setting[];
