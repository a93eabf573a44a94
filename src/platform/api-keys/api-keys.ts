import { addSeconds } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { newToken } from '#kernel/crypto.ts';
import { parseRange } from '#kernel/http/client-address.ts';
import { LONGEST_WINDOW_SECONDS, MOST_REQUESTS, type OwnLimit, UNLIMITED } from '#kernel/http/rate-limit.ts';
import { requireProductsWithin } from '#kernel/service/confined.ts';
import { fail, invalidField } from '#kernel/service/errors.ts';
import { type Condition, requireUnchanged } from '#kernel/service/precondition.ts';
import { apiKeyEvents } from './events.ts';
import { type ApiKey, ids, type Service } from './record.ts';
import * as repo from './repository.ts';

/** `alk_` opens the license API, `ask_` the store's (D19b, M10). */
const TOKEN_PREFIX: Record<Service, string> = { license: 'alk_', store: 'ask_' };
const SHOWN_CHARACTERS = 8;
const MAX_RANGES = 50;
const MAX_ORIGINS = 20;

/** In which state a key may be changed, and why it is. */
interface How extends Condition {
  readonly note?: string | undefined;
}

export interface ApiKeyInput {
  service: Service;
  name: string;
  /** The one scope of a license key; null for the store. */
  scope: string | null;
  scopes: string[];
  /** null opens all products. */
  productIds?: string[] | null;
  /** IP addresses and CIDR blocks; empty opens all. */
  ipAllowlist?: string[];
  allowedOrigins?: string[];
  /** Own limits by bucket; null in place of one takes it away, null for all of them. */
  limits?: Record<string, OwnLimit | null> | null;
  /** ISO time, or null for never. */
  expiresAt?: string | null;
}

/**
 * Makes an API key. The secret is returned once and stored as a keyed hash only.
 *
 * @throws AppError VALIDATION_ERROR for a bad name, range, origin or a past expiry
 */
export async function create(
  ctx: Ctx,
  input: ApiKeyInput,
  { note }: How = {},
): Promise<{ apiKey: ApiKey; secret: string }> {
  check(ctx, input);
  requireProductsWithin(ctx.actor, input.productIds ?? null);
  const secret = newToken(TOKEN_PREFIX[input.service]);
  return ctx.tx(async (ctx) => {
    const now = ctx.now();
    const apiKey: ApiKey = {
      id: ctx.newId(ids.apiKey),
      service: input.service,
      tenantId: ctx.tenantId,
      name: input.name.trim(),
      prefix: secret.slice(0, SHOWN_CHARACTERS),
      scope: input.scope,
      scopes: input.scopes,
      productIds: input.productIds ?? null,
      ipAllowlist: input.ipAllowlist ?? [],
      allowedOrigins: input.allowedOrigins ?? [],
      limits: mergeLimits(null, input.limits ?? null),
      expiresAt: input.expiresAt ?? null,
      previousUntil: null,
      revokedAt: null,
      lastUsedAt: null,
      createdAt: now,
      updatedAt: now,
    };
    await repo.insert(ctx, apiKey, hashOf(ctx, secret));
    await apiKeyEvents.tell(
      ctx,
      'API_KEY_CREATED',
      apiKey.id,
      { name: apiKey.name, scopes: apiKey.scopes },
      { after: apiKey, note },
    );
    ctx.origin.keepSecret?.(secret);
    return { apiKey, secret };
  });
}

/** A key of a service: one of the other service is as unknown as any. @throws AppError NOT_FOUND */
export async function get(ctx: Ctx, service: Service, id: string): Promise<ApiKey> {
  return (await repo.find(ctx, service, id)) ?? missing(id);
}

/**
 * Changes what may change of a key; scope and service are fixed. Of the limits those that are named.
 *
 * @throws AppError NOT_FOUND, VALIDATION_ERROR, PRECONDITION_FAILED
 */
export async function update(
  ctx: Ctx,
  service: Service,
  id: string,
  changes: Partial<
    Pick<ApiKeyInput, 'name' | 'productIds' | 'ipAllowlist' | 'allowedOrigins' | 'limits' | 'expiresAt'>
  >,
  { ifMatch, note }: How = {},
): Promise<ApiKey> {
  return ctx.tx(async (ctx) => {
    const before = (await repo.lock(ctx, service, id)) ?? missing(id);
    requireUnchanged(id, before.updatedAt, ifMatch);
    const { limits, ...others } = changes;
    const after: ApiKey = {
      ...before,
      ...others,
      ...(limits !== undefined && { limits: mergeLimits(before.limits, limits) }),
      updatedAt: ctx.now(),
    };
    // An expired key may still be renamed: only a new date has to lie ahead.
    check(ctx, { ...after, expiresAt: changes.expiresAt ?? null });
    requireProductsWithin(ctx.actor, after.productIds);
    await repo.update(ctx, after);
    const told = { before, after, note };
    await apiKeyEvents.tell(ctx, 'API_KEY_UPDATED', id, { changed: Object.keys(changes) }, told);
    return after;
  });
}

/** The limits after a change that names some of them. */
function mergeLimits(before: ApiKey['limits'], changes: ApiKeyInput['limits']): ApiKey['limits'] {
  const after: Record<string, OwnLimit> = changes === null ? {} : { ...before };
  for (const [bucket, limit] of Object.entries(changes ?? {})) {
    if (limit === null) delete after[bucket];
    else after[bucket] = limit;
  }
  return Object.keys(after).length === 0 ? null : after;
}

/** Ends a key at once; again is no error. @throws AppError NOT_FOUND */
export async function revoke(ctx: Ctx, service: Service, id: string, { note }: How = {}): Promise<ApiKey> {
  return ctx.tx(async (ctx) => {
    const before = (await repo.lock(ctx, service, id)) ?? missing(id);
    if (before.revokedAt !== null) return before;
    const now = ctx.now();
    const after = { ...before, revokedAt: now, updatedAt: now };
    await repo.update(ctx, after);
    await apiKeyEvents.tell(ctx, 'API_KEY_REVOKED', id, { name: before.name }, { before, after, note });
    return after;
  });
}

/**
 * Gives a key a new secret.
 *
 * @param overlapSeconds 0 to 604,800: how long the old secret stays valid
 * @throws AppError NOT_FOUND; CONFLICT for a revoked key
 */
export async function rotate(
  ctx: Ctx,
  service: Service,
  id: string,
  overlapSeconds: number,
  { note }: How = {},
): Promise<{ apiKey: ApiKey; secret: string }> {
  return ctx.tx(async (ctx) => {
    const before = (await repo.lock(ctx, service, id)) ?? missing(id);
    if (before.revokedAt !== null) throw fail('CONFLICT', `API key ${id} is revoked`);
    const secret = newToken(TOKEN_PREFIX[before.service]);
    const prefix = secret.slice(0, SHOWN_CHARACTERS);
    const updatedAt = ctx.now();
    const previousUntil = overlapSeconds === 0 ? null : addSeconds(updatedAt, overlapSeconds);
    const after = { ...before, prefix, previousUntil, updatedAt };
    await repo.rotate(ctx, id, { keyHash: hashOf(ctx, secret), prefix, previousUntil, updatedAt });
    await apiKeyEvents.tell(ctx, 'API_KEY_ROTATED', id, { previousUntil }, { before, after, note });
    ctx.origin.keepSecret?.(secret);
    return { apiKey: after, secret };
  });
}

/** The keyed hash under which a secret is stored and found. */
export const hashOf = (ctx: Ctx, secret: string): string => ctx.keyring.digest('api-key', secret);

function check(
  ctx: Ctx,
  input: Pick<ApiKeyInput, 'name' | 'ipAllowlist' | 'allowedOrigins' | 'limits' | 'expiresAt'>,
): void {
  const length = [...input.name.trim()].length;
  if (length < 1 || length > 100) throw invalidField('name', 'must have 1 to 100 characters');
  const ranges = input.ipAllowlist ?? [];
  if (ranges.length > MAX_RANGES) throw invalidField('ipAllowlist', `holds at most ${MAX_RANGES} entries`);
  for (const range of ranges) checkRange(range);
  const origins = input.allowedOrigins ?? [];
  if (origins.length > MAX_ORIGINS)
    throw invalidField('allowedOrigins', `holds at most ${MAX_ORIGINS} entries`);
  for (const origin of origins) {
    if (!URL.canParse(origin) || new URL(origin).origin !== origin)
      throw invalidField('allowedOrigins', `${origin} is not an origin`);
  }
  for (const [bucket, limit] of Object.entries(input.limits ?? {})) checkLimit(bucket, limit);
  if (input.expiresAt && input.expiresAt <= ctx.now())
    throw invalidField('expiresAt', 'must be in the future');
}

function checkLimit(bucket: string, limit: OwnLimit | null): void {
  if (limit === null) return;
  const isWithin = (value: number, least: number, most: number) =>
    Number.isInteger(value) && value >= least && value <= most;
  if (!isWithin(limit.max, UNLIMITED, MOST_REQUESTS))
    throw invalidField(`limits.${bucket}.max`, `must be a whole number up to ${MOST_REQUESTS}`);
  if (!isWithin(limit.windowSeconds, 1, LONGEST_WINDOW_SECONDS))
    throw invalidField(
      `limits.${bucket}.windowSeconds`,
      `must be a whole number from 1 to ${LONGEST_WINDOW_SECONDS}`,
    );
}

function checkRange(range: string): void {
  try {
    parseRange(range);
  } catch (error) {
    throw invalidField('ipAllowlist', (error as Error).message);
  }
}

function missing(id: string): never {
  throw fail('NOT_FOUND', `API key ${id} was not found`, {
    details: { hint: 'appctl apikey list' },
  });
}
