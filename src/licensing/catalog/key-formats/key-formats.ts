import type { Ctx } from '#kernel/context.ts';
import { isForeignKeyViolation, isUniqueViolation } from '#kernel/db/dialect.ts';
import { secureRandom } from '#kernel/random.ts';
import { requireUnconfined } from '#kernel/service/confined.ts';
import { changesBetween } from '#kernel/service/diff.ts';
import { checkInput, sentFields } from '#kernel/service/input.ts';
import { type Page, type PageAsked, pageOf, sliceOf } from '#kernel/service/pagination.ts';
import { requireUnchanged } from '#kernel/service/precondition.ts';
import { fail } from '#licensing/contract/errors.ts';
import { ids } from '#licensing/contract/ids.ts';
import { defaultKeyFormat, findDefault, isDefault } from './default-format.ts';
import { keyFormatEvents } from './events.ts';
import { DEFAULT_KEY_FORMAT, entropyBits, type KeyFormat, keyLength } from './format.ts';
import { generateKey } from './generate.ts';
import { keyFormatRows } from './queries.ts';
import type { StoredKeyFormat } from './record.ts';
import * as repo from './repository.ts';
import { KeyFormatCreate, type KeyFormatCreateInput, KeyFormatPreviewBody, keyFormatOf } from './schemas.ts';

/** What changes of a key format; it affects new keys only (D133). */
export type KeyFormatUpdateInput = {
  [K in keyof KeyFormatCreateInput]?: KeyFormatCreateInput[K] | undefined;
};

/** What the keys of a format look like. */
export interface KeyFormatPreview {
  /** Five keys that belong to nobody. */
  samples: string[];
  /** Whole bits of randomness. */
  entropyBits: number;
  /** Characters of a key. */
  length: number;
}

const SAMPLES = 5;

/**
 * How keys of a product are drawn: its own format, else the tenant's, else that of the setting, else the built-in one
 * (D56). One query where the setting names none.
 */
export const formatOf = async (ctx: Ctx, product: { keyFormatId: string | null }): Promise<KeyFormat> =>
  (await repo.findInForce(ctx, product.keyFormatId)) ?? (await findDefault(ctx)) ?? DEFAULT_KEY_FORMAT;

/** Samples, bits and length of a format that is known to be good. */
export const previewOf = (format: KeyFormat): KeyFormatPreview => ({
  samples: Array.from({ length: SAMPLES }, () => generateKey(format, secureRandom)),
  entropyBits: Math.floor(entropyBits(format)),
  length: keyLength(format),
});

/**
 * Shows what the keys of a format would look like, without storing it (D133).
 *
 * @throws AppError VALIDATION_ERROR, also for a format with too few bits or an impossible length
 */
export const preview = (input: Omit<KeyFormatCreateInput, 'name'>): KeyFormatPreview =>
  previewOf(keyFormatOf(checkInput(KeyFormatPreviewBody, input)));

/**
 * Makes a key format (D133).
 *
 * @throws AppError VALIDATION_ERROR; CONFLICT for a taken name
 */
export async function create(ctx: Ctx, input: KeyFormatCreateInput): Promise<StoredKeyFormat> {
  const checked = checkInput(KeyFormatCreate, input);
  return ctx.tx(async (ctx) => {
    const now = ctx.now();
    const format: StoredKeyFormat = {
      id: ctx.newId(ids.keyFormat),
      tenantId: ctx.tenantId,
      name: checked.name,
      ...keyFormatOf(checked),
      createdAt: now,
      updatedAt: now,
    };
    await storing(format.name, repo.insert(ctx, format));
    await keyFormatEvents.tell(
      ctx,
      'KEY_FORMAT_CREATED',
      format.id,
      { name: format.name },
      { after: format },
    );
    return format;
  });
}

/** One page of the tenant's key formats, by name. */
export async function list(ctx: Ctx, asked: PageAsked): Promise<Page<StoredKeyFormat>> {
  return pageOf(asked, await keyFormatRows.page(ctx, sliceOf(asked)));
}

/** The key format, or null: unknown or of another tenant. */
export const find = (ctx: Ctx, idOrName: string): Promise<StoredKeyFormat | null> => repo.find(ctx, idOrName);

/** @throws AppError NOT_FOUND */
export const get = (ctx: Ctx, idOrName: string): Promise<StoredKeyFormat> => repo.get(ctx, idOrName);

/**
 * Changes a key format; what is not sent stays. Keys that exist keep their form (D133).
 *
 * @throws AppError NOT_FOUND; VALIDATION_ERROR, also when the merged format is too weak; CONFLICT for a taken name,
 *   and for a new one while the setting names the format
 */
export async function update(
  ctx: Ctx,
  idOrName: string,
  input: KeyFormatUpdateInput,
  { ifMatch }: { ifMatch?: string | undefined } = {},
): Promise<StoredKeyFormat> {
  requireUnconfined(ctx.actor, 'license_product');
  return ctx.tx(async (ctx) => {
    const before = (await repo.lock(ctx, idOrName)) ?? repo.missing(idOrName);
    requireUnchanged(before.name, before.updatedAt, ifMatch);
    const { id, tenantId, createdAt, updatedAt, ...fields } = before;
    const checked = checkInput(KeyFormatCreate, { ...fields, ...sentFields(input) });
    const merged = { ...before, name: checked.name, ...keyFormatOf(checked) };
    const diff = changesBetween(before, merged);
    if (Object.keys(diff).length === 0) return before;
    if (merged.name !== before.name && isDefault(ctx, before)) throw namedBySetting(before.name, 'renamed');
    const after = { ...merged, updatedAt: ctx.now() };
    await storing(after.name, repo.update(ctx, after));
    await keyFormatEvents.tell(ctx, 'KEY_FORMAT_UPDATED', after.id, { name: after.name }, { before, after });
    return after;
  });
}

/**
 * Deletes a key format that nothing names.
 *
 * @throws AppError NOT_FOUND; CONFLICT while a product, the tenant or the setting names it
 */
export async function remove(
  ctx: Ctx,
  idOrName: string,
  { ifMatch }: { ifMatch?: string | undefined } = {},
): Promise<void> {
  requireUnconfined(ctx.actor, 'license_product');
  await ctx.tx(async (ctx) => {
    // Under the row's lock no product can begin to name it: the foreign key has to wait.
    const format = (await repo.lock(ctx, idOrName)) ?? repo.missing(idOrName);
    requireUnchanged(format.name, format.updatedAt, ifMatch);
    if (isDefault(ctx, format)) throw namedBySetting(format.name, 'deleted');
    const { products, isDefault: isOfTenant } = await repo.findUses(ctx, format.id);
    if (isOfTenant) throw inUse(format.name, 'the default of its tenant');
    if (products > 0)
      throw inUse(format.name, `named by ${products} ${products === 1 ? 'product' : 'products'}`);
    await removeRow(ctx, format);
    await keyFormatEvents.tell(
      ctx,
      'KEY_FORMAT_DELETED',
      format.id,
      { name: format.name },
      { before: format },
    );
  });
}

async function removeRow(ctx: Ctx, format: StoredKeyFormat): Promise<void> {
  try {
    await repo.remove(ctx, format.id);
  } catch (error) {
    if (isForeignKeyViolation(error)) throw inUse(format.name, 'still in use');
    throw error;
  }
}

const inUse = (name: string, why: string) =>
  fail('CONFLICT', `key format ${name} is ${why} and cannot be deleted`, {
    details: { reason: 'IN_USE', hint: 'appctl product list --json' },
  });

const namedBySetting = (name: string, verb: 'deleted' | 'renamed') =>
  fail(
    'CONFLICT',
    `key format ${name} is the default of the setting ${defaultKeyFormat.key} and cannot be ${verb}`,
    { details: { reason: 'IN_USE', hint: `appctl settings unset ${defaultKeyFormat.key}` } },
  );

/** The index decides whether a name is free, so that two at once cannot both find it so. */
async function storing(name: string, written: Promise<void>): Promise<void> {
  try {
    await written;
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw fail('CONFLICT', `name ${name} is taken by another key format`, {
      details: { reason: 'DUPLICATE', hint: `appctl keyformat show ${name}` },
    });
  }
}
