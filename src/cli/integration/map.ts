import type { Ctx } from '#kernel/context.ts';
import { needsEnd } from '#licensing/licenses/licenses/index.ts';
import { listInboundEvents } from '#licensing/purchases/inbox/index.ts';
import * as integrations from '#licensing/purchases/integrations/index.ts';
import {
  type MappingInputFields,
  mapProduct,
  type ProductMapping,
  unmapProduct,
} from '#licensing/purchases/integrations/index.ts';
import { writeCard } from '../card.ts';
import { changeOrPlan, noteChange, planned } from '../change.ts';
import { clearedFields } from '../cleared.ts';
import { namingFlags } from '../flag-names.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import { withLocal } from '../open.ts';
import { quantityModes, refundActions } from './choices.ts';
import { mappingText, mappingView } from './view.ts';

const flags = {
  externalProductId: '--external',
  productId: '--product',
  licenseType: '--type',
  licenseTier: '--tier',
  maxActivations: '--max-activations',
  durationDays: '--days',
  policyId: '--policy',
  quantityMode: '--quantity-mode',
  onRefund: '--on-refund',
};

/** `appctl integration map INTEGRATION`; the same external id again changes what is given. */
export const mapIntegration = (cli: Cli): Promise<void> =>
  withLocal(cli, async ({ ctx }) => {
    const input = mappingAsked(cli);
    const mapping = await changeOrPlan(cli, ctx, (ctx) =>
      ctx.tx(async (ctx) => {
        const mapping = await namingFlags(flags, () => mapProduct(ctx, cli.argument('integration'), input));
        refuseEndless(cli, mapping);
        return mapping;
      }),
    );
    await writeCard(cli, planned(cli, mappingView(mapping)));
    noteChange(cli, `${isNew(mapping) ? 'mapped' : 'mapping'} ${mappingText(mappingView(mapping))}`);
    if (mapping.licenseType === 'PERPETUAL' && mapping.durationDays !== null)
      cli.warn(
        'PERPETUAL licenses with an end: --type SUBSCRIPTION says what they are, --perpetual takes the end away',
      );
    if (!cli.dryRun) cli.next(...(await followUps(ctx, mapping.configId)));
  });

/** What the mapping makes is sold for a time: without an end it is a mistake, unless --perpetual asks for none. */
function refuseEndless(cli: Cli, mapping: ProductMapping): void {
  const { licenseType, durationDays } = mapping;
  const isAsked = isNew(mapping) || cli.given('type');
  if (!isAsked || cli.flag('perpetual') || durationDays !== null || !needsEnd(licenseType)) return;
  throw usageError(
    `--days is required: a ${licenseType} needs an end, and neither product ${mapping.productSlug} nor its policy sets a term`,
    'give --days N, or --perpetual for licenses without an end',
  );
}

/** Purchases that came before their mapping wait to be processed again. */
async function followUps(ctx: Ctx, configId: string): Promise<string[]> {
  const waiting: string[] = [];
  for (const reason of ['UNMAPPED', 'PARTLY_UNMAPPED']) {
    const { pagination } = await listInboundEvents(ctx, configId, { reason, page: 1, limit: 1 });
    if (pagination.total > 0)
      waiting.push(`appctl integration replay --integration ${configId} --reason ${reason}`);
  }
  return [...waiting, `appctl integration test ${configId}`];
}

const isNew = ({ createdAt, updatedAt }: ProductMapping): boolean => createdAt === updatedAt;

function mappingAsked(cli: Cli): MappingInputFields {
  const isPerpetual = cli.flag('perpetual');
  const quantityMode = cli.option('quantity-mode') as keyof typeof quantityModes | undefined;
  const onRefund = cli.option('on-refund') as keyof typeof refundActions | undefined;
  const values = {
    externalProductId: cli.required('external'),
    productId: cli.required('product'),
    licenseType: cli.option('type') ?? (isPerpetual ? 'PERPETUAL' : undefined),
    licenseTier: cli.option('tier'),
    maxActivations: cli.integer('max-activations'),
    durationDays: isPerpetual ? null : cli.integer('days'),
    policyId: cli.option('policy'),
    quantityMode: quantityMode && quantityModes[quantityMode],
    onRefund: onRefund && refundActions[onRefund],
    ...clearedFields(cli, { policyId: '--policy' }),
  };
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  // The choices of the options are those of the service.
  return Object.fromEntries(given) as MappingInputFields;
}

/** `appctl integration unmap INTEGRATION --external ID`; the answer is the mapping that is gone. */
export const unmapIntegration = (cli: Cli): Promise<void> =>
  withLocal(cli, async ({ ctx }) => {
    const { id, name } = await integrations.get(ctx, cli.argument('integration'));
    const named = cli.required('external');
    await cli.confirm({
      action: `unmap ${named} of ${name}; a purchase of it makes no license from then on`,
    });
    const mapping = await changeOrPlan(cli, ctx, (ctx) => unmapProduct(ctx, id, named));
    await writeCard(cli, planned(cli, mappingView(mapping)));
    noteChange(cli, `unmapped ${mapping.externalProductId}`);
  });
