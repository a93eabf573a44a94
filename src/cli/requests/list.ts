import type { Page } from '#kernel/service/pagination.ts';
import type { RecordedRequest } from '#licensing/insight/requests/index.ts';
import { timeAt } from '../desk/desk.ts';
import type { Cli } from '../frame/context.ts';
import type { Column } from '../frame/rows.ts';
import { pageAsked } from '../paging.ts';
import { pastAsked } from '../time-asked.ts';
import { withRequests } from './twin.ts';

const columns: readonly Column<RecordedRequest>[] = [
  { key: 'at', time: true },
  { key: 'id' },
  { key: 'route', text: ({ method, route }) => `${method} ${route}` },
  { key: 'status', align: 'right' },
  // Why it was refused is what the list is read for.
  { key: 'code', whole: true },
  { key: 'licenseId', title: 'license' },
  { key: 'ip', title: 'address' },
  { key: 'ms', align: 'right' },
];

/** `appctl requests list`. */
export async function listRequests(cli: Cli): Promise<void> {
  await withRequests(cli, async (desk) => {
    const page = await desk.get<Page<RecordedRequest>>('request-log', {
      ...pageAsked(cli),
      licenseId: cli.option('license'),
      code: cli.option('code'),
      status: cli.integer('status'),
      apiKeyId: cli.option('api-key'),
      ip: cli.option('ip'),
      from: pastAsked(cli, 'since', timeAt(desk), 'start'),
    });
    await cli.out.page(page, columns);
    const [newest] = page.items;
    if (newest) cli.next(`appctl license why ${newest.id}`);
  });
}
