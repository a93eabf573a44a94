import { z } from 'zod';
import { email, flag, integer, oneOf, optional, report, text, timestamp } from '#kernel/http/fields.ts';
import { jsonObject } from '#kernel/http/json-object.ts';
import { idField } from '#kernel/service/fields.ts';
import { later } from '#kernel/sharing.ts';
import { LICENSE_TIERS, LICENSE_TYPES } from '#licensing/contract/enumerations.ts';
import { licenseKeyField, maxVersionField } from '#licensing/contract/fields.ts';
import { bounds } from '#licensing/contract/limits.ts';

/** A policy is named by its id or by its name, which may be longer than an id. */
const policyReference = () => text({ min: 1, max: 100 });

/**
 * Input that edits a license (licensing 4.2, PATCH /licenses/{id}): strict (D5); absent leaves a field, null clears
 * one that may be empty.
 */
export const LicenseUpdate = later(() =>
  z.strictObject({
    type: optional(oneOf(LICENSE_TYPES)),
    tier: optional(oneOf(LICENSE_TIERS)),
    maxActivations: optional(integer(bounds.maxActivations.min, bounds.maxActivations.max)),
    validUntil: timestamp().nullable().optional(),
    features: jsonObject(bounds.features).nullable().optional(),
    maxVersion: maxVersionField().nullable().optional(),
    maxUses: integer(0).nullable().optional(),
    policyId: policyReference().nullable().optional(),
    gracePeriodSeconds: integer(bounds.gracePeriodSeconds.min, bounds.gracePeriodSeconds.max)
      .nullable()
      .optional(),
    orderId: text({ min: 1, max: bounds.orderId }).nullable().optional(),
    metadata: optional(jsonObject(bounds.metadata)),
    notes: text({ max: bounds.notes }).nullable().optional(),
  }),
);
export type LicenseUpdateInput = z.output<typeof LicenseUpdate>;

/** Body of transfer: one of customerId and customerEmail. */
export const TransferBody = later(() =>
  z.strictObject({
    customerId: optional(idField()),
    customerEmail: optional(email(bounds.customerEmail)),
    keepActivations: optional(flag()),
  }),
);
export type TransferInput = z.output<typeof TransferBody>;

const ONE_CUSTOMER = 'exactly one of customerId and customerEmail is required';

/** As TransferBody; that one of the two is missing is told with the other faults. */
export const StaffTransferBody = TransferBody.check((checked) => {
  const { customerId, customerEmail } = checked.value;
  if ((customerId === undefined) === (customerEmail === undefined))
    report(checked, 'required', ONE_CUSTOMER, ['customerEmail']);
});

/** What becomes of the end of a license that gets another policy. */
export const EXPIRY_RULES = ['KEEP', 'RESET'] as const;

/** Body of change-policy. `policyId` may be a name. */
export const ChangePolicyBody = z.strictObject({
  policyId: policyReference(),
  expiry: oneOf(EXPIRY_RULES),
});
export type ChangePolicyInput = z.output<typeof ChangePolicyBody>;

const tags = () =>
  optional(
    z
      .array(text({ min: 1, max: 50, trim: true }))
      .min(1)
      .max(20),
  );

/** What many licenses are given at once. `policyId` may be a name; null takes the policy away. */
export const SetBody = later(() =>
  z
    .strictObject({
      ...LicenseUpdate.pick({ tier: true, maxActivations: true, policyId: true }).shape,
      addFeatures: optional(jsonObject(bounds.features)),
      addTags: tags(),
      removeTags: tags(),
    })
    .check((checked) => {
      if (Object.values(checked.value).every((value) => value === undefined))
        report(checked, 'required', 'must say what to set');
    }),
);
export type SetInput = z.output<typeof SetBody>;

/** Body of suspend, revoke and delete. */
export const ReasonBody = z.strictObject({ reason: optional(text({ max: bounds.reason })) });

/** Body of reveal-key, which asks for a reason. */
export const RevealBody = later(() =>
  z.strictObject({ reason: text({ min: 1, max: bounds.reason, trim: true }) }),
);

const MOST_REVEALED = 500;

/** Body of reveal-keys. */
export const RevealManyBody = later(() =>
  RevealBody.extend({ ids: z.array(idField()).min(1).max(MOST_REVEALED) }),
);

/** Body of renew by staff: a new end, or days from the later of now and the end. */
export const StaffRenewBody = later(() =>
  z
    .strictObject({
      validUntil: optional(timestamp()),
      extendDays: optional(integer(1, 3660)),
      /** Counts extendDays from now in any case. */
      fromNow: optional(flag()),
    })
    .check((checked) => {
      const { validUntil, extendDays, fromNow } = checked.value;
      if ((validUntil === undefined) === (extendDays === undefined))
        report(checked, 'required', 'either validUntil or extendDays is needed', ['validUntil']);
      else if (fromNow !== undefined && extendDays === undefined)
        report(checked, 'contradiction', 'belongs to extendDays', ['fromNow']);
    }),
);

/** Body of find: the whole key, which no address may hold. */
export const FindBody = z.strictObject({ key: licenseKeyField() });
