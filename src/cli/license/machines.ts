import { addSeconds } from '#kernel/clock.ts';
import { counted } from '#kernel/counts.ts';
import type { AdminActivation } from '#licensing/licenses/machines/view.ts';
import { workOnEach, writeBatch } from '../batch.ts';
import { at, type Desk, timeAt } from '../desk/desk.ts';
import type { Cli } from '../frame/context.ts';
import { notFoundError, usageError } from '../frame/errors.ts';
import { listedMachines } from './machines-list.ts';
import { licenseOf, withMachines } from './twin.ts';
import { idAsked, machineColumns } from './view.ts';

/** `appctl license machines remove ID MACHINE | --all | --stale 14d`. */
export async function removeMachines(cli: Cli): Promise<number> {
  const machineId = cli.optionalArgument('machine');
  const ways = [machineId !== undefined, cli.flag('all'), cli.given('stale')].filter(Boolean).length;
  if (ways !== 1) throw usageError('give either MACHINE, --all or --stale');
  const named = idAsked(cli);
  return withMachines(cli, async (desk) => {
    const { id } = await licenseOf(desk, named);
    const seconds = cli.seconds('stale');
    const staleBefore = seconds === undefined ? undefined : addSeconds(timeAt(desk), -seconds);
    const chosen = await choose(desk, id, { machineId, staleBefore });
    return free(cli, desk, id, chosen, `remove ${counted(chosen.length, 'machine')}`);
  });
}

/** `appctl license free-seat ID --machine M | --oldest`: of a floating license its lease, of any other its slot. */
export async function freeSeat(cli: Cli): Promise<number> {
  const machineId = cli.option('machine');
  if ((machineId === undefined) !== cli.flag('oldest')) throw usageError('give either --machine or --oldest');
  const named = idAsked(cli);
  return withMachines(cli, async (desk) => {
    const { id } = await licenseOf(desk, named);
    const [chosen] = await choose(desk, id, { machineId });
    if (!chosen) throw notFoundError(`no seat of ${id} is in use`, `appctl license show ${id}`);
    return free(cli, desk, id, [chosen], 'free the seat');
  });
}

/** Each machine in a transaction of its own. One that has left since the question is refused: nobody else goes for it. */
async function free(
  cli: Cli,
  desk: Desk,
  id: string,
  chosen: readonly AdminActivation[],
  action: string,
): Promise<number> {
  const machineIds = chosen.map((one) => one.machineId);
  if (chosen.length > 0) await cli.confirm({ action: `${action} of ${id}: ${machineIds.join(', ')}` });
  const batch = await workOnEach(cli, machineIds, async (_machine, index) => {
    const one = chosen[index] as AdminActivation;
    await desk.post(at`activations/${one.id}/release`);
    return one;
  });
  return writeBatch(cli, batch, machineIds, machineColumns);
}

/** The machine of this id, or all of them that were last seen before a time; the longest active first. */
async function choose(
  desk: Desk,
  id: string,
  { machineId, staleBefore }: { machineId: string | undefined; staleBefore?: string | undefined },
): Promise<AdminActivation[]> {
  const machines = await listedMachines(desk, id, { staleBefore });
  if (machineId === undefined) return machines;
  const found = machines.filter((machine) => machine.machineId === machineId);
  if (found.length > 0) return found;
  throw notFoundError(
    `${id} is not active on the machine ${machineId}`,
    `appctl license machines list ${id}`,
  );
}
