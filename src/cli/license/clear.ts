import * as licenses from '#licensing/licenses/licenses/index.ts';
import * as machines from '#licensing/licenses/machines/index.ts';
import { writeBatch } from '../batch.ts';
import { changeOrPlan } from '../change.ts';
import type { Cli } from '../frame/context.ts';
import { withLocal } from '../open.ts';
import { machineColumns, refuseWholeKey } from './view.ts';

/** `appctl license machines clear ID`: all machines in one transaction, so that none comes back in between. */
export async function clearMachines(cli: Cli): Promise<number> {
  const named = cli.argument('id');
  refuseWholeKey('ID', named);
  return withLocal(cli, async ({ ctx }) => {
    const { id } = await licenses.get(ctx, named);
    const live = await licenses.listActivations(ctx, id);
    if (live.length > 0) {
      const machineIds = live.map((one) => one.machineId).join(', ');
      await cli.confirm({ action: `free all machines of ${id}: ${machineIds}` });
    }
    const ended = await changeOrPlan(cli, ctx, (ctx) =>
      ctx.tx(async (ctx) => {
        const held = await licenses.listActivations(ctx, id);
        const freed = new Set((await machines.clear(ctx, id)).map((one) => one.id));
        return held.filter((one) => freed.has(one.id));
      }),
    );
    const results = ended.map((one, index) => ({ index, success: true as const, ...one }));
    const summary = { total: ended.length, succeeded: ended.length, failed: 0 };
    const subjects = ended.map((one) => one.machineId);
    return writeBatch(cli, { results, summary }, subjects, machineColumns);
  });
}
