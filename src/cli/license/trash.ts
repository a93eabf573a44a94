import type { Ctx } from '#kernel/context.ts';
import { rehearse } from '#kernel/rehearse.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import { changeOrPlan, planned } from '../change.ts';
import type { Cli } from '../frame/context.ts';
import { withLocal } from '../open.ts';
import { reasonAsked, refuseWholeKey } from './view.ts';

type Verb = 'trashed' | 'restored' | 'purged';

interface Step {
  verb: Verb;
  /** What is asked before it happens, if anything. */
  question?: (id: string) => string;
  /** Whether anything changed. */
  work: (ctx: Ctx, id: string) => Promise<boolean>;
}

/** `appctl license delete ID [--reason T]`: into the trash. */
export async function trashLicense(cli: Cli): Promise<void> {
  const reason = cli.given('reason') ? reasonAsked(cli) : null;
  await step(cli, {
    verb: 'trashed',
    question: (id) => `put license ${id} into the trash: its machines end, its key stops`,
    work: (ctx, id) => licenses.trash(ctx, id, reason),
  });
}

/** `appctl license restore ID`: out of the trash. */
export const restoreLicense = (cli: Cli): Promise<void> =>
  step(cli, { verb: 'restored', work: (ctx, id) => licenses.restore(ctx, id) });

/** `appctl license purge ID`: for good. */
export const purgeLicense = (cli: Cli): Promise<void> =>
  step(cli, {
    verb: 'purged',
    question: (id) => `delete license ${id} with its key, machines and usage for good`,
    work: async (ctx, id) => {
      await licenses.purge(ctx, id);
      return true;
    },
  });

const told: Readonly<Record<Verb, readonly [done: string, already: string]>> = {
  trashed: ['is in the trash', 'was in the trash already'],
  restored: ['is back', 'was not in the trash'],
  purged: ['is gone', ''],
};

async function step(cli: Cli, { verb, question, work }: Step): Promise<void> {
  const id = cli.argument('id');
  refuseWholeKey('ID', id);
  await withLocal(cli, async ({ ctx }) => {
    if (question) {
      // Before the question: what cannot happen cannot be agreed to.
      await rehearse(ctx, (ctx) => work(ctx, id));
      await cli.confirm({ action: question(id), name: id });
    }
    const changed = await changeOrPlan(cli, ctx, (ctx) => work(ctx, id));
    const answer = planned(cli, { ok: true as const, action: verb, id, changed });
    const [done, already] = told[verb];
    await cli.out.value(answer, () => `${id} ${changed ? done : already}`);
    if (cli.dryRun) cli.note('dry run: nothing was changed');
    else if (verb === 'trashed' && changed) cli.next(`appctl license restore ${id}`);
  });
}
