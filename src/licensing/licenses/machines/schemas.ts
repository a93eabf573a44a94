import { z } from 'zod';
import { optional, text } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { keyedBody, machineIdField, nonceField } from '#licensing/contract/fields.ts';
import { bounds } from '#licensing/contract/limits.ts';
import { Activation, LicensePublic } from '#licensing/contract/replies.ts';

/** Body of activate. */
export const ActivateBody = keyedBody('licenseKey', {
  machineId: machineIdField(),
  machineName: optional(text({ max: bounds.machineName })),
  osName: optional(text({ max: bounds.osName })),
  osVersion: optional(text({ max: bounds.osVersion })),
  appVersion: optional(text({ max: bounds.appVersion })),
  nonce: optional(nonceField()),
}).meta({ id: 'ActivateBody' });
export type ActivateInput = z.output<typeof ActivateBody>;

/** Body of deactivate. */
export const DeactivateBody = keyedBody('licenseKey', { machineId: machineIdField() }).meta({
  id: 'DeactivateBody',
});
export type DeactivateInput = z.output<typeof DeactivateBody>;

/** Reply of activate; the surface adds `success`. */
export const ActivateReply = later(() =>
  z
    .object({
      message: z.string(),
      license: LicensePublic,
      activation: Activation,
      /** Present when maxVersion is set and appVersion was sent (D60, D84). */
      versionAllowed: z.boolean().optional(),
      nonce: z.string().optional(),
    })
    .meta({ id: 'Activated' }),
);

/** Reply of deactivate; the surface adds `success`. */
export const DeactivateReply = z.object({ message: z.string() }).meta({ id: 'Deactivated' });
