import type { LicenseGrantShown } from '#fulfilment/grants/view.ts';
import { card } from '../card.ts';
import { noteChange, planned } from '../change.ts';
import { at, type Desk } from '../desk/desk.ts';
import { withDesk } from '../desk/open.ts';
import { namingFlags } from '../flag-names.ts';
import type { Cli } from '../frame/context.ts';
import { notFoundError, usageError } from '../frame/errors.ts';
import { featuresAsked } from '../license/fields.ts';
import { type Answer, loadStoreApi, storeProductOf } from './twin.ts';

const twins = async () => {
  const [products, grants] = await Promise.all([
    import('#storefront/catalog/products/resource.ts'),
    import('#fulfilment/grants/endpoints.store.ts'),
  ]);
  return [
    ...products.shopProductResource.endpoints('store'),
    ...products.variantResource.endpoints('store'),
    ...grants.licenseGrantEndpoints,
  ];
};

const withVariants = <T>(cli: Cli, work: (desk: Desk) => Promise<T>): Promise<T> =>
  withDesk(cli, twins, work, loadStoreApi);

interface Named {
  readonly id: string;
  readonly sku: string;
}

const same = (one: string, other: string): boolean => one.trim().toUpperCase() === other.trim().toUpperCase();

/** The variant with an SKU or an id. @throws NOT_FOUND (3) */
async function variantOf(desk: Desk, name: string): Promise<Named> {
  if (/^var_[0-9A-Z]{26}$/.test(name)) return (await desk.get<Answer<Named>>(at`variants/${name}`)).data;
  const found = await storeProductOf(desk, name).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'NOT_FOUND') return null;
    throw error;
  });
  const variant = found?.variants.find(({ sku }) => same(sku, name));
  if (variant) return variant;
  throw notFoundError(
    `variant with the SKU ${name} does not exist`,
    'appctl store product list --q TEXT finds products',
  );
}

const grantOf = async (desk: Desk, { id }: Named): Promise<LicenseGrantShown | null> =>
  (await desk.get<Answer<LicenseGrantShown | null>>(at`variants/${id}/license-grant`)).data;

const grantCard = ({ sku }: Named, grant: LicenseGrantShown) =>
  card([
    ['variant', sku],
    ['license product', grant.license_product?.slug ?? grant.license_product_id],
    ['policy', grant.policy ?? grant.policy_id],
    ['type', grant.type],
    ['tier', grant.tier],
    ['days', grant.duration_days ?? 'never expires'],
    ['machines', grant.max_activations ?? 'as the license product says'],
    ['uses', grant.max_uses],
    ['newest version', grant.max_version],
    ['features', grant.features === null ? null : JSON.stringify(grant.features)],
    ['several units', grant.quantity_mode === 'seats' ? 'seats of one key' : 'one key for each'],
    ['on refund', grant.on_refund],
    ['on subscription end', grant.on_subscription_end],
    ['problem', grant.problem],
  ]);

/** `appctl store variant license show VARIANT`. */
export function showVariantLicense(cli: Cli): Promise<void> {
  return withVariants(cli, async (desk) => {
    const variant = await variantOf(desk, cli.argument('variant'));
    const grant = await grantOf(desk, variant);
    if (!grant)
      throw notFoundError(
        `${variant.sku} is sold without a license`,
        `appctl store variant license set ${variant.sku} --product SLUG sets one`,
      );
    await cli.out.value(grant, grantCard(variant, grant));
  });
}

/** Fields of the API by the flags that they are typed as. */
const FLAGS = {
  license_product_id: '--product',
  type: '--type',
  tier: '--tier',
  policy_id: '--policy',
  duration_days: '--days',
  durationDays: '--days',
  maxActivations: '--max-activations',
  maxUses: '--max-uses',
  maxVersion: '--max-version',
  features: '--features',
};

/** @throws usage error (2) for days without a type: a perpetual license has no end */
function termsAsked(cli: Cli): object {
  const [type, days] = [cli.option('type') ?? 'PERPETUAL', cli.integer('days')];
  if (type === 'PERPETUAL' && days !== undefined)
    throw usageError(
      'a PERPETUAL license never expires, but --days sets an end',
      'choose a type, such as --type SUBSCRIPTION',
    );
  return {
    license_product_id: cli.required('product'),
    type,
    tier: cli.option('tier') ?? 'PERSONAL',
    policy_id: cli.option('policy'),
    duration_days: days,
    max_activations: cli.integer('max-activations'),
    max_uses: cli.integer('max-uses'),
    max_version: cli.option('max-version'),
    quantity_mode: cli.option('quantity'),
    on_refund: cli.option('on-refund'),
    on_subscription_end: cli.option('on-subscription-end'),
  };
}

/** What --product or --policy names and what does not exist; null for another fault. */
function unknownName(error: unknown, cli: Cli): Error | null {
  const said = error instanceof Error ? error.message : '';
  const [, field] = /\b(license_product_id|policy_id): .* does not exist$/.exec(said) ?? [];
  if (field === undefined) return null;
  return field === 'policy_id'
    ? notFoundError(`--policy: policy ${cli.option('policy')} does not exist`, 'appctl policy list')
    : notFoundError(
        `--product: license product ${cli.required('product')} does not exist`,
        'appctl product list',
      );
}

/** `appctl store variant license set VARIANT`. */
export async function setVariantLicense(cli: Cli): Promise<void> {
  const features = await featuresAsked(cli);
  return withVariants(cli, async (desk) => {
    const variant = await variantOf(desk, cli.argument('variant'));
    const input = { ...termsAsked(cli), features };
    const { data } = await namingFlags(FLAGS, () =>
      desk
        .put<Answer<LicenseGrantShown>>(at`variants/${variant.id}/license-grant`, input)
        .catch((error: unknown) => {
          throw unknownName(error, cli) ?? error;
        }),
    );
    await cli.out.value(planned(cli, data), grantCard(variant, data));
    noteChange(cli, `${variant.sku} is now sold with a license of ${data.license_product?.slug ?? 'it'}`);
  });
}

/** `appctl store variant license remove VARIANT`. */
export function removeVariantLicense(cli: Cli): Promise<void> {
  return withVariants(cli, async (desk) => {
    const variant = await variantOf(desk, cli.argument('variant'));
    const grant = await grantOf(desk, variant);
    if (grant) {
      await cli.confirm({
        action: `sell ${variant.sku} without a license`,
        more: ['From now on, buyers get no key with it. Licenses of orders stay as they are.'],
      });
      await desk.delete(at`variants/${variant.id}/license-grant`);
    }
    const done = { ok: true, action: 'removed', id: variant.id, changed: grant !== null } as const;
    await cli.out.value(planned(cli, done));
    noteChange(cli, grant ? `${variant.sku} is now sold without a license` : `${variant.sku} had no license`);
  });
}
