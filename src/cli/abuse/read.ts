import type { Page } from '#kernel/service/pagination.ts';
import type { Flag } from '#licensing/insight/abuse/view.ts';
import { writeCard } from '../card.ts';
import { at } from '../desk/desk.ts';
import type { Cli } from '../frame/context.ts';
import type { Column } from '../frame/rows.ts';
import { pageAsked } from '../paging.ts';
import { type OneFlag, withAbuse } from './twin.ts';

const columns: readonly Column<Flag>[] = [
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
  const asked = {
    ...pageAsked(cli),
    status: cli.option('status'),
    rule: cli.option('rule'),
    licenseId: cli.option('license'),
  };
  return withAbuse(cli, async (desk) =>
    cli.out.page(await desk.get<Page<Flag>>('abuse/flags', asked), columns),
  );
}

/** `appctl abuse show FLAG`. */
export function showFlag(cli: Cli): Promise<void> {
  return withAbuse(cli, async (desk) => {
    const { flag } = await desk.get<OneFlag>(at`abuse/flags/${cli.argument('flag')}`);
    await writeCard(cli, flag);
    if (flag.status === 'OPEN') {
      cli.next(
        `appctl abuse clear ${flag.id} --reason TEXT`,
        `appctl abuse confirm ${flag.id} --reason TEXT`,
      );
    }
  });
}
