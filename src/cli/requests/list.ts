import * as requests from '#licensing/insight/requests/index.ts';
import type { Cli } from '../frame/context.ts';
import type { Column } from '../frame/rows.ts';
import { flushServer } from '../fresh.ts';
import { withLocal } from '../open.ts';
import { pageAsked } from '../paging.ts';
import { pastAsked } from '../time-asked.ts';

const columns: readonly Column<requests.RecordedRequest>[] = [
  { key: 'at', time: true },
  { key: 'id' },
  { key: 'route', text: ({ method, route }) => `${method} ${route}` },
  { key: 'status', align: 'right' },
  { key: 'code' },
  { key: 'licenseId', title: 'license' },
  { key: 'ip', title: 'address' },
  { key: 'ms', align: 'right' },
];

/** `appctl requests list`. */
export async function listRequests(cli: Cli): Promise<void> {
  await flushServer(cli);
  await withLocal(cli, async ({ ctx }) => {
    const page = await requests.list(ctx, {
      ...pageAsked(cli),
      licenseId: cli.option('license'),
      code: cli.option('code'),
      status: cli.integer('status'),
      apiKeyId: cli.option('api-key'),
      ip: cli.option('ip'),
      since: pastAsked(cli, 'since', ctx.now(), 'start'),
    });
    await cli.out.page(page, columns);
    const [newest] = page.items;
    if (newest) cli.next(`appctl license why ${newest.id}`);
  });
}
