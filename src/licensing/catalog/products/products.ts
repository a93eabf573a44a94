import type { Ctx } from '#kernel/context.ts';
import { isForeignKeyViolation, isUniqueViolation } from '#kernel/db/dialect.ts';
import { requireUnconfined } from '#kernel/service/confined.ts';
import { changesBetween } from '#kernel/service/diff.ts';
import { isSlug } from '#kernel/service/fields.ts';
import { checkInput, sentFields } from '#kernel/service/input.ts';
import { type Page, type PageAsked, pageOf, sliceOf } from '#kernel/service/pagination.ts';
import { type Condition, requireUnchanged } from '#kernel/service/precondition.ts';
import { PRODUCT_STATUSES, type ProductStatus } from '#licensing/contract/enumerations.ts';
import { fail } from '#licensing/contract/errors.ts';
import { ids } from '#licensing/contract/ids.ts';
import * as keyFormats from '../key-formats/index.ts';
import * as policies from '../policies/index.ts';
import { productEvents } from './events.ts';
import { productRows } from './queries.ts';
import type { Product } from './record.ts';
import * as repo from './repository.ts';
import {
  ProductCreate,
  type ProductCreateInput,
  type ProductPublicReply,
  ProductUpdate,
  type ProductUpdateInput,
} from './schemas.ts';

/**
 * Makes a product (licensing 4.2). Left out: DESKTOP, ACTIVE, STANDARD, PERPETUAL licenses with one activation.
 *
 * @param input policyId and keyFormatId may be names
 * @throws AppError VALIDATION_ERROR; NOT_FOUND for an unknown policy or key format; CONFLICT for a taken slug
 */
export async function create(ctx: Ctx, input: ProductCreateInput): Promise<Product> {
  requireUnconfined(ctx.actor, 'license_product');
  const checked = checkInput(ProductCreate, input);
  return ctx.tx(async (ctx) => {
    const now = ctx.now();
    const product: Product = {
      id: ctx.newId(ids.product),
      tenantId: ctx.tenantId,
      type: 'DESKTOP',
      status: 'ACTIVE',
      licensingMode: 'STANDARD',
      defaultLicenseType: 'PERPETUAL',
      defaultMaxActivations: 1,
      defaultDurationDays: null,
      prereleaseNeedsBeta: false,
      criticalUpdatesForExpired: false,
      statementRequired: false,
      metadata: {},
      ...sentFields(checked),
      name: checked.name,
      slug: checked.slug,
      policyId: await policyIdOf(ctx, checked.policyId ?? null),
      keyFormatId: await keyFormatIdOf(ctx, checked.keyFormatId ?? null),
      createdAt: now,
      updatedAt: now,
    };
    await storing(product.slug, repo.insert(ctx, product));
    await productEvents.tell(ctx, 'PRODUCT_CREATED', product.id, toldOf(product), { after: product });
    return product;
  });
}

/** One page of the products that the actor may see, by name. */
export async function list(
  ctx: Ctx,
  asked: PageAsked & { status?: ProductStatus | undefined; q?: string | undefined },
): Promise<Page<Product>> {
  const filters = { status: asked.status && [asked.status] };
  return pageOf(asked, await productRows.page(ctx, { ...sliceOf(asked), q: asked.q, filters }));
}

/** What an application may list: ACTIVE products only (spec GET /api/v1/products; D29, D43). */
export async function listPublic(ctx: Ctx, asked: PageAsked): Promise<Page<ProductPublicReply>> {
  const { items, pagination } = await list(ctx, { ...asked, status: 'ACTIVE' });
  return { items: items.map(publicOf), pagination };
}

/** A product, and the policies that a license of it may have: its own one first, then the others by name. */
export interface PickableProduct
  extends Pick<Product, 'id' | 'name' | 'slug' | 'status' | 'defaultMaxActivations'> {
  readonly defaultType: Product['defaultLicenseType'];
  readonly policies: readonly { readonly id: string; readonly name: string }[];
}

/** More policies than anybody picks from. */
const MOST_POLICIES = 500;

/** Products for a picker, by name, in every status: what has been sold stays sellable to the shop (D43). */
export async function pickable(
  ctx: Ctx,
  { q, limit }: { q?: string | undefined; limit: number },
): Promise<PickableProduct[]> {
  const { items } = await productRows.page(ctx, { q, offset: 0, limit });
  const { items: all } = await policies.policyRows.page(ctx, { offset: 0, limit: MOST_POLICIES });
  const named = all.map(({ id, name }) => ({ id, name }));
  return items.map(({ id, name, slug, status, defaultMaxActivations, defaultLicenseType, policyId }) => ({
    ...{ id, name, slug, status, defaultMaxActivations, defaultType: defaultLicenseType },
    policies: [...named.filter((one) => one.id === policyId), ...named.filter((one) => one.id !== policyId)],
  }));
}

/** The product, or null: unknown, of another tenant, or outside the API key. */
export const find = (ctx: Ctx, idOrSlug: string): Promise<Product | null> => repo.find(ctx, idOrSlug);

/** Id of the product with a slug of the ctx's tenant, or null; for events, which name their product by slug. */
export const idOfSlug = async (ctx: Ctx, slug: string): Promise<string | null> =>
  isSlug(slug) ? repo.idOfSlug(ctx, slug) : null;

/** @throws AppError NOT_FOUND */
export const get = async (ctx: Ctx, idOrSlug: string): Promise<Product> =>
  (await repo.find(ctx, idOrSlug)) ?? missing(idOrSlug);

/**
 * Changes fields of a product; what is not sent stays, null clears. A call that changes nothing writes nothing.
 *
 * @param input policyId and keyFormatId may be names
 * @throws AppError VALIDATION_ERROR; NOT_FOUND for the product, policy or key format; CONFLICT for a taken slug;
 *   PRECONDITION_FAILED when it was changed since it was read
 */
export async function update(
  ctx: Ctx,
  idOrSlug: string,
  input: ProductUpdateInput,
  condition: Condition = {},
): Promise<Product> {
  const sent = sentFields(checkInput(ProductUpdate, input));
  return ctx.tx(async (ctx) => {
    const before = await lock(ctx, idOrSlug, condition);
    if (sent.slug !== undefined && sent.slug !== before.slug) await refuseFrozenSlug(ctx, before);
    const after: Product = { ...before, ...sent };
    if (sent.policyId) after.policyId = await policyIdOf(ctx, sent.policyId);
    if (sent.keyFormatId) after.keyFormatId = await keyFormatIdOf(ctx, sent.keyFormatId);
    return replace(ctx, 'PRODUCT_UPDATED', before, after);
  });
}

/** Clients have the slug in the address of the public key, and statements are signed for it (D45). */
async function refuseFrozenSlug(ctx: Ctx, { id, slug }: Product): Promise<void> {
  if (!(await repo.hasPublished(ctx, id))) return;
  throw fail('CONFLICT', `slug ${slug} cannot change: a release of the product was published with it`, {
    details: { reason: 'SLUG_FROZEN', hint: 'the name can change: appctl product update --name' },
  });
}

/**
 * Moves a product to a status; every transition is free, the same status again changes nothing (D43).
 *
 * @throws AppError NOT_FOUND, VALIDATION_ERROR; PRECONDITION_FAILED when it was changed since it was read
 */
export async function setStatus(
  ctx: Ctx,
  idOrSlug: string,
  status: ProductStatus,
  condition: Condition = {},
): Promise<Product> {
  if (!PRODUCT_STATUSES.includes(status)) {
    throw fail('VALIDATION_ERROR', `status must be one of ${PRODUCT_STATUSES.join(', ')}`);
  }
  return ctx.tx(async (ctx) => {
    const before = await lock(ctx, idOrSlug, condition);
    return replace(ctx, 'PRODUCT_STATUS_CHANGED', before, { ...before, status });
  });
}

/**
 * Deletes a product that never had a license, with its signing keys (licensing 4.2).
 *
 * @throws AppError NOT_FOUND; CONFLICT while licenses, releases or anything else belong to it; PRECONDITION_FAILED
 */
export async function remove(ctx: Ctx, idOrSlug: string, condition: Condition = {}): Promise<void> {
  await ctx.tx(async (ctx) => {
    // Under the row's lock no license can join: its foreign key has to wait.
    const product = await lock(ctx, idOrSlug, condition);
    refuseOwner(product.slug, await repo.countOwned(ctx, product.id));
    const signingKeyIds = await repo.listSigningKeyIds(ctx, product.id);
    // Its signing keys are deleted by who owns them, who hears of it here: they must go before the product.
    await productEvents.tell(
      ctx,
      'PRODUCT_DELETED',
      product.id,
      { ...toldOf(product), signingKeyIds },
      { before: product },
    );
    await removeRow(ctx, product);
  });
}

function refuseOwner(slug: string, { licenses, honeypots, releases }: repo.Owned): void {
  const count = (n: number, what: string): string => `has ${n} ${what}${n === 1 ? '' : 's'}`;
  if (licenses > 0) throw inUse(slug, count(licenses, 'license'), { licenses });
  const owned = [
    { n: honeypots, what: 'honeypot', facts: { honeypots, hint: 'appctl honeypot list' } },
    { n: releases, what: 'release', facts: { releases, hint: `appctl release list --product ${slug}` } },
  ];
  for (const { n, what, facts } of owned) if (n > 0) throw inUse(slug, count(n, what), facts);
}

async function removeRow(ctx: Ctx, product: Product): Promise<void> {
  try {
    await repo.remove(ctx, product.id);
  } catch (error) {
    if (isForeignKeyViolation(error)) throw inUse(product.slug, 'is still in use');
    throw error;
  }
}

async function lock(ctx: Ctx, idOrSlug: string, { ifMatch }: Condition): Promise<Product> {
  const product = (await repo.lock(ctx, idOrSlug)) ?? missing(idOrSlug);
  requireUnchanged(product.slug, product.updatedAt, ifMatch);
  return product;
}

async function replace(
  ctx: Ctx,
  type: 'PRODUCT_UPDATED' | 'PRODUCT_STATUS_CHANGED',
  before: Product,
  wanted: Product,
): Promise<Product> {
  const diff = changesBetween(before, wanted);
  if (Object.keys(diff).length === 0) return before;
  const after = { ...wanted, updatedAt: ctx.now() };
  await storing(after.slug, repo.update(ctx, after));
  await productEvents.tell(ctx, type, after.id, toldOf(after), { before, after });
  return after;
}

const policyIdOf = async (ctx: Ctx, named: string | null): Promise<string | null> =>
  named === null ? null : (await policies.get(ctx, named)).id;

const keyFormatIdOf = async (ctx: Ctx, named: string | null): Promise<string | null> =>
  named === null ? null : (await keyFormats.get(ctx, named)).id;

/** The index decides whether a slug is free, so that two at once cannot both find it so. */
async function storing(slug: string, written: Promise<void>): Promise<void> {
  try {
    await written;
  } catch (error) {
    if (isUniqueViolation(error)) {
      throw fail('CONFLICT', `slug ${slug} is taken by another product`, {
        details: { reason: 'DUPLICATE', hint: `appctl product show ${slug}` },
      });
    }
    if (isForeignKeyViolation(error))
      throw fail('NOT_FOUND', 'the policy or key format was deleted in the meantime');
    throw error;
  }
}

const publicOf = (product: Product): ProductPublicReply => ({
  id: product.id,
  name: product.name,
  slug: product.slug,
  type: product.type,
  status: product.status,
  licensingMode: product.licensingMode,
  defaultLicenseType: product.defaultLicenseType,
  defaultMaxActivations: product.defaultMaxActivations,
  createdAt: product.createdAt,
});

const toldOf = ({ slug, name, status }: Product) => ({ slug, name, status });

const inUse = (slug: string, why: string, facts: Record<string, unknown> = {}) =>
  fail('CONFLICT', `product ${slug} ${why} and cannot be deleted`, {
    details: { reason: 'IN_USE', hint: `appctl product discontinue ${slug}`, ...facts },
  });

function missing(idOrSlug: string): never {
  throw fail('NOT_FOUND', `product ${idOrSlug} was not found`, { details: { hint: 'appctl product list' } });
}
