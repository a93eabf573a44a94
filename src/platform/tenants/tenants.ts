import type { Ctx } from '#kernel/context.ts';
import { isUniqueViolation } from '#kernel/db/dialect.ts';
import type { NameOf } from '#kernel/events.ts';
import { requireUnconfined } from '#kernel/service/confined.ts';
import { changesBetween } from '#kernel/service/diff.ts';
import { fail } from '#kernel/service/errors.ts';
import { isSlug } from '#kernel/service/fields.ts';
import { checkInput, sentFields } from '#kernel/service/input.ts';
import { type Page, type PageAsked, pageOf, sliceOf } from '#kernel/service/pagination.ts';
import { type Condition, requireUnchanged } from '#kernel/service/precondition.ts';
import { tenantEvents } from './events.ts';
import { tenantRows } from './queries.ts';
import { ids, type Tenant } from './record.ts';
import * as repo from './repository.ts';
import { TenantCreate, type TenantCreateInput, TenantUpdate, type TenantUpdateInput } from './schemas.ts';

/** The tenant that always exists (D132); the first migration makes it. */
export const DEFAULT_TENANT_ID = 'ten_00000000000000000000000001';

/** A suspended tenant's API keys open nothing (licensing section 2.2). The default tenant cannot be suspended. */
export const isSuspended = async (ctx: Ctx, id: string): Promise<boolean> =>
  id !== DEFAULT_TENANT_ID && (await repo.findStatus(ctx, id)) !== 'ACTIVE';

/** Id of the tenant with this slug. @throws AppError NOT_FOUND */
export async function idOfSlug(ctx: Ctx, slug: string): Promise<string> {
  const id = await findBySlug(ctx, slug);
  return id ?? missing(slug);
}

/** Anybody may send any text for one: what is not a valid slug is not looked for. */
const findBySlug = async (ctx: Ctx, slug: string): Promise<string | null> =>
  isSlug(slug) ? repo.findIdBySlug(ctx, slug) : null;

/**
 * The tenant of a request that carries no credential (D99): the one it names, else the one that answers under the host
 * name, else `default`.
 *
 * @param host as the header Host says it, with or without a port
 * @throws AppError NOT_FOUND for a slug that no active tenant has, and for the host name of a suspended one
 */
export async function idOfVisitor(
  ctx: Ctx,
  slug: string | undefined,
  host: string | undefined,
): Promise<string> {
  const name = host?.replace(/:\d*$/, '').toLowerCase() ?? '';
  const id =
    slug === undefined
      ? ((await repo.findIdByHost(ctx, name)) ?? DEFAULT_TENANT_ID)
      : await findBySlug(ctx, slug);
  // Under the host name of a suspended tenant nobody else answers: its clients must not take other keys for its own.
  if (id === null || (await isSuspended(ctx, id))) throw fail('NOT_FOUND', 'Tenant not found');
  return id;
}

/** Who runs the installation decides on its tenants; the staff of one does not. @throws AppError INSUFFICIENT_SCOPE */
function requireOperator({ actor }: Ctx): void {
  requireUnconfined(actor, 'tenant');
  requireUnconfined(actor, 'license_product');
}

/**
 * Makes a tenant: its products, customers, licenses and API keys are its own, and nothing of it is visible to
 * another (D132).
 *
 * @throws AppError VALIDATION_ERROR; CONFLICT for a taken slug or host name
 */
export async function create(ctx: Ctx, input: TenantCreateInput): Promise<Tenant> {
  requireOperator(ctx);
  const { slug, name, hostnames = [] } = checkInput(TenantCreate, input);
  return ctx.tx(async (ctx) => {
    await repo.lockAll(ctx);
    const now = ctx.now();
    const tenant: Tenant = {
      id: ctx.newId(ids.tenant),
      slug,
      name,
      hostnames: [...new Set(hostnames)],
      status: 'ACTIVE',
      defaultKeyFormatId: null,
      createdAt: now,
      updatedAt: now,
    };
    await refuseTakenHosts(ctx, tenant);
    await storing(slug, repo.insert(ctx, tenant));
    await tell(ctx, 'TENANT_CREATED', tenant, null);
    return tenant;
  });
}

/** One page of the tenants that the actor may see, by name. */
export async function list(ctx: Ctx, asked: PageAsked): Promise<Page<Tenant>> {
  return pageOf(asked, await tenantRows.page(ctx, sliceOf(asked)));
}

/** The tenant of an id or a slug. @throws AppError NOT_FOUND */
export const get = async (ctx: Ctx, idOrSlug: string): Promise<Tenant> =>
  (await repo.find(ctx, idOrSlug)) ?? missing(idOrSlug);

/**
 * Changes a tenant; what is not sent stays. The slug of `default` is fixed: commands without `--tenant` mean it.
 *
 * @throws AppError NOT_FOUND; VALIDATION_ERROR; CONFLICT as in `create`; PRECONDITION_FAILED when it was changed since
 *   it was read
 */
export async function update(
  ctx: Ctx,
  idOrSlug: string,
  input: TenantUpdateInput,
  condition: Condition = {},
): Promise<Tenant> {
  const sent = sentFields(checkInput(TenantUpdate, input));
  return ctx.tx(async (ctx) => {
    const before = await lock(ctx, idOrSlug, condition);
    if (before.id === DEFAULT_TENANT_ID && sent.slug !== undefined && sent.slug !== before.slug) {
      throw fail('CONFLICT', 'the slug of the default tenant cannot change');
    }
    const merged = { ...before, ...sent, hostnames: [...new Set(sent.hostnames ?? before.hostnames)] };
    const diff = changesBetween(before, merged);
    if (Object.keys(diff).length === 0) return before;
    const after = { ...merged, updatedAt: ctx.now() };
    await refuseTakenHosts(ctx, after);
    await storing(after.slug, repo.update(ctx, after));
    await tell(ctx, 'TENANT_UPDATED', after, before);
    return after;
  });
}

/**
 * Closes a tenant: its API keys answer 403 from now on, its data stays (licensing 2.2). Again: unchanged.
 *
 * @throws AppError NOT_FOUND; CONFLICT for the default tenant
 */
export const suspend = (ctx: Ctx, idOrSlug: string, condition: Condition = {}): Promise<Tenant> =>
  setStatus(ctx, idOrSlug, { status: 'SUSPENDED', type: 'TENANT_SUSPENDED', ...condition });

/** Opens a suspended tenant again. Again: unchanged. @throws AppError NOT_FOUND */
export const reinstate = (ctx: Ctx, idOrSlug: string, condition: Condition = {}): Promise<Tenant> =>
  setStatus(ctx, idOrSlug, { status: 'ACTIVE', type: 'TENANT_REINSTATED', ...condition });

async function setStatus(
  ctx: Ctx,
  idOrSlug: string,
  {
    status,
    type,
    ...condition
  }: Condition & { status: Tenant['status']; type: 'TENANT_SUSPENDED' | 'TENANT_REINSTATED' },
): Promise<Tenant> {
  return ctx.tx(async (ctx) => {
    // As `update`, which writes whole rows: it would write back the status that it has read.
    const before = await lock(ctx, idOrSlug, condition);
    const { id } = before;
    if (id === DEFAULT_TENANT_ID && status === 'SUSPENDED') {
      throw fail('CONFLICT', 'the default tenant cannot be suspended', {
        details: { hint: 'stop the server instead, or revoke API keys: appctl apikey revoke ID' },
      });
    }
    const changed = await repo.setStatus(ctx, id, status);
    const tenant = await get(ctx, id);
    if (changed) await tell(ctx, type, tenant, before);
    return tenant;
  });
}

async function lock(ctx: Ctx, idOrSlug: string, { ifMatch }: Condition): Promise<Tenant> {
  await repo.lockAll(ctx);
  const tenant = await get(ctx, idOrSlug);
  requireOperator(ctx);
  requireUnchanged(tenant.slug, tenant.updatedAt, ifMatch);
  return tenant;
}

async function refuseTakenHosts(ctx: Ctx, { id, hostnames }: Tenant): Promise<void> {
  const holder = await repo.findHolder(ctx, hostnames, id);
  if (!holder) return;
  throw fail('CONFLICT', `host name ${holder.hostname} belongs to tenant ${holder.slug}`, {
    details: { reason: 'DUPLICATE', hint: `appctl tenant show ${holder.slug}` },
  });
}

/** The index decides whether a slug is free, so that two at once cannot both find it so. */
async function storing(slug: string, written: Promise<void>): Promise<void> {
  try {
    await written;
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw fail('CONFLICT', `slug ${slug} is taken by another tenant`, {
      details: { reason: 'DUPLICATE', hint: `appctl tenant show ${slug}` },
    });
  }
}

const tell = (
  ctx: Ctx,
  type: NameOf<typeof tenantEvents>,
  after: Tenant,
  before: Tenant | null,
): Promise<void> =>
  tenantEvents.tell(
    ctx.with({ tenantId: after.id }),
    type,
    after.id,
    { slug: after.slug },
    { before, after },
  );

function missing(idOrSlug: string): never {
  throw fail('NOT_FOUND', `tenant ${idOrSlug} was not found`, { details: { hint: 'appctl tenant list' } });
}
