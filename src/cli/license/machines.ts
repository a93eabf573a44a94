import { addSeconds } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import * as activations from '#licensing/activations/index.ts';
import * as licenses from '#licensing/licenses/index.ts';
import { changeEach, writeBatch } from '../batch.ts';
import type { Cli } from '../frame/context.ts';
import { notFoundError, usageError } from '../frame/errors.ts';
import { withLocal } from '../open.ts';
import { pageAsked, pageOf } from '../paging.ts';
import { machineColumns } from './view.ts';

/** `appctl license machines list ID`. A license has a thousand machines at most, so that one query reads them all. */
export function listMachines(cli: Cli): Promise<void> {
  return withLocal(cli, async ({ ctx }) => {
    const { id } = await licenses.get(ctx, cli.argument('id'));
    const machines = await licenses.listActivations(ctx, id);
    const asked = pageAsked(cli);
    const first = (asked.page - 1) * asked.limit;
    const shown = machines.slice(first, first + asked.limit);
    await cli.out.page(pageOf(asked, shown, machines.length), machineColumns);
  });
}

/** `appctl license machines remove ID MACHINE | --all | --stale 14d`. */
export async function removeMachines(cli: Cli): Promise<number> {
  const machineId = cli.optionalArgument('machine');
  const ways = [machineId !== undefined, cli.flag('all'), cli.given('stale')].filter(Boolean).length;
  if (ways !== 1) throw usageError('name either MACHINE, --all or --stale');
  return withLocal(cli, async ({ ctx }) => {
    const { id } = await licenses.get(ctx, cli.argument('id'));
    const chosen = await choose(cli, ctx, id, machineId);
    const machineIds = chosen.map((one) => one.machineId);
    if (chosen.length > 0) {
      await cli.confirm({
        action: `remove ${chosen.length} of the machines of ${id}: ${machineIds.join(', ')}`,
      });
    }
    const batch = await changeEach(cli, ctx, machineIds, async (ctx, machine, index) => {
      await activations.remove(ctx, id, machine);
      return chosen[index] as licenses.ActivationView;
    });
    return writeBatch(cli, batch, machineIds, machineColumns);
  });
}

async function choose(
  cli: Cli,
  ctx: Ctx,
  id: string,
  machineId: string | undefined,
): Promise<licenses.ActivationView[]> {
  const staleSeconds = cli.seconds('stale');
  const staleBefore = staleSeconds === undefined ? undefined : addSeconds(ctx.now(), -staleSeconds);
  const machines = await licenses.listActivations(ctx, id, { staleBefore });
  if (machineId === undefined) return machines;
  const found = machines.filter((machine) => machine.machineId === machineId);
  if (found.length > 0) return found;
  throw notFoundError(
    `${id} is not active on the machine ${machineId}`,
    `appctl license machines list ${id}`,
  );
}
