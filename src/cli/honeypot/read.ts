import * as honeypots from '#licensing/insight/honeypots/index.ts';
import type { Cli } from '../frame/context.ts';
import type { Column } from '../frame/rows.ts';
import { withLocal } from '../open.ts';
import { pageAsked } from '../paging.ts';

const columns: readonly Column<honeypots.Honeypot>[] = [
  { key: 'id' },
  { key: 'kind' },
  { key: 'label' },
  { key: 'keyMasked', title: 'key' },
  { key: 'productSlug', title: 'product' },
  { key: 'hits', align: 'right' },
  { key: 'lastHitAt', title: 'last used', time: true },
  { key: 'blockIpSeconds', title: 'blocks for s', align: 'right' },
];

const hitColumns: readonly Column<honeypots.Hit>[] = [
  { key: 'lastAt', title: 'last', time: true },
  { key: 'ip', title: 'address' },
  { key: 'count', title: 'uses', align: 'right' },
  { key: 'endpoint' },
  { key: 'machineId', title: 'machine' },
  { key: 'userAgent', title: 'program' },
  { key: 'firstAt', title: 'first', time: true },
];

/** `appctl honeypot list`. */
export function listHoneypots(cli: Cli): Promise<void> {
  return withLocal(cli, async ({ ctx }) => {
    await cli.out.page(await honeypots.list(ctx, pageAsked(cli)), columns);
  });
}

/** `appctl honeypot hits ID`. */
export function listHits(cli: Cli): Promise<void> {
  return withLocal(cli, async ({ ctx }) => {
    await cli.out.page(await honeypots.listHits(ctx, cli.argument('id'), pageAsked(cli)), hitColumns);
  });
}
