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

/** A license that was made, without what is read of it afterwards. */
export interface Made {
  licenseId: string;
  /** The beginning of its key. */
  keyPrefix: string;
  idempotent: boolean;
  /** As in `Created`. */
  mismatch: boolean;
}

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
  return ctx.tx(async (ctx) => {
    const { licenseId, idempotent, mismatch } = await make(ctx, input, options);
    return { license: (await findLicense(ctx, licenseId)) as License, idempotent, mismatch };
  });
}

/** As `create`, for whoever needs no more than the id: orders that are paid wait for it. @throws AppError as `create` */
export async function make(
  ctx: Ctx,
  input: CreateInput | AdminCreateInput,
  options: CreateOptions,
): Promise<Made> {
  const { idempotency } = options;
  return ctx.tx(async (ctx) => {
    const requestHash = sha256Hex(JSON.stringify(input));
    const licenseId = ctx.newId(ids.license);
    if (idempotency) {
      const earlier = await repo.claimIdempotency(ctx, idempotency, { licenseId, requestHash });
      if (earlier) return replay(ctx, earlier, requestHash);
    }
    const keyPrefix = await insertLicense(ctx, licenseId, input, options);
    return { licenseId, keyPrefix, idempotent: false, mismatch: false };
  });
}

async function replay(ctx: Ctx, { licenseId, ...earlier }: repo.EarlierLicense, hash: string): Promise<Made> {
  const license = await findLicense(ctx, licenseId);
  if (!license) throw fail('NOT_FOUND', 'The license of this idempotency key is not visible to this API key');
  const { keyPrefix } = license;
  return { licenseId, keyPrefix, idempotent: true, mismatch: earlier.requestHash !== hash };
}

/** @returns the beginning of its key */
async function insertLicense(
  ctx: Ctx,
  id: string,
  input: CreateInput | AdminCreateInput,
  { source, needsTerm }: CreateOptions,
): Promise<string> {
  const product = await sellableProduct(ctx, input);
  const policy = await policyOf(ctx, input.policyId, product);
  const customer = await customers.reuse(ctx, { email: input.customerEmail, name: input.customerName });
  const createdAt = ctx.now();
  const type = input.type ?? product.defaultLicenseType;
  const license: repo.NewLicense = {
    id,
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
  const prefix = keyPrefix(
    ownKey === undefined ? await drawKey(ctx, id, product) : await keepKey(ctx, id, ownKey),
  );
  await announceCreated(ctx, license, prefix, product);
  return prefix;
}

async function sellableProduct(ctx: Ctx, input: CreateInput | AdminCreateInput): Promise<products.Product> {
  const product = await products.find(ctx, input.productId);
  if (!product) throw fail('NOT_FOUND', `product ${input.productId} was not found`);
  const forced = 'force' in input && input.force === true;
  if (product.status === 'ACTIVE' || forced) return product;
  const message = `product ${product.slug} is ${product.status} and no longer sold`;
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
  const message = `is required: a ${type} needs an end date, and neither product ${product.slug} nor its policy sets a term`;
  throw fail('VALIDATION_ERROR', `validUntil ${message}`, {
    details: {
      issues: [{ path: 'validUntil', rule: 'term', message }],
      hint: 'give --days N or --valid-until DATE, or --perpetual for a license that never expires',
    },
  });
}

const announceCreated = (
  ctx: Ctx,
  license: repo.NewLicense,
  keyPrefix: string,
  { name, slug }: products.Product,
): Promise<void> =>
  publish(
    ctx,
    { licenseId: license.id, keyPrefix, customerId: license.customerId, product: { name, slug } },
    {
      status: statusAt({ status: 'ACTIVE', validUntil: license.validUntil }, ctx.now()),
      machineIds: async () => [],
    },
    licensingEvent('LICENSE_CREATED', {
      source: license.source,
      type: license.type,
      tier: license.tier,
      maxActivations: license.maxActivations,
      validUntil: license.validUntil,
      orderId: license.orderId,
    }),
  );
