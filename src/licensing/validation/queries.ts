import type { Ctx } from '#kernel/context.ts';
import { statement } from '#kernel/db/statement.ts';

const liveMachines = statement<{ license_id: string; now: string }, { machine_id: string }>((q, p) =>
  q('license_activations')
    .where('license_id', p('license_id'))
    .whereNull('ended_at')
    .andWhere((live) => live.whereNull('lease_expires_at').orWhere('lease_expires_at', '>', p('now')))
    .orderBy('activated_at')
    .orderBy('id')
    .select('machine_id'),
);

/** The live machines of a license at the time they are asked for: what receivers of an event are told. */
export const liveMachinesOf =
  (licenseId: string) =>
  (ctx: Ctx): Promise<string[]> =>
    listLiveMachines(ctx, licenseId, ctx.now());

/** machineIds of the live activations, oldest first. */
export const listLiveMachines = async (ctx: Ctx, licenseId: string, now: string): Promise<string[]> =>
  (await liveMachines.all(ctx.db, { license_id: licenseId, now })).map((row) => row.machine_id);
