import type { AdminActivation } from '#licensing/licenses/machines/view.ts';
import { writeBatch } from '../batch.ts';
import { at, type Desk } from '../desk/desk.ts';
import type { Cli } from '../frame/context.ts';
import { listedMachines } from './machines-list.ts';
import { licenseOf, withMachines } from './twin.ts';
import { idAsked, machineColumns } from './view.ts';

/** `appctl license machines clear ID`: all machines in one transaction, so that none comes back in between. */
export async function clearMachines(cli: Cli): Promise<number> {
  const named = idAsked(cli);
  return withMachines(cli, async (desk) => {
    const { id } = await licenseOf(desk, named);
    const live = await listedMachines(desk, id);
    if (live.length > 0) {
      const machineIds = live.map((one) => one.machineId).join(', ');
      await cli.confirm({ action: `free all machines of ${id}: ${machineIds}` });
    }
    const { machines } = await desk.post<{ machines: { id: string }[] }>(
      at`licenses/${id}/activations/clear`,
    );
    const results = await Promise.all(
      machines.map(async ({ id }, index) => {
        // One that came since the question was freed with the others.
        const one = live.find((machine) => machine.id === id) ?? (await machineOf(desk, id));
        return { index, success: true as const, ...one };
      }),
    );
    const summary = { total: results.length, succeeded: results.length, failed: 0 };
    const subjects = results.map((one) => one.machineId);
    return writeBatch(cli, { results, summary }, subjects, machineColumns);
  });
}

const machineOf = async (desk: Desk, id: string): Promise<AdminActivation> =>
  (await desk.get<{ activation: AdminActivation }>(at`activations/${id}`)).activation;
