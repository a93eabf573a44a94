import type { Ctx } from '#kernel/context.ts';
import {
  type CountedRefusal,
  countRecentRefusals,
  getInboundEvent,
  type InboundEvent,
  type InboundEventFilter,
  listInboundEvents,
  listRefusals,
} from '#licensing/purchases/inbox/index.ts';
import * as integrations from '#licensing/purchases/integrations/index.ts';
import { writeCard } from '../card.ts';
import type { Cli } from '../frame/context.ts';
import type { Column } from '../frame/rows.ts';
import { withLocal } from '../open.ts';
import { pageAsked } from '../paging.ts';
import { pastAsked } from '../time-asked.ts';

const columns: readonly Column<InboundEvent>[] = [
  { key: 'id' },
  { key: 'receivedAt', title: 'received', time: true },
  { key: 'eventName', title: 'event' },
  { key: 'status' },
  { key: 'reason' },
  { key: 'licensesCreated', title: 'licenses', align: 'right' },
  { key: 'error' },
];

const refusalColumns: readonly Column<CountedRefusal>[] = [
  { key: 'lastAt', title: 'last', time: true },
  { key: 'reason' },
  { key: 'ip', title: 'address' },
  { key: 'count', align: 'right' },
  { key: 'detail' },
];

/** The events that `--status`, `--reason` and `--since` ask for. @throws usage error (2) */
export function filterAsked(cli: Cli, ctx: Ctx): InboundEventFilter {
  return {
    // The choices of the option are those of the service.
    status: cli.option('status') as InboundEventFilter['status'],
    reason: cli.option('reason'),
    from: pastAsked(cli, 'since', ctx.now(), 'start'),
  };
}

/** `appctl integration events INTEGRATION`. */
export const listEvents = (cli: Cli): Promise<void> =>
  withLocal(cli, async ({ ctx }) => {
    const config = await integrations.get(ctx, cli.argument('integration'));
    const page = await listInboundEvents(ctx, config.id, { ...filterAsked(cli, ctx), ...pageAsked(cli) });
    await cli.out.page(page, columns);
    if (cli.json) return;
    const refused = await countRecentRefusals(ctx, config.id);
    if (refused > 0) {
      cli.note(`refused within 24 hours, and therefore no events: ${refused} deliveries`);
      cli.next(`appctl integration events refused ${config.id}`);
    }
    // Nothing ever came: an event of its own shows whether the way is open.
    else if (config.lastEventAt === null) cli.next(`appctl integration test ${config.id}`);
    tellUnmapped(cli, config.id, page.items);
  });

function tellUnmapped(cli: Cli, configId: string, events: readonly InboundEvent[]): void {
  const reasons = new Set(events.filter(lacksMapping).map(({ reason }) => reason));
  if (reasons.size === 0) return;
  cli.next(
    `appctl integration map ${configId} --external PRODUCT_ID --product SLUG`,
    ...[...reasons].map((reason) => `appctl integration replay --integration ${configId} --reason ${reason}`),
  );
}

const lacksMapping = ({ reason }: InboundEvent): boolean =>
  reason === 'UNMAPPED' || reason === 'PARTLY_UNMAPPED';

/** `appctl integration events show EVENT`. */
export const showEvent = (cli: Cli): Promise<void> =>
  withLocal(cli, async ({ ctx }) => {
    const event = await getInboundEvent(ctx, cli.argument('event'));
    await writeCard(cli, event);
    if (event.status === 'FAILED' || lacksMapping(event)) cli.next(`appctl integration replay ${event.id}`);
  });

/** `appctl integration events refused INTEGRATION`. */
export const listRefused = (cli: Cli): Promise<void> =>
  withLocal(cli, async ({ ctx }) => {
    const config = await integrations.get(ctx, cli.argument('integration'));
    const page = await listRefusals(ctx, config.id, pageAsked(cli));
    await cli.out.page(page, refusalColumns);
    if (page.items.some(({ reason }) => reason === 'SIGNATURE_INVALID'))
      cli.next(`appctl integration update ${config.id} --secret-stdin`);
  });
