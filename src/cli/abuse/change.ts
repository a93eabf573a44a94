import type { Ctx } from '#kernel/context.ts';
import * as abuse from '#licensing/insight/abuse/index.ts';
import { writeCard } from '../card.ts';
import { changeOrPlan, noteChange, planned } from '../change.ts';
import type { Cli } from '../frame/context.ts';
import { reasonAsked } from '../license/view.ts';
import { withLocal } from '../open.ts';

/** `appctl abuse flag LICENSE --reason T`. */
export async function flagLicense(cli: Cli): Promise<void> {
  const reason = reasonAsked(cli);
  await change(cli, 'flagged', (ctx) => abuse.flag(ctx, cli.argument('license'), reason));
}

/** `appctl abuse clear FLAG --reason T`. */
export async function clearFlag(cli: Cli): Promise<void> {
  const reason = reasonAsked(cli);
  await change(cli, 'cleared the flag of', (ctx) => abuse.clear(ctx, cli.argument('flag'), reason));
}

/** `appctl abuse confirm FLAG --reason T [--action A]`. */
export async function confirmFlag(cli: Cli): Promise<void> {
  const note = reasonAsked(cli);
  // The option offers nothing but actions, and has a default.
  const action = cli.required('action') as Parameters<typeof abuse.confirm>[2]['action'];
  const licenseId = await change(cli, 'confirmed the flag of', (ctx) =>
    abuse.confirm(ctx, cli.argument('flag'), { note, action }),
  );
  if (action === 'REPLACE_KEY' && !cli.dryRun) cli.next(`appctl license reveal ${licenseId} --reason TEXT`);
}

async function change(cli: Cli, done: string, work: (ctx: Ctx) => Promise<abuse.Flag>): Promise<string> {
  return withLocal(cli, async ({ ctx }) => {
    const flag = await changeOrPlan(cli, ctx, work);
    await writeCard(cli, planned(cli, flag));
    noteChange(cli, `${done} ${flag.licenseId}`);
    return flag.licenseId;
  });
}
