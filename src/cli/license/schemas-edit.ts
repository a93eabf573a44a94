import { z } from 'zod';
import { LicenseView } from '#licensing/licenses/licenses/view.ts';
import { dryRun } from '../shapes.ts';

/** A license after a change. */
export const LicenseChangeOutput = LicenseView.extend({ dryRun });

/** What the changed fields were; empty when nothing changed. */
const before = z.partialRecord(
  z.enum([
    'type',
    'tier',
    'maxActivations',
    'validUntil',
    'features',
    'maxVersion',
    'maxUses',
    'policyId',
    'gracePeriodSeconds',
    'orderId',
    'metadata',
    'notes',
  ]),
  z.json(),
);

export const LicenseUpdateOutput = LicenseChangeOutput.extend({ before });

/** `Result` of cli.md section 2. */
export const LicenseTrashOutput = z.strictObject({
  ok: z.literal(true),
  action: z.enum(['trashed', 'restored', 'purged']),
  id: z.string(),
  changed: z.boolean(),
  dryRun,
});
