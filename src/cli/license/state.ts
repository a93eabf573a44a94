import type { Ctx } from '#kernel/context.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import { changeEach, writeBatch } from '../batch.ts';
import { changeOrPlan, noteChange, planned } from '../change.ts';
import type { Cli } from '../frame/context.ts';
import { withLocal } from '../open.ts';
import { licenseCard, licenseColumns, reasonAsked, refuseWholeKey } from './view.ts';

type Change = (ctx: Ctx, id: string) => Promise<licenses.License>;

/** `appctl license suspend ID… --reason T`. */
export async function suspendLicenses(cli: Cli): Promise<number> {
  const note = reasonAsked(cli);
  return change(cli, 'suspended', (ctx, id) => licenses.suspend(ctx, id, { reason: 'ADMIN', note }));
}

/** `appctl license resume ID…`. */
export const resumeLicenses = (cli: Cli): Promise<number> =>
  change(cli, 'resumed', (ctx, id) => licenses.reinstate(ctx, id));

/** `appctl license revoke ID… --reason T`. */
export async function revokeLicenses(cli: Cli): Promise<number> {
  const reason = reasonAsked(cli);
  return change(cli, 'revoked', (ctx, licenseId) => licenses.revoke(ctx, { licenseId }, reason));
}

/** One id gives a License, several a Batch (cli.md section 3.5). */
async function change(cli: Cli, done: string, work: Change): Promise<number> {
  const ids = cli.argumentList('id');
  for (const id of ids) refuseWholeKey('ID', id);
  return withLocal(cli, async ({ ctx }) => {
    const view = async (ctx: Ctx, id: string) => licenses.licenseView(ctx, await work(ctx, id));
    // Before the question: what does not exist cannot be agreed to.
    if (ids.length === 1) await licenses.get(ctx, ids[0] as string);
    const named = ids.length === 1 ? `license ${ids[0]}` : `${ids.length} licenses: ${ids.join(', ')}`;
    await cli.confirm({ action: `${cli.spec.path.split(' ').at(-1)} ${named}` });
    if (ids.length > 1) {
      return writeBatch(cli, await changeEach(cli, ctx, ids, view), ids, licenseColumns);
    }
    const license = await changeOrPlan(cli, ctx, (ctx) => view(ctx, ids[0] as string));
    await cli.out.value(planned(cli, license), licenseCard(license));
    noteChange(cli, `${done} ${license.id}`);
    return 0;
  });
}
