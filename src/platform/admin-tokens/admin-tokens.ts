import type { Ctx } from '#kernel/context.ts';
import { newToken } from '#kernel/crypto.ts';
import { textFault } from '#kernel/http/fields.ts';
import { fail, invalidField } from '#kernel/service/errors.ts';
import { isRole, ROLES } from '../permissions/index.ts';
import { adminTokenEvents } from './events.ts';
import { type AdminToken, ids } from './record.ts';
import * as repo from './repository.ts';

const SECRET_PREFIX = 'adm_';
const SHOWN_CHARACTERS = 8;
const LONGEST_NAME = 100;

export interface AdminTokenInput {
  /** 1 to 100 characters. */
  name: string;
  /** One of the system roles (admin.md 6.2). */
  role: string;
  /** Whether it opens every tenant of the installation, instead of the ctx's alone. */
  isInstanceWide?: boolean;
  /** ISO time, or null for never. */
  expiresAt?: string | null;
}

/**
 * Makes a bearer token of the admin APIs. The secret is returned once and stored as a keyed hash only (D19b, M10).
 *
 * @throws AppError VALIDATION_ERROR for a bad name, an unknown role or a past end
 */
export async function create(
  ctx: Ctx,
  input: AdminTokenInput,
): Promise<{ adminToken: AdminToken; secret: string }> {
  check(ctx, input);
  const secret = newToken(SECRET_PREFIX);
  return ctx.tx(async (ctx) => {
    const adminToken: AdminToken = {
      id: ctx.newId(ids.adminToken),
      name: input.name.trim(),
      role: input.role,
      tenantId: input.isInstanceWide ? null : ctx.tenantId,
      scopes: null,
      adminUserId: null,
      prefix: secret.slice(0, SHOWN_CHARACTERS),
      expiresAt: input.expiresAt ?? null,
      revokedAt: null,
      lastUsedAt: null,
      createdAt: ctx.now(),
    };
    await repo.insert(ctx, adminToken, hashOf(ctx, secret));
    const { name, role, tenantId, expiresAt } = adminToken;
    await adminTokenEvents.tell(ctx, 'ADMIN_TOKEN_CREATED', adminToken.id, {
      name,
      role,
      tenantId,
      expiresAt,
    });
    return { adminToken, secret };
  });
}

/** One page of the tokens that open the ctx's tenant, oldest first: its own and those of the whole installation. */
export const list = (
  ctx: Ctx,
  slice: { offset: number; limit: number },
): Promise<{ items: AdminToken[]; total: number }> => repo.list(ctx, slice);

/** A token that opens the ctx's tenant. @throws AppError NOT_FOUND */
export const get = async (ctx: Ctx, id: string): Promise<AdminToken> =>
  (await repo.find(ctx, id)) ?? missing(id);

/** Ends a token at once; again is no error. @throws AppError NOT_FOUND */
export async function revoke(ctx: Ctx, id: string): Promise<AdminToken> {
  return ctx.tx(async (ctx) => {
    const { name, role } = await get(ctx, id);
    if (await repo.revoke(ctx, id, ctx.now()))
      await adminTokenEvents.tell(ctx, 'ADMIN_TOKEN_REVOKED', id, { name, role });
    return get(ctx, id);
  });
}

/** The keyed hash under which a secret is stored and found. */
export const hashOf = (ctx: Ctx, secret: string): string => ctx.keyring.digest('api-key', secret);

function check(ctx: Ctx, { name, role, expiresAt }: AdminTokenInput): void {
  const fault = textFault(name.trim(), 1, LONGEST_NAME);
  if (fault) throw invalidField('name', fault.message);
  if (!isRole(role)) throw invalidField('role', `must be one of ${ROLES.join(', ')}`);
  if (expiresAt && expiresAt <= ctx.now()) throw invalidField('expiresAt', 'must be in the future');
}

function missing(id: string): never {
  throw fail('NOT_FOUND', `there is no admin token ${id}`, {
    details: { hint: 'appctl admin token list' },
  });
}
