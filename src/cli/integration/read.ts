import * as integrations from '#licensing/purchases/integrations/index.ts';
import { listMappings } from '#licensing/purchases/integrations/index.ts';
import { card } from '../card.ts';
import type { Cli } from '../frame/context.ts';
import type { Column } from '../frame/rows.ts';
import { withLocal } from '../open.ts';
import { pageAsked } from '../paging.ts';
import { type IntegrationView, integrationLines, type MappingView, mappingView, viewsOf } from './view.ts';

const columns: readonly Column<IntegrationView>[] = [
  { key: 'id' },
  { key: 'name' },
  { key: 'processor' },
  { key: 'enabled', text: ({ enabled }) => (enabled ? 'yes' : 'no') },
  { key: 'mappings', align: 'right', text: ({ mappings }) => String(mappings.length) },
  { key: 'lastEventAt', title: 'last event', time: true },
  { key: 'url' },
];

const mappingColumns: readonly Column<MappingView>[] = [
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
  withLocal(cli, async ({ ctx, config }) => {
    const page = await integrations.list(ctx, pageAsked(cli));
    await cli.out.page({ ...page, items: await viewsOf(ctx, config, page.items) }, columns);
    if (page.pagination.total === 0) cli.next('appctl integration create --processor stripe|square|generic');
  });

/** `appctl integration show INTEGRATION`. */
export const showIntegration = (cli: Cli): Promise<void> =>
  withLocal(cli, async ({ ctx, config }) => {
    const found = await integrations.get(ctx, cli.argument('integration'));
    const [view] = (await viewsOf(ctx, config, [found])) as [IntegrationView];
    await cli.out.value(view, card(integrationLines(view)));
    if (view.mappings.length === 0)
      cli.next(`appctl integration map ${view.id} --external PRODUCT_ID --product SLUG`);
    cli.next(`appctl integration events ${view.id}`);
  });

/** `appctl integration mappings INTEGRATION`. */
export const listIntegrationMappings = (cli: Cli): Promise<void> =>
  withLocal(cli, async ({ ctx }) => {
    const page = await listMappings(ctx, cli.argument('integration'), pageAsked(cli));
    await cli.out.page({ ...page, items: page.items.map(mappingView) }, mappingColumns);
  });
