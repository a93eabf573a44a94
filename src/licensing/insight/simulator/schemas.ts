import { z } from 'zod';
import { type Checked, integer, oneOf, optional, report, text, timestamp } from '#kernel/http/fields.ts';
import { jsonObject } from '#kernel/http/json-object.ts';
import { idField } from '#kernel/service/fields.ts';
import { later } from '#kernel/sharing.ts';
import { PolicyUpdate } from '#licensing/catalog/policies/index.ts';
import {
  LICENSE_STATUSES,
  LICENSE_TIERS,
  LICENSE_TYPES,
  RELEASE_CHANNELS,
} from '#licensing/contract/enumerations.ts';
import { machineIdField, maxVersionField } from '#licensing/contract/fields.ts';
import { bounds } from '#licensing/contract/limits.ts';
import type { Action } from '#licensing/licenses/decision/index.ts';
import { CheckQuery } from '#licensing/releases/updates/index.ts';

/** Every action that can be tried. */
export const ACTIONS = [
  'validate',
  'activate',
  'deactivate',
  'checkout',
  'checkin',
  'heartbeat',
  'record-usage',
  'validate-entitlement',
  'offline-token',
  'update',
  'renew',
] as const satisfies readonly Action[];

const licenseShape = {
  status: oneOf(LICENSE_STATUSES),
  type: oneOf(LICENSE_TYPES),
  tier: oneOf(LICENSE_TIERS),
  maxActivations: integer(bounds.maxActivations.min, bounds.maxActivations.max),
  validUntil: timestamp().nullable(),
  features: jsonObject(bounds.features).nullable(),
  maxVersion: maxVersionField().nullable(),
  maxUses: integer(0).nullable(),
  policyId: idField().nullable(),
};

/** A license that does not exist. Left out: ACTIVE, without end, with the product's number of machines. */
const Draft = later(() =>
  z.strictObject({
    ...licenseShape,
    productId: text({ min: 1, max: 63 }),
    status: optional(licenseShape.status),
    maxActivations: optional(licenseShape.maxActivations),
    validUntil: licenseShape.validUntil.optional(),
    features: licenseShape.features.optional(),
    maxVersion: licenseShape.maxVersion.optional(),
    maxUses: licenseShape.maxUses.optional(),
    policyId: licenseShape.policyId.optional(),
  }),
);
export type DraftInput = z.output<typeof Draft>;

/** Fields of a license as if they were changed: absent leaves, null clears. */
const LicenseChanges = later(() =>
  z
    .strictObject({
      ...licenseShape,
      currentUses: integer(0),
      gracePeriodSeconds: integer(bounds.gracePeriodSeconds.min, bounds.gracePeriodSeconds.max).nullable(),
    })
    .partial(),
);
export type LicenseChangesInput = z.output<typeof LicenseChanges>;

const { name: _name, ...policyRules } = PolicyUpdate.shape;

/** What is tried (licensing 6.5). Strict, like every input of staff (D5). */
export const Simulation = later(() =>
  z
    .strictObject({
      licenseId: optional(idField()),
      draft: optional(Draft),
      action: oneOf(ACTIONS),
      machineId: optional(machineIdField()),
      appVersion: optional(text({ max: bounds.appVersion })),
      quantity: optional(integer(bounds.usageQuantity.min, bounds.usageQuantity.max)),
      leaseDuration: optional(integer(bounds.leaseSeconds.min, bounds.leaseSeconds.max)),
      entitlement: optional(text(bounds.featureCode)),
      validUntil: optional(timestamp()),
      currentVersion: optional(CheckQuery.shape.current_version),
      channel: optional(oneOf(RELEASE_CHANNELS)),
      platform: CheckQuery.shape.platform,
      arch: CheckQuery.shape.arch,
      at: optional(timestamp()),
      changes: optional(
        z.strictObject({
          license: optional(LicenseChanges),
          policy: optional(z.strictObject(policyRules)),
        }),
      ),
    })
    .check(complete),
);
export type SimulationInput = z.input<typeof Simulation>;
export type CheckedSimulation = z.output<typeof Simulation>;

interface Asked {
  licenseId?: string | undefined;
  draft?: DraftInput | undefined;
  action?: string;
  entitlement?: string | undefined;
  validUntil?: string | undefined;
}

/** What the endpoint of the action would refuse as missing is missing here too. */
function complete(checked: Checked<Asked>): void {
  const { licenseId, draft, action, entitlement, validUntil } = checked.value;
  if (licenseId === undefined && draft === undefined)
    report(checked, 'required', 'is required, or a draft', ['licenseId']);
  if (licenseId !== undefined && draft !== undefined)
    report(checked, 'contradiction', 'licenseId and draft exclude each other', ['draft']);
  if (action === 'validate-entitlement' && entitlement === undefined)
    report(checked, 'required', 'is required', ['entitlement']);
  if (action === 'renew' && validUntil === undefined)
    report(checked, 'required', 'is required', ['validUntil']);
}
