import type { z } from 'zod';
import type {
  InboundEventDetailsView,
  InboundEventView,
  RefusalPage,
  RefusalView,
} from '#licensing/purchases/inbox/view.ts';
import { writeCard } from '../card.ts';
import { at, type Desk, timeAt } from '../desk/desk.ts';
import type { Cli } from '../frame/context.ts';
import type { Column } from '../frame/rows.ts';
import { type DeskPage, pageAsked } from '../paging.ts';
import { pastAsked } from '../time-asked.ts';
import { integrationOf, withInboundEvents } from './twin.ts';

type InboundEvent = z.output<typeof InboundEventView>;
export type InboundEventDetails = z.output<typeof InboundEventDetailsView>;
type Refusals = z.output<typeof RefusalPage>;

const columns: readonly Column<InboundEvent>[] = [
  { key: 'id' },
  { key: 'receivedAt', title: 'received', time: true },
  { key: 'eventName', title: 'event' },
  { key: 'status' },
  { key: 'reason' },
  { key: 'licensesCreated', title: 'licenses', align: 'right' },
  { key: 'error' },
];

const refusalColumns: readonly Column<z.output<typeof RefusalView>>[] = [
  { key: 'lastAt', title: 'last', time: true },
  { key: 'reason' },
  { key: 'ip', title: 'address' },
  { key: 'count', align: 'right' },
  { key: 'detail' },
];

/** The events that `--status`, `--reason` and `--since` ask for. @throws usage error (2) */
export function filterAsked(cli: Cli, desk: Desk) {
  return {
    status: cli.option('status'),
    reason: cli.option('reason'),
    from: pastAsked(cli, 'since', timeAt(desk), 'start'),
  };
}

/** `appctl integration events INTEGRATION`. */
export const listEvents = (cli: Cli): Promise<void> =>
  withInboundEvents(cli, async (desk) => {
    const filter = filterAsked(cli, desk);
    const config = await integrationOf(desk, cli.argument('integration'));
    const path = at`integrations/${config.id}/events`;
    const page = await desk.get<DeskPage<InboundEvent>>(path, { ...filter, ...pageAsked(cli) });
    await cli.out.page(page, columns);
    if (cli.json) return;
    const { lastDay } = await desk.get<Refusals>(at`integrations/${config.id}/refusals`, { limit: 1 });
    if (lastDay > 0) {
      cli.note(`refused in the last 24 hours and not stored as events: ${lastDay} deliveries`);
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

/** Reads an event with its body and the licenses that it made. */
export const eventOf = async (desk: Desk, id: string): Promise<InboundEventDetails> =>
  (await desk.get<{ event: InboundEventDetails }>(at`inbound-events/${id}`)).event;

/** `appctl integration events show EVENT`. */
export const showEvent = (cli: Cli): Promise<void> =>
  withInboundEvents(cli, async (desk) => {
    const event = await eventOf(desk, cli.argument('event'));
    await writeCard(cli, event);
    if (event.status === 'FAILED' || lacksMapping(event)) cli.next(`appctl integration replay ${event.id}`);
  });

/** `appctl integration events refused INTEGRATION`. */
export const listRefused = (cli: Cli): Promise<void> =>
  withInboundEvents(cli, async (desk) => {
    const config = await integrationOf(desk, cli.argument('integration'));
    const path = at`integrations/${config.id}/refusals`;
    const { items, pagination } = await desk.get<Refusals>(path, pageAsked(cli));
    await cli.out.page({ items, pagination }, refusalColumns);
    if (items.some(({ reason }) => reason === 'SIGNATURE_INVALID'))
      cli.next(`appctl integration update ${config.id} --secret-stdin`);
  });
