import { z } from 'zod';
import { type Checked, flag, integer, oneOf, optional, report, text } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { LICENSE_TIERS } from '#licensing/contract/enumerations.ts';
import { bounds } from '#licensing/contract/limits.ts';
import { MAPPED_TYPES, PROCESSORS, QUANTITY_MODES, REFUND_ACTIONS } from './choices.ts';

/** A policy or product is named by its id or by its name or slug. */
const reference = () => text({ min: 1, max: 100 });

/** What a processor's own secret looks like; a shorter one could be guessed, an empty one lets anyone sign (M9). */
const signingSecret = () =>
  text({
    min: 16,
    max: 255,
    form: {
      pattern: /^[!-~](?:[ -~]*[!-~])?$/,
      says: 'made of printable ASCII characters, without a space at either end',
    },
  });

const WALLET_NAMES = ['wallet', 'paypal'];

/** The wallet processor is named in its refusal: who asks for it should not look for a slip of the pen (D114). */
const processorField = () =>
  z.enum(PROCESSORS, {
    error: ({ input }) => {
      if (input === undefined) return 'is required';
      if (typeof input === 'string' && WALLET_NAMES.includes(input.toLowerCase()))
        return 'cannot be a wallet processor: certificate-based signatures are not supported';
      return `must be one of ${PROCESSORS.join(', ')}`;
    },
  });

/** It is compared byte for byte with what the processor signed, so it is stored as it was written (D107). */
const notificationUrl = () =>
  text({ min: 1, max: 2048 }).check((checked: Checked<string>) => {
    const { value } = checked;
    if (!/^[!-~]+$/.test(value) || !URL.canParse(value) || new URL(value).protocol !== 'https:')
      report(checked, 'invalid_format', 'must be an https URL');
    else if (new URL(value).username !== '' || new URL(value).password !== '')
      report(checked, 'invalid_format', 'must not carry a user or password');
  });

const configShape = {
  name: text({ min: 1, max: 100, trim: true }),
  signingSecret: signingSecret(),
  generateSecret: flag(),
  notificationUrl: notificationUrl(),
  enabled: flag(),
};

interface Secrets {
  signingSecret?: string | undefined;
  generateSecret?: boolean | undefined;
}

function oneSecret(checked: Checked<Secrets>): void {
  const { signingSecret, generateSecret } = checked.value;
  if (signingSecret !== undefined && generateSecret === true)
    report(checked, 'contradiction', 'cannot be given together with generateSecret', ['signingSecret']);
}

/**
 * Input that makes an integration (licensing 4.2). Left out: a name after the processor, enabled; a generic processor
 * gets a secret of ours, which `generateSecret` also asks for with the others.
 */
export const IntegrationCreate = later(() =>
  z
    .strictObject({
      name: optional(configShape.name),
      processor: processorField(),
      signingSecret: optional(configShape.signingSecret),
      generateSecret: optional(configShape.generateSecret),
      notificationUrl: optional(configShape.notificationUrl),
      enabled: optional(configShape.enabled),
    })
    .check(oneSecret),
);
export type IntegrationCreateInput = z.output<typeof IntegrationCreate>;

/** Input that changes an integration: absent leaves a field, null clears the notification URL. The processor stays. */
export const IntegrationUpdate = later(() =>
  z
    .strictObject({ ...configShape, notificationUrl: configShape.notificationUrl.nullable() })
    .partial()
    .check(oneSecret),
);
export type IntegrationUpdateInput = z.output<typeof IntegrationUpdate>;

const mappingShape = {
  externalProductId: text({ min: 1, max: 255 }),
  productId: reference(),
  licenseType: z.enum(MAPPED_TYPES, {
    error: ({ input }) =>
      input === 'FLOATING'
        ? 'cannot be FLOATING: mappings cannot sell floating licenses'
        : `must be one of ${MAPPED_TYPES.join(', ')}`,
  }),
  licenseTier: oneOf(LICENSE_TIERS),
  maxActivations: integer(bounds.maxActivations.min, bounds.maxActivations.max),
  durationDays: integer(bounds.durationDays.min, bounds.durationDays.max),
  policyId: reference(),
  quantityMode: oneOf(QUANTITY_MODES),
  onRefund: oneOf(REFUND_ACTIONS),
};

/**
 * Input that maps a product of the processor: `externalProductId`, and what is to be said of it. A new mapping needs
 * `productId` (id or slug) and takes type, seats and days from the product; one that exists keeps what is left out.
 * null days: without an end.
 */
export const MappingInput = later(() =>
  z
    .strictObject({
      ...mappingShape,
      durationDays: mappingShape.durationDays.nullable(),
      policyId: mappingShape.policyId.nullable(),
    })
    .partial()
    .required({ externalProductId: true }),
);
export type MappingInputFields = z.output<typeof MappingInput>;

/** Input that changes a mapping: absent leaves a field, null clears days and policy. */
export const MappingUpdate = later(() => MappingInput.partial());
export type MappingUpdateInput = z.output<typeof MappingUpdate>;
