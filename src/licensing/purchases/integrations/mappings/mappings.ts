import type { Ctx } from '#kernel/context.ts';
import { isForeignKeyViolation, isUniqueViolation } from '#kernel/db/dialect.ts';
import { changesBetween } from '#kernel/service/diff.ts';
import { checkInput, sentFields } from '#kernel/service/input.ts';
import { requireUnchanged } from '#kernel/service/precondition.ts';
import * as policies from '#licensing/catalog/policies/index.ts';
import * as products from '#licensing/catalog/products/index.ts';
import { fail } from '#licensing/contract/errors.ts';
import { ids } from '#licensing/contract/ids.ts';
import type { MappedType } from '../choices.ts';
import { integrationEvents } from '../events.ts';
import { type ChangeOptions, get as getIntegration } from '../integrations.ts';
import type { ProductMapping } from '../record.ts';
import * as configs from '../repository.ts';
import { MappingInput, type MappingInputFields, MappingUpdate, type MappingUpdateInput } from '../schemas.ts';
import * as repo from './repository.ts';

/**
 * Says what a product of the processor is here; the same external id again changes what is sent (spec "Inbound webhook
 * configuration and product mapping"; D111, D115, D116). A new mapping takes type, seats and days from the product.
 *
 * @param config id or name
 * @param input `externalProductId` 1 to 255 characters; `productId` id or slug; `policyId` id or name
 * @throws AppError NOT_FOUND for the integration, product or policy; VALIDATION_ERROR; PRECONDITION_FAILED, also
 *   when there is nothing yet that could have been read
 */
export async function mapProduct(
  ctx: Ctx,
  config: string,
  input: MappingInputFields,
  options: ChangeOptions = {},
): Promise<ProductMapping> {
  const checked = checkInput(MappingInput, input);
  return ctx.tx(async (ctx) => {
    // Under the integration's lock no other mapping of the same external id can come up.
    const configId = await lockConfig(ctx, config);
    const before = await repo.findByExternalId(ctx, configId, checked.externalProductId);
    requireUnchanged(checked.externalProductId, before?.updatedAt, options.ifMatch);
    return before ? change(ctx, before, checked, options) : add(ctx, configId, checked, options);
  });
}

/**
 * Changes a mapping; what is not sent stays.
 *
 * @throws AppError NOT_FOUND; VALIDATION_ERROR; PRECONDITION_FAILED; CONFLICT when another mapping has the external id
 */
export async function updateMapping(
  ctx: Ctx,
  config: string,
  mappingId: string,
  input: MappingUpdateInput,
  options: ChangeOptions = {},
): Promise<ProductMapping> {
  const checked = checkInput(MappingUpdate, input);
  return ctx.tx(async (ctx) => {
    const configId = await lockConfig(ctx, config);
    const before = (await repo.findById(ctx, configId, mappingId)) ?? missing(mappingId);
    requireUnchanged(mappingId, before.updatedAt, options.ifMatch);
    return change(ctx, before, checked, options);
  });
}

/**
 * Takes a mapping away; purchases of that product are unmapped from then on.
 *
 * @returns the mapping that went
 * @throws AppError NOT_FOUND, PRECONDITION_FAILED
 */
export async function unmapProduct(
  ctx: Ctx,
  config: string,
  id: string,
  options: ChangeOptions = {},
): Promise<ProductMapping> {
  return ctx.tx(async (ctx) => {
    const configId = await lockConfig(ctx, config);
    const mapping = (await repo.findById(ctx, configId, id)) ?? missing(id);
    requireUnchanged(mapping.id, mapping.updatedAt, options.ifMatch);
    await repo.remove(ctx, mapping.id);
    await tell(ctx, 'PRODUCT_UNMAPPED', mapping, options, { before: mapping });
    return mapping;
  });
}

/** Every mapping of an integration that the actor may see, oldest first. @param configId of the caller's tenant */
export const mappingsOf = (ctx: Ctx, configId: string): Promise<ProductMapping[]> =>
  repo.listAll(ctx, configId);

/** @returns id of the integration; `getIntegration` says when there is none */
const lockConfig = async (ctx: Ctx, config: string): Promise<string> =>
  ((await configs.lock(ctx, config)) ?? (await getIntegration(ctx, config))).id;

async function add(
  ctx: Ctx,
  configId: string,
  input: MappingInputFields,
  options: ChangeOptions,
): Promise<ProductMapping> {
  const { externalProductId, productId, policyId } = input;
  if (productId === undefined) throw wrong('productId', 'required', 'is required for a new mapping');
  const product = await products.get(ctx, productId);
  const now = ctx.now();
  const licenseType = input.licenseType ?? typeOf(product);
  const mapping: ProductMapping = {
    id: ctx.newId(ids.productMapping),
    configId,
    externalProductId,
    productId: product.id,
    productSlug: product.slug,
    licenseType,
    licenseTier: input.licenseTier ?? 'PERSONAL',
    maxActivations: input.maxActivations ?? product.defaultMaxActivations,
    durationDays: null,
    policyId: policyId ? (await policies.get(ctx, policyId)).id : null,
    quantityMode: input.quantityMode ?? 'LICENSES',
    onRefund: input.onRefund ?? 'NONE',
    createdAt: now,
    updatedAt: now,
  };
  mapping.durationDays =
    input.durationDays === undefined ? await usualDays(ctx, mapping, product) : input.durationDays;
  await storing(externalProductId, repo.insert(ctx, mapping));
  await tell(ctx, 'PRODUCT_MAPPED', mapping, options, { after: mapping });
  return mapping;
}

async function change(
  ctx: Ctx,
  before: ProductMapping,
  input: MappingUpdateInput,
  options: ChangeOptions,
): Promise<ProductMapping> {
  const merged: ProductMapping = { ...before, ...sentFields(input) };
  if (input.productId !== undefined) {
    const product = await products.get(ctx, input.productId);
    merged.productId = product.id;
    merged.productSlug = product.slug;
  }
  // Whoever makes it perpetual and says nothing of days wants no end.
  if (
    merged.licenseType === 'PERPETUAL' &&
    before.licenseType !== 'PERPETUAL' &&
    input.durationDays === undefined
  )
    merged.durationDays = null;
  if (input.policyId) merged.policyId = (await policies.get(ctx, input.policyId)).id;
  const diff = changesBetween(before, merged);
  if (Object.keys(diff).length === 0) return before;
  const after = { ...merged, updatedAt: ctx.now() };
  await storing(after.externalProductId, repo.update(ctx, after));
  await tell(ctx, 'PRODUCT_MAPPING_UPDATED', after, options, { before, after });
  return after;
}

function typeOf({ slug, defaultLicenseType }: products.Product): MappedType {
  if (defaultLicenseType !== 'FLOATING') return defaultLicenseType;
  throw wrong(
    'licenseType',
    'required',
    `is required: licenses of ${slug} are FLOATING, which mappings cannot sell`,
  );
}

/** As a license of that type gets its end when nobody names one (D47). */
async function usualDays(
  ctx: Ctx,
  { licenseType, policyId }: ProductMapping,
  product: products.Product,
): Promise<number | null> {
  if (licenseType === 'PERPETUAL') return null;
  const effective = policyId ?? product.policyId;
  const policy = effective === null ? null : await policies.find(ctx, effective);
  return policy?.defaultDurationDays ?? product.defaultDurationDays;
}

async function storing(externalProductId: string, written: Promise<void>): Promise<void> {
  try {
    await written;
  } catch (error) {
    if (isUniqueViolation(error))
      throw fail('CONFLICT', `${externalProductId} is already mapped`, { details: { reason: 'DUPLICATE' } });
    if (isForeignKeyViolation(error))
      throw fail('NOT_FOUND', 'the product or policy was deleted in the meantime');
    throw error;
  }
}

const wrong = (path: string, rule: string, message: string) =>
  fail('VALIDATION_ERROR', `${path} ${message}`, { details: { issues: [{ path, rule, message }] } });

type MappingEvent = 'PRODUCT_MAPPED' | 'PRODUCT_MAPPING_UPDATED' | 'PRODUCT_UNMAPPED';

/** It belongs to the timeline of its integration. */
const tell = (
  ctx: Ctx,
  type: MappingEvent,
  { id, configId, externalProductId, productId, productSlug }: ProductMapping,
  { note }: ChangeOptions,
  sides: { before?: ProductMapping; after?: ProductMapping },
): Promise<void> => {
  const told = { mappingId: id, externalProductId, productId, product: productSlug, ...(note && { note }) };
  return integrationEvents.tell(ctx, type, configId, told, { ...sides, note });
};

function missing(named: string): never {
  throw fail('NOT_FOUND', `mapping ${named} was not found`, {
    details: { hint: 'appctl integration show INTEGRATION lists the mappings' },
  });
}
