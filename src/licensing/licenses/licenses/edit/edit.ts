import type { Ctx } from '#kernel/context.ts';
import { isForeignKeyViolation } from '#kernel/db/dialect.ts';
import { type Changes, changesBetween } from '#kernel/service/diff.ts';
import { fail } from '#licensing/contract/errors.ts';
import * as activations from '../../activations/index.ts';
import type { Standing } from '../../standing/index.ts';
import { licenseStaffEvents } from '../events.ts';
import { reread } from '../locked.ts';
import type { License } from '../queries.ts';
import { judgeEnd, tellRenewal } from '../term.ts';
import * as repo from './repository.ts';

/** A license after an edit, and the values that the changed fields had before; empty when nothing changed. */
export interface Edited {
  license: License;
  before: Partial<repo.Editable>;
}

/** The fields that may be edited, as they stand. */
export const editableOf = (license: License): repo.Editable => ({
  type: license.type,
  tier: license.tier,
  maxActivations: license.maxActivations,
  validUntil: license.validUntil,
  features: license.features,
  maxVersion: license.maxVersion,
  maxUses: license.maxUses,
  policyId: license.policyId,
  gracePeriodSeconds: license.gracePeriodSeconds,
  orderId: license.orderId,
  metadata: license.metadata,
  notes: license.notes,
});

/**
 * Writes an edit of a locked license: LICENSE_UPDATED with the diff, for the timeline only, and LICENSE_RENEWED when
 * its end moved forward (D38; a shortening is in the diff).
 *
 * @param wanted all editable fields as they shall stand
 * @throws AppError VALIDATION_ERROR for an end in the past, LICENSE_REVOKED for a new end of a revoked license;
 *   CONFLICT for a change of type to or from FLOATING while machines are live; NOT_FOUND for a vanished policy
 */
export async function edit(
  ctx: Ctx,
  standing: Standing,
  license: License,
  wanted: repo.Editable,
): Promise<Edited> {
  const before = editableOf(license);
  const diff = changesBetween(before, wanted);
  if (Object.keys(diff).length === 0) return { license, before: {} };
  // The end first: what it refuses must not have ended a lease.
  const end = 'validUntil' in diff ? judgeEnd(ctx, standing, wanted.validUntil) : null;
  await allowType(ctx, standing, wanted.type);
  await storing(repo.write(ctx, license.id, wanted, end?.status ?? null));
  await licenseStaffEvents.tell(ctx, 'LICENSE_UPDATED', license.id, { fields: Object.keys(diff) }, { diff });
  if (end?.emits) await tellRenewal(ctx, standing, end);
  return { license: await reread(ctx, license.id), before: valuesBefore(diff) };
}

const valuesBefore = (diff: Changes): Partial<repo.Editable> =>
  Object.fromEntries(Object.entries(diff).map(([field, [before]]) => [field, before]));

/** A node holds its slot for good, a seat for a time: neither may live on under the other rule. */
async function allowType(ctx: Ctx, standing: Standing, wanted: License['type']): Promise<void> {
  const { license, used } = standing;
  if ((license.type === 'FLOATING') === (wanted === 'FLOATING')) return;
  if (used > 0) {
    const machines = `${used} live ${used === 1 ? 'machine' : 'machines'}`;
    throw fail('CONFLICT', `type of ${license.id} cannot become ${wanted} while it has ${machines}`, {
      details: {
        reason: 'IN_USE',
        activationsUsed: used,
        hint: `appctl license machines clear ${license.id}`,
      },
    });
  }
  // A lease that ran out counts no more, but its row would keep the machine from a slot of the new kind.
  await activations.sweep(ctx, standing);
}

async function storing(written: Promise<void>): Promise<void> {
  try {
    await written;
  } catch (error) {
    if (isForeignKeyViolation(error)) throw fail('NOT_FOUND', 'the policy was deleted in the meantime');
    throw error;
  }
}
