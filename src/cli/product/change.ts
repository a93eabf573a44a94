import type { ProductUpdateInput } from '#licensing/catalog/products/index.ts';
import { noteChange, planned } from '../change.ts';
import { clearedFields } from '../cleared.ts';
import { at } from '../desk/desk.ts';
import { namingFlags } from '../flag-names.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import { metadataAsked } from '../license/fields.ts';
import { type OneProduct, withProducts } from './twin.ts';
import { writeProduct } from './write.ts';

/** Which flag stands for which field. */
const flags = {
  name: '--name',
  slug: '--slug',
  type: '--type',
  licensingMode: '--licensing-mode',
  defaultLicenseType: '--default-type',
  defaultMaxActivations: '--default-max-activations',
  defaultDurationDays: '--default-days',
  policyId: '--policy',
  keyFormatId: '--key-format',
  prereleaseNeedsBeta: '--prerelease-needs-beta',
  criticalUpdatesForExpired: '--critical-updates-for-expired',
  statementRequired: '--statement-required',
  metadata: '--meta',
};

const switches = ['prereleaseNeedsBeta', 'criticalUpdatesForExpired', 'statementRequired'] as const;

/** A switch alone means yes; undefined where it was not given. */
function switchAsked(cli: Cli, field: (typeof switches)[number]): boolean | undefined {
  const name = flags[field].slice(2);
  return cli.given(name) ? cli.flag(name) || cli.option(name) === 'yes' : undefined;
}

/** Only what was given: the service fills in and keeps the rest. */
function given(cli: Cli): ProductUpdateInput {
  const values = {
    name: cli.option('name'),
    slug: cli.option('slug'),
    type: cli.option('type'),
    licensingMode: cli.option('licensing-mode'),
    defaultLicenseType: cli.option('default-type'),
    defaultMaxActivations: cli.integer('default-max-activations'),
    defaultDurationDays: cli.integer('default-days'),
    policyId: cli.option('policy'),
    keyFormatId: cli.option('key-format'),
    metadata: metadataAsked(cli),
    ...Object.fromEntries(switches.map((field) => [field, switchAsked(cli, field)])),
  };
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  // The choices of the options are those of the service.
  return Object.fromEntries(entries) as ProductUpdateInput;
}

/** `appctl product create`. */
export function createProduct(cli: Cli): Promise<void> {
  const input = given(cli);
  return withProducts(cli, async (desk) => {
    const { product } = await namingFlags(flags, () => desk.post<OneProduct>('products', input));
    await writeProduct(cli, planned(cli, product));
    if (!cli.dryRun) cli.next(`appctl license mint --product ${product.slug} --email ann@example.com`);
  });
}

/** `appctl product update PRODUCT`. */
export async function updateProduct(cli: Cli): Promise<void> {
  const cleared = clearedFields(cli, flags);
  // Metadata is always there: without entries it is empty.
  const input = { ...given(cli), ...cleared, ...('metadata' in cleared && { metadata: {} }) };
  const changed = Object.keys(input);
  if (changed.length === 0) throw usageError('nothing to change', 'appctl product update --help');
  await withProducts(cli, async (desk) => {
    const { product } = await namingFlags(flags, () =>
      desk.patch<OneProduct>(at`products/${cli.argument('product')}`, input),
    );
    await writeProduct(cli, planned(cli, product));
    noteChange(cli, `changed ${changed.join(', ')} of ${product.slug}`);
  });
}
