import type { Page } from '#kernel/service/pagination.ts';
import type { HitView, Honeypot } from '#licensing/insight/honeypots/view.ts';
import { at, timeAt } from '../desk/desk.ts';
import type { Cli } from '../frame/context.ts';
import type { Column } from '../frame/rows.ts';
import { pageAsked } from '../paging.ts';
import { pastAsked, timeAsked } from '../time-asked.ts';
import { withHoneypots } from './twin.ts';

const columns: readonly Column<Honeypot>[] = [
  { key: 'id' },
  { key: 'kind' },
  { key: 'label' },
  { key: 'keyMasked', title: 'key' },
  { key: 'productSlug', title: 'product' },
  { key: 'hits', align: 'right' },
  { key: 'lastHitAt', title: 'last used', time: true },
  { key: 'blockIpSeconds', title: 'block (s)', align: 'right' },
];

const hitColumns: readonly Column<HitView>[] = [
  { key: 'lastAt', title: 'last', time: true },
  { key: 'ip', title: 'address' },
  { key: 'count', title: 'uses', align: 'right' },
  { key: 'endpoint' },
  { key: 'machineId', title: 'machine' },
  { key: 'userAgent', title: 'program' },
  { key: 'firstAt', title: 'first', time: true },
];

/** `appctl honeypot list`. */
export const listHoneypots = (cli: Cli): Promise<void> =>
  withHoneypots(cli, async (desk) =>
    cli.out.page(await desk.get<Page<Honeypot>>('honeypots', pageAsked(cli)), columns),
  );

/** `appctl honeypot hits ID`. */
export const listHits = (cli: Cli): Promise<void> =>
  withHoneypots(cli, async (desk) => {
    const path = at`honeypots/${cli.argument('id')}/hits`;
    const asked = {
      ...pageAsked(cli),
      ip: cli.option('ip'),
      endpoint: cli.option('endpoint'),
      machineId: cli.option('machine'),
      from: pastAsked(cli, 'since', timeAt(desk), 'start'),
      to: timeAsked(cli, 'until', 'end'),
      q: cli.option('q'),
    };
    await cli.out.page(await desk.get<Page<HitView>>(path, asked), hitColumns);
  });
