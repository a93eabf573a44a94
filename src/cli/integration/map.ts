import type { MappingInputFields } from '#licensing/purchases/integrations/index.ts';
import { writeCard } from '../card.ts';
import { noteChange, planned } from '../change.ts';
import { clearedFields } from '../cleared.ts';
import { at, type ChangeOptions, type Desk } from '../desk/desk.ts';
import { namingFlags } from '../flag-names.ts';
import type { Cli } from '../frame/context.ts';
import { notFoundError, usageError } from '../frame/errors.ts';
import type { DeskPage } from '../paging.ts';
import { quantityModes, refundActions } from './choices.ts';
import { type DeskMapping, integrationOf, withInboundEvents, withIntegrations } from './twin.ts';
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
  withInboundEvents(cli, async (desk) => {
    const input = mappingAsked(cli);
    const map = async (options: ChangeOptions) => {
      const path = at`integrations/${cli.argument('integration')}/mappings`;
      const { mapping } = await namingFlags(flags, () =>
        desk.post<{ mapping: DeskMapping }>(path, input, options),
      );
      return mapping;
    };
    if (!cli.flag('perpetual') && !cli.given('days')) refuseEndless(cli, await map({ rehearse: true }));
    const mapping = await map({});
    await writeCard(cli, planned(cli, mappingView(mapping)));
    noteChange(cli, `${isNew(mapping) ? 'mapped' : 'mapping'} ${mappingText(mappingView(mapping))}`);
    if (mapping.licenseType === 'PERPETUAL' && mapping.durationDays !== null)
      cli.warn('PERPETUAL licenses with an end: use --type SUBSCRIPTION, or --perpetual to remove the end');
    if (!cli.dryRun) cli.next(...(await followUps(desk, mapping.configId)));
  });

/** A license of these types without an end is a mistake (licensing D47). */
const SOLD_FOR_A_TIME: readonly DeskMapping['licenseType'][] = ['TRIAL', 'SUBSCRIPTION'];

/** What the mapping makes is sold for a time: without an end it is a mistake, unless --perpetual asks for none. */
function refuseEndless(cli: Cli, mapping: DeskMapping): void {
  const { licenseType, durationDays } = mapping;
  const isAsked = isNew(mapping) || cli.given('type');
  if (!isAsked || durationDays !== null || !SOLD_FOR_A_TIME.includes(licenseType)) return;
  throw usageError(
    `--days is required: a ${licenseType} needs an end date, and neither product ${mapping.productSlug} nor its policy sets a term`,
    'give --days N, or --perpetual for licenses that never expire',
  );
}

/** Purchases that came before their mapping wait to be processed again. */
async function followUps(desk: Desk, configId: string): Promise<string[]> {
  const waiting: string[] = [];
  for (const reason of ['UNMAPPED', 'PARTLY_UNMAPPED']) {
    const { pagination } = await desk.get<DeskPage<object>>(at`integrations/${configId}/events`, {
      reason,
      limit: 1,
    });
    if (pagination.total > 0)
      waiting.push(`appctl integration replay --integration ${configId} --reason ${reason}`);
  }
  return [...waiting, `appctl integration test ${configId}`];
}

const isNew = ({ createdAt, updatedAt }: DeskMapping): boolean => createdAt === updatedAt;

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
  withIntegrations(cli, async (desk) => {
    const { id, name, mappings } = await integrationOf(desk, cli.argument('integration'));
    const mapping = mappingNamed(mappings, cli.required('external'));
    await cli.confirm({
      action: `unmap ${mapping.externalProductId} from ${name}; after that, purchases of it create no license`,
    });
    await desk.delete(at`integrations/${id}/mappings/${mapping.id}`);
    await writeCard(cli, planned(cli, mappingView(mapping)));
    noteChange(cli, `unmapped ${mapping.externalProductId}`);
  });

/** A processor's own id may look like one of ours: what it is called there comes first. @throws NOT_FOUND (3) */
function mappingNamed(mappings: readonly DeskMapping[], named: string): DeskMapping {
  const found =
    mappings.find(({ externalProductId }) => externalProductId === named) ??
    mappings.find(({ id }) => id === named);
  if (found) return found;
  throw notFoundError(
    `mapping ${named} was not found`,
    'appctl integration show INTEGRATION lists the mappings',
  );
}
