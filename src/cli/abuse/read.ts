import * as abuse from '#licensing/insight/abuse/index.ts';
import { writeCard } from '../card.ts';
import type { Cli } from '../frame/context.ts';
import type { Column } from '../frame/rows.ts';
import { withLocal } from '../open.ts';
import { pageAsked } from '../paging.ts';

const columns: readonly Column<abuse.Flag>[] = [
  { key: 'id' },
  { key: 'licenseId', title: 'license' },
  { key: 'productSlug', title: 'product' },
  { key: 'rule' },
  { key: 'status' },
  { key: 'score', align: 'right' },
  { key: 'createdAt', title: 'raised', time: true },
  { key: 'note' },
];

/** `appctl abuse list`. */
export function listFlags(cli: Cli): Promise<void> {
  // The options offer nothing but these values.
  const filter = {
    status: cli.option('status') as abuse.Flag['status'] | undefined,
    rule: cli.option('rule') as abuse.Flag['rule'] | undefined,
    licenseId: cli.option('license'),
  };
  return withLocal(cli, async ({ ctx }) => {
    await cli.out.page(await abuse.list(ctx, filter, pageAsked(cli)), columns);
  });
}

/** `appctl abuse show FLAG`. */
export function showFlag(cli: Cli): Promise<void> {
  return withLocal(cli, async ({ ctx }) => {
    const flag = await abuse.get(ctx, cli.argument('flag'));
    await writeCard(cli, flag);
    if (flag.status === 'OPEN') {
      cli.next(
        `appctl abuse clear ${flag.id} --reason TEXT`,
        `appctl abuse confirm ${flag.id} --reason TEXT`,
      );
    }
  });
}
