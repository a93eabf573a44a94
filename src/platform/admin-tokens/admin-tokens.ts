import { type Actor, type Scopes, scopeOf } from '#kernel/actor.ts';
import { addSeconds } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { newToken } from '#kernel/crypto.ts';
import { AppError } from '#kernel/errors.ts';
import { textFault } from '#kernel/http/fields.ts';
import { fail, invalidField } from '#kernel/service/errors.ts';
import * as roles from '../roles/index.ts';
import { adminTokenEvents } from './events.ts';
import { type AdminToken, ids } from './record.ts';
import * as repo from './repository.ts';

const SECRET_PREFIX = 'adm_';
const SHOWN_CHARACTERS = 8;
const LONGEST_NAME = 100;

export interface AdminTokenInput {
  /** 1 to 100 characters. */
  name: string;
  /** A system role or one of the installation's own (admin.md 6.2). */
  role: string;
  /** Whether it opens every tenant of the installation, instead of the ctx's alone. */
  isInstanceWide?: boolean;
  /** Ids of the products that it is confined to; null for every one. */
  productIds?: readonly string[] | null;
  /** ISO time, or null for never. */
  expiresAt?: string | null;
}

/**
 * Makes a bearer token of the admin APIs. The secret is returned once and stored as a keyed hash only (D19b, M10).
 *
 * @throws AppError VALIDATION_ERROR for a bad name, an unknown role or a past end; INSUFFICIENT_SCOPE for a permission
 *   that the actor lacks, or more rows than it sees; NOT_FOUND for a product that there is not
 */
export async function create(
  ctx: Ctx,
  input: AdminTokenInput,
  note?: string,
): Promise<{ adminToken: AdminToken; secret: string }> {
  check(ctx, input);
  const scopes = input.productIds ? { license_product: input.productIds } : null;
  return ctx.tx(async (ctx) => {
    // A role that a token is about to hold must not be deleted meanwhile.
    await roles.lockRoles(ctx);
    await checkGrants(ctx, input, scopes ?? {});
    return issue(ctx, {
      name: input.name.trim(),
      role: input.role,
      tenantId: input.isInstanceWide ? null : ctx.tenantId,
      scopes,
      expiresAt: input.expiresAt ?? null,
      note,
    });
  });
}

/** Who signed in, as signing in answers. */
interface SignedIn {
  readonly id: string;
  readonly email: string;
  /** Of its sessions: the token ends with them. */
  readonly generation: number;
}

/**
 * Makes the token of somebody who signed in, for `appctl login`. It may do and see what its user may at each moment, and
 * ends when it is revoked, when the user is disabled or deleted, and with a new password.
 *
 * @param input `name` of 1 to 100 characters, such as that of the machine; `ttlSeconds` until it ends
 * @throws AppError VALIDATION_ERROR for a bad name
 */
export async function createLoginToken(
  ctx: Ctx,
  account: SignedIn,
  { name, ttlSeconds }: { name: string; ttlSeconds: number },
): Promise<{ adminToken: AdminToken; secret: string }> {
  checkName(name);
  const actor: Actor = { kind: 'staff', id: account.id, label: account.email };
  return ctx.with({ actor }).tx((ctx) =>
    issue(
      ctx,
      {
        name: name.trim(),
        role: '',
        tenantId: null,
        scopes: null,
        adminUserId: account.id,
        expiresAt: addSeconds(ctx.now(), ttlSeconds),
      },
      account.generation,
    ),
  );
}

type Issued = Pick<AdminToken, 'name' | 'role' | 'tenantId' | 'scopes' | 'expiresAt'> & {
  adminUserId?: string;
  /** Why, for the audit log. */
  note?: string | undefined;
};

async function issue(
  ctx: Ctx,
  { note, ...issued }: Issued,
  adminGeneration: number | null = null,
): Promise<{ adminToken: AdminToken; secret: string }> {
  const secret = newToken(SECRET_PREFIX);
  const now = ctx.now();
  const adminToken: AdminToken = {
    adminUserId: null,
    ...issued,
    id: ctx.newId(ids.adminToken),
    prefix: secret.slice(0, SHOWN_CHARACTERS),
    revokedAt: null,
    lastUsedAt: null,
    createdAt: now,
  };
  // Whoever has just signed in has proven the password.
  const passwordProvenAt = adminGeneration === null ? null : now;
  const beside = { tokenHash: hashOf(ctx, secret), adminGeneration, passwordProvenAt };
  await repo.insert(ctx, adminToken, beside);
  ctx.origin.keepSecret?.(secret);
  const { name, role, tenantId, expiresAt } = adminToken;
  await adminTokenEvents.tell(
    ctx,
    'ADMIN_TOKEN_CREATED',
    adminToken.id,
    { name, role, tenantId, expiresAt },
    { after: adminToken, note },
  );
  return { adminToken, secret };
}

/** Notes that the user of a login token has proven the password again. */
export const notePasswordProof = (ctx: Ctx, tokenId: string): Promise<void> =>
  ctx.tx((ctx) => repo.noteProof(ctx, tokenId));

/** Ends the tokens that a user signed in with. */
export const revokeOfUser = (ctx: Ctx, userId: string): Promise<void> => repo.revokeOfUser(ctx, userId);

/** A token that opens the ctx's tenant. @throws AppError NOT_FOUND */
export const get = async (ctx: Ctx, id: string): Promise<AdminToken> =>
  (await repo.find(ctx, id)) ?? missing(id);

/**
 * Ends a token at once; again is no error.
 *
 * @throws AppError NOT_FOUND; INSUFFICIENT_SCOPE for one that may do more than the actor
 */
export async function revoke(ctx: Ctx, id: string, note?: string): Promise<AdminToken> {
  return ctx.tx(async (ctx) => {
    const before = await get(ctx, id);
    await requirePower(ctx, before);
    const { name, role } = before;
    const isEnded = await repo.revoke(ctx, id, ctx.now());
    const after = await get(ctx, id);
    if (isEnded)
      await adminTokenEvents.tell(ctx, 'ADMIN_TOKEN_REVOKED', id, { name, role }, { before, after, note });
    return after;
  });
}

/** Everybody ends the token that they ask with; one whose role is gone opens nothing any more. */
async function requirePower(ctx: Ctx, { id, role, adminUserId }: AdminToken): Promise<void> {
  const { actor } = ctx;
  if ([actor.id, actor.tokenId].includes(id) || (adminUserId !== null && adminUserId === actor.id)) return;
  const held =
    adminUserId === null
      ? { permissions: (await roles.findRole(ctx, role))?.permissions ?? [] }
      : await roles.heldBy(ctx, adminUserId);
  roles.requirePowerOver(actor, held, 'token');
}

/** The keyed hash under which a secret is stored and found. */
export const hashOf = (ctx: Ctx, secret: string): string => ctx.keyring.digest('api-key', secret);

function check(ctx: Ctx, { name, role, productIds, expiresAt }: AdminTokenInput): void {
  checkName(name);
  if (expiresAt && expiresAt <= ctx.now()) throw invalidField('expiresAt', 'must be in the future');
  const isConfined = productIds !== undefined && productIds !== null;
  if (isConfined && productIds.length === 0) throw invalidField('productIds', 'must name a product');
  if (role === 'vendor' && !isConfined)
    throw invalidField('productIds', 'role vendor needs the products that it may see');
}

function checkName(name: string): void {
  const fault = textFault(name.trim(), 1, LONGEST_NAME);
  if (fault) throw invalidField('name', fault.message);
}

/** Nobody makes a token that may do or see more than they may themselves. */
async function checkGrants(ctx: Ctx, input: AdminTokenInput, scopes: Scopes): Promise<void> {
  const permissions = await roles.permissionsOfRoles(ctx, [input.role]).catch((error: unknown) => {
    if (!(error instanceof AppError)) throw error;
    throw invalidField(
      'role',
      `must be one of the roles in appctl admin role list, not ${JSON.stringify(input.role)}`,
    );
  });
  roles.requireGrantable(ctx.actor, permissions);
  roles.requireWithinScope(ctx.actor, input.isInstanceWide ? scopes : { ...scopes, tenant: [ctx.tenantId] });
  const tenants = input.isInstanceWide ? scopeOf(ctx.actor, 'tenant') : [ctx.tenantId];
  const missing = await roles.findMissing(ctx, scopes, tenants);
  if (missing) throw roles.unknownRow(missing.kind, missing.id);
}

function missing(id: string): never {
  throw fail('NOT_FOUND', `admin token ${id} was not found`, {
    details: { hint: 'appctl admin token list' },
  });
}
