import { addSeconds } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import * as machines from '#licensing/licenses/machines/index.ts';
import { changeEach, writeBatch } from '../batch.ts';
import type { Cli } from '../frame/context.ts';
import { notFoundError, usageError } from '../frame/errors.ts';
import { withLocal } from '../open.ts';
import { idAsked, machineColumns } from './view.ts';

/** `appctl license machines remove ID MACHINE | --all | --stale 14d`. */
export async function removeMachines(cli: Cli): Promise<number> {
  const machineId = cli.optionalArgument('machine');
  const ways = [machineId !== undefined, cli.flag('all'), cli.given('stale')].filter(Boolean).length;
  if (ways !== 1) throw usageError('name either MACHINE, --all or --stale');
  const named = idAsked(cli);
  return withLocal(cli, async ({ ctx }) => {
    const { id } = await licenses.get(ctx, named);
    const seconds = cli.seconds('stale');
    const staleBefore = seconds === undefined ? undefined : addSeconds(ctx.now(), -seconds);
    const chosen = await choose(ctx, id, { machineId, staleBefore });
    return free(cli, ctx, id, chosen, `remove ${chosen.length} of the machines`);
  });
}

/** `appctl license free-seat ID --machine M | --oldest`: of a floating license its lease, of any other its slot. */
export async function freeSeat(cli: Cli): Promise<number> {
  const machineId = cli.option('machine');
  if ((machineId === undefined) !== cli.flag('oldest')) throw usageError('name either --machine or --oldest');
  const named = idAsked(cli);
  return withLocal(cli, async ({ ctx }) => {
    const { id } = await licenses.get(ctx, named);
    const [chosen] = await choose(ctx, id, { machineId });
    if (!chosen) throw notFoundError(`no seat of ${id} is in use`, `appctl license show ${id}`);
    return free(cli, ctx, id, [chosen], 'free the seat');
  });
}

/** Each machine in a transaction of its own. One that has left since the question is refused: nobody else goes for it. */
async function free(
  cli: Cli,
  ctx: Ctx,
  id: string,
  chosen: readonly licenses.ActivationView[],
  action: string,
): Promise<number> {
  const machineIds = chosen.map((one) => one.machineId);
  if (chosen.length > 0) await cli.confirm({ action: `${action} of ${id}: ${machineIds.join(', ')}` });
  const batch = await changeEach(cli, ctx, machineIds, async (ctx, machine, index) => {
    await machines.remove(ctx, id, machine);
    return chosen[index] as licenses.ActivationView;
  });
  return writeBatch(cli, batch, machineIds, machineColumns);
}

/** The machine of this id, or all of them that were last seen before a time; the longest active first. */
async function choose(
  ctx: Ctx,
  id: string,
  { machineId, staleBefore }: { machineId: string | undefined; staleBefore?: string | undefined },
): Promise<licenses.ActivationView[]> {
  const machines = await licenses.listActivations(ctx, id, { staleBefore });
  if (machineId === undefined) return machines;
  const found = machines.filter((machine) => machine.machineId === machineId);
  if (found.length > 0) return found;
  throw notFoundError(
    `${id} is not active on the machine ${machineId}`,
    `appctl license machines list ${id}`,
  );
}
