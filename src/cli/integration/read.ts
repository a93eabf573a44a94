import { card } from '../card.ts';
import { at } from '../desk/desk.ts';
import type { Cli } from '../frame/context.ts';
import type { Column } from '../frame/rows.ts';
import { type DeskPage, pageAsked } from '../paging.ts';
import { type DeskMapping, integrationOf, withIntegrations } from './twin.ts';
import {
  type DeskIntegration,
  integrationLines,
  integrationView,
  mappingView,
  type ShownIntegration,
  type ShownMapping,
} from './view.ts';

const columns: readonly Column<ShownIntegration>[] = [
  { key: 'id' },
  { key: 'name' },
  { key: 'processor' },
  { key: 'enabled', text: ({ enabled }) => (enabled ? 'yes' : 'no') },
  { key: 'mappings', align: 'right', text: ({ mappings }) => String(mappings.length) },
  { key: 'lastEventAt', title: 'last event', time: true },
  { key: 'url' },
];

const mappingColumns: readonly Column<ShownMapping>[] = [
  { key: 'externalProductId', title: 'external id' },
  { key: 'product' },
  { key: 'licenseType', title: 'type' },
  { key: 'licenseTier', title: 'tier' },
  { key: 'maxActivations', title: 'seats', align: 'right' },
  { key: 'durationDays', title: 'days', align: 'right' },
  { key: 'quantityMode', title: 'quantity' },
  { key: 'onRefund', title: 'on refund' },
  { key: 'policyId', title: 'policy' },
  { key: 'id' },
];

/** `appctl integration list`. */
export const listIntegrations = (cli: Cli): Promise<void> =>
  withIntegrations(cli, async (desk) => {
    const page = await desk.get<DeskPage<DeskIntegration>>('integrations', {
      ...pageAsked(cli),
      details: true,
    });
    const items = page.items.map(integrationView);
    await cli.out.page({ ...page, items }, columns, 'no integrations yet');
    if (page.pagination.total === 0) cli.next('appctl integration create --processor stripe|square|generic');
  });

/** `appctl integration show INTEGRATION`. */
export const showIntegration = (cli: Cli): Promise<void> =>
  withIntegrations(cli, async (desk) => {
    const view = integrationView(await integrationOf(desk, cli.argument('integration')));
    await cli.out.value(view, card(integrationLines(view)));
    if (view.mappings.length === 0)
      cli.next(`appctl integration map ${view.id} --external PRODUCT_ID --product SLUG`);
    cli.next(`appctl integration events ${view.id}`);
  });

/** `appctl integration mappings INTEGRATION`. */
export const listIntegrationMappings = (cli: Cli): Promise<void> =>
  withIntegrations(cli, async (desk) => {
    const path = at`integrations/${cli.argument('integration')}/mappings`;
    const page = await desk.get<DeskPage<DeskMapping>>(path, pageAsked(cli));
    await cli.out.page({ ...page, items: page.items.map(mappingView) }, mappingColumns);
  });
