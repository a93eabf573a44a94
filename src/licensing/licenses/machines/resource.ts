import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { optional, text } from '#kernel/http/fields.ts';
import { fail } from '#licensing/contract/errors.ts';
import { bounds } from '#licensing/contract/limits.ts';
import { action, adminResource, noting } from '#platform/admin/index.ts';
import { remove } from './deactivate.ts';
import { type ActivationRow, activationRows, shownActivation } from './rows/queries.ts';
import { machineScreen } from './screen.ts';
import { AdminActivationView } from './view.ts';

const ReasonBody = z.strictObject({ reason: optional(text({ max: bounds.reason })) });

/** An activation of a license that the actor may see. @throws AppError NOT_FOUND */
export async function getActivation(ctx: Ctx, id: string): Promise<ActivationRow> {
  const row = await activationRows.find(ctx, id);
  if (row) return row;
  throw fail('NOT_FOUND', `activation ${id} was not found`);
}

/** Frees the slot or the seat that an activation holds. @returns the activation, ended */
export const freeActivation = (ctx: Ctx, id: string, reason?: string): Promise<ActivationRow> =>
  noting(ctx, { note: reason }).tx(async (ctx) => {
    const { licenseId, machineId, endedAt } = await getActivation(ctx, id);
    if (endedAt !== null) throw fail('CONFLICT', `activation ${id} has ended`);
    await remove(ctx, licenseId, machineId);
    return getActivation(ctx, id);
  });

/** Machines for staff (licensing 4.2, Activations; admin.md 5.5, Machines). */
export const activationResource = adminResource<ActivationRow>({
  name: 'activations',
  labels: { one: 'activation', many: 'activations' },
  about: 'Machines that licenses are active on',
  needs: { read: 'licensing:read', write: 'licensing:write' },
  screen: machineScreen,
  rows: activationRows,
  get: getActivation,
  remove: {
    level: 'moderate',
    isBulk: true,
    summary: 'Release a machine; it does not count as a deactivation by the customer',
    input: ReasonBody,
    run: (ctx, id, _how, input) => freeActivation(ctx, id, (input as z.output<typeof ReasonBody>).reason),
  },
  actions: {
    release: action<ActivationRow, typeof ReasonBody>({
      label: 'Release',
      summary: 'Release a machine, or check in its lease',
      needs: 'licensing:write',
      level: 'moderate',
      where: 'both',
      input: ReasonBody,
      run: (ctx, id, { reason }) => freeActivation(ctx, id, reason),
    }),
  },
  palette: { title: ({ machineId }) => machineId, hint: ({ machineName }) => machineName },
  apis: [
    {
      surface: 'license-admin',
      path: '/activations',
      item: 'activation',
      view: AdminActivationView,
      toView: shownActivation,
    },
  ],
});
