import { getIntegration, listIntegrations, listMappings } from '#licensing/purchases/integrations/index.ts';
import { card } from '../card.ts';
import type { Cli } from '../frame/context.ts';
import type { Column } from '../frame/rows.ts';
import { withLocal } from '../open.ts';
import { pageAsked } from '../paging.ts';
import { type ConfigView, configLines, type MappingView, mappingView, viewsOf } from './view.ts';

const columns: readonly Column<ConfigView>[] = [
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

/** `appctl webhook inbound list`. */
export const listInbound = (cli: Cli): Promise<void> =>
  withLocal(cli, async ({ ctx, config }) => {
    const page = await listIntegrations(ctx, pageAsked(cli));
    await cli.out.page({ ...page, items: await viewsOf(ctx, config, page.items) }, columns);
    if (page.pagination.total === 0)
      cli.next('appctl webhook inbound create --processor stripe|square|generic');
  });

/** `appctl webhook inbound show CONFIG`. */
export const showInbound = (cli: Cli): Promise<void> =>
  withLocal(cli, async ({ ctx, config }) => {
    const found = await getIntegration(ctx, cli.argument('config'));
    const [view] = (await viewsOf(ctx, config, [found])) as [ConfigView];
    await cli.out.value(view, card(configLines(view)));
    if (view.mappings.length === 0)
      cli.next(`appctl webhook inbound map ${view.id} --external PRODUCT_ID --product SLUG`);
    cli.next(`appctl webhook inbound events ${view.id}`);
  });

/** `appctl webhook inbound mappings CONFIG`. */
export const listInboundMappings = (cli: Cli): Promise<void> =>
  withLocal(cli, async ({ ctx }) => {
    const page = await listMappings(ctx, cli.argument('config'), pageAsked(cli));
    await cli.out.page({ ...page, items: page.items.map(mappingView) }, mappingColumns);
  });
