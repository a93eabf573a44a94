import { addSeconds, SECONDS_PER_DAY } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { sha256Hex } from '#kernel/crypto.ts';
import * as customers from '#licensing/catalog/customers/index.ts';
import { keyPrefix } from '#licensing/catalog/key-formats/index.ts';
import * as policies from '#licensing/catalog/policies/index.ts';
import * as products from '#licensing/catalog/products/index.ts';
import type { IdempotencyNamespace, LicenseSource, LicenseType } from '#licensing/contract/enumerations.ts';
import { fail } from '#licensing/contract/errors.ts';
import { licensingEvent } from '#licensing/contract/events.ts';
import { ids } from '#licensing/contract/ids.ts';
import { publish } from '#licensing/publish.ts';
import { statusAt } from '../decision/index.ts';
import { drawKey, keepKey } from './keys/make.ts';
import { findLicense, type License } from './queries.ts';
import * as repo from './repository.ts';
import type { AdminCreateInput, CreateInput } from './schemas.ts';

export interface CreateOptions {
  source: LicenseSource;
  /** Scope and value of the idempotency key; null without one (D53). */
  idempotency: { namespace: IdempotencyNamespace; key: string } | null;
  /** Refuses a TRIAL or SUBSCRIPTION that would last for ever because nobody said how long it lasts. */
  needsTerm?: boolean;
}

export interface Created {
  license: License;
  idempotent: boolean;
  /** The same idempotency key came with another body before (D53). */
  mismatch: boolean;
}

const DATED_TYPES: readonly LicenseType[] = ['SUBSCRIPTION', 'TRIAL', 'BETA', 'FLOATING'];

/**
 * Creates a license with its customer and key (spec POST /api/v1/license/create; D43, D46 to D53, D56).
 *
 * @param input body of create; the CLI and the panel may add an own `key` and `force`
 * @throws AppError NOT_FOUND for an unknown product; VALIDATION_ERROR for a product that is not sold any more, an
 *   unknown policy, a taken own key or a term that is missing
 */
export async function create(
  ctx: Ctx,
  input: CreateInput | AdminCreateInput,
  options: CreateOptions,
): Promise<Created> {
  const { source, idempotency } = options;
  return ctx.tx(async (ctx) => {
    const requestHash = sha256Hex(JSON.stringify(input));
    if (idempotency) {
      const { namespace, key } = idempotency;
      const earlier = await repo.claimIdempotency(ctx, namespace, key, requestHash);
      if (earlier) return replay(ctx, earlier, requestHash);
    }
    const { id, keyPrefix: prefix } = await insertLicense(ctx, input, options);
    if (idempotency) await repo.fillIdempotency(ctx, idempotency.namespace, idempotency.key, id);
    const license = (await findLicense(ctx, id)) as License;
    await announceCreated(ctx, license, prefix, source);
    return { license, idempotent: false, mismatch: false };
  });
}

async function replay(ctx: Ctx, earlier: repo.EarlierLicense, requestHash: string): Promise<Created> {
  const license = await findLicense(ctx, earlier.licenseId);
  if (!license) throw fail('NOT_FOUND', 'The license of this idempotency key is not visible to this API key');
  return { license, idempotent: true, mismatch: earlier.requestHash !== requestHash };
}

async function insertLicense(
  ctx: Ctx,
  input: CreateInput | AdminCreateInput,
  { source, needsTerm }: CreateOptions,
): Promise<{ id: string; keyPrefix: string }> {
  const product = await sellableProduct(ctx, input);
  const policy = await policyOf(ctx, input.policyId, product);
  const customer = await customers.reuse(ctx, { email: input.customerEmail, name: input.customerName });
  const createdAt = ctx.now();
  const type = input.type ?? product.defaultLicenseType;
  const license: repo.NewLicense = {
    id: ctx.newId(ids.license),
    productId: product.id,
    customerId: customer.id,
    policyId: input.policyId === undefined ? null : (policy?.id ?? null),
    type,
    tier: input.tier ?? 'PERSONAL',
    maxActivations: input.maxActivations ?? product.defaultMaxActivations,
    validUntil: validUntilOf(
      input.validUntil,
      type,
      policy?.defaultDurationDays ?? product.defaultDurationDays,
      createdAt,
    ),
    gracePeriodSeconds: input.gracePeriodSeconds ?? null,
    features: input.features ?? null,
    maxVersion: input.maxVersion ?? null,
    maxUses: input.maxUses ?? null,
    orderId: input.orderId ?? null,
    metadata: input.metadata ?? {},
    notes: input.notes ?? null,
    source,
    createdAt,
  };
  if (needsTerm && input.validUntil === undefined) refuseEndless(license, product);
  await repo.insert(ctx, license);
  const ownKey = 'key' in input ? input.key : undefined;
  const key =
    ownKey === undefined ? await drawKey(ctx, license.id, product) : await keepKey(ctx, license.id, ownKey);
  return { id: license.id, keyPrefix: keyPrefix(key) };
}

async function sellableProduct(ctx: Ctx, input: CreateInput | AdminCreateInput): Promise<products.Product> {
  const product = await products.find(ctx, input.productId);
  if (!product) throw fail('NOT_FOUND', `there is no product ${input.productId}`);
  const forced = 'force' in input && input.force === true;
  if (product.status === 'ACTIVE' || forced) return product;
  const message = `product ${product.slug} is ${product.status} and not sold any more`;
  throw fail('VALIDATION_ERROR', `productId ${message}`, {
    details: { issues: [{ path: 'productId', rule: 'status', message }] },
  });
}

/** The effective policy (D64): the license's own, else the product's. */
async function policyOf(
  ctx: Ctx,
  policyId: string | undefined,
  product: products.Product,
): Promise<policies.Policy | null> {
  const id = policyId ?? product.policyId;
  if (id === null) return null;
  const policy = await policies.find(ctx, id);
  if (policy || policyId === undefined) return policy;
  throw fail('VALIDATION_ERROR', `policyId ${policyId} is unknown`, {
    details: { issues: [{ path: 'policyId', rule: 'unknown', message: 'is unknown' }] },
  });
}

/** D47: an absent date asks for the default, null for a perpetual license. */
function validUntilOf(
  asked: string | null | undefined,
  type: LicenseType,
  defaultDays: number | null,
  now: string,
): string | null {
  if (asked !== undefined) return asked;
  return DATED_TYPES.includes(type) && defaultDays !== null
    ? addSeconds(now, defaultDays * SECONDS_PER_DAY)
    : null;
}

/** Types that are sold for a time: without an end they are a mistake, unless somebody asked for none. */
export const needsEnd = (type: LicenseType): boolean => type === 'TRIAL' || type === 'SUBSCRIPTION';

function refuseEndless({ type, validUntil }: repo.NewLicense, product: products.Product): void {
  if (validUntil !== null || !needsEnd(type)) return;
  const message = `is required: a ${type} needs an end, and neither product ${product.slug} nor its policy sets a term`;
  throw fail('VALIDATION_ERROR', `validUntil ${message}`, {
    details: {
      issues: [{ path: 'validUntil', rule: 'term', message }],
      hint: 'give --days N or --valid-until DATE, or --perpetual for a license without an end',
    },
  });
}

const announceCreated = (
  ctx: Ctx,
  license: License,
  keyPrefix: string,
  source: LicenseSource,
): Promise<void> =>
  publish(
    ctx,
    {
      licenseId: license.id,
      keyPrefix,
      customerId: license.customer.id,
      product: { name: license.productName, slug: license.productSlug },
    },
    {
      status: statusAt({ status: license.storedStatus, validUntil: license.validUntil }, ctx.now()),
      machineIds: async () => [],
    },
    licensingEvent('LICENSE_CREATED', {
      source,
      type: license.type,
      tier: license.tier,
      maxActivations: license.maxActivations,
      validUntil: license.validUntil,
      orderId: license.orderId,
    }),
  );
