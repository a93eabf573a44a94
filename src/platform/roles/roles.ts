import type { Ctx } from '#kernel/context.ts';
import { isUniqueViolation } from '#kernel/db/dialect.ts';
import { nearest } from '#kernel/edit-distance.ts';
import { changesBetween } from '#kernel/service/diff.ts';
import { conflict, fail } from '#kernel/service/errors.ts';
import { checkInput, sentFields } from '#kernel/service/input.ts';
import { type Condition, requireUnchanged } from '#kernel/service/precondition.ts';
import { roleEvents } from './events.ts';
import { requireGrantable } from './grants.ts';
import { findRole, roleRows } from './queries.ts';
import { ids, type StoredRole } from './record.ts';
import * as repo from './repository.ts';
import { RoleCreate, type RoleCreateInput, RoleUpdate, type RoleUpdateInput } from './schemas.ts';
import { inOrder, type RoleView } from './view.ts';

/** Among so many roles the one that was meant is looked for. */
const MOST_NAMED = 500;

/** In which state a role may be changed, and why it is. */
interface How extends Condition {
  readonly note?: string | undefined;
}

/** The role of an id or a name. @throws AppError NOT_FOUND */
export const get = async (ctx: Ctx, idOrName: string): Promise<RoleView> => await find(ctx, idOrName);

/**
 * Makes a role of the installation's own.
 *
 * @throws AppError VALIDATION_ERROR; INSUFFICIENT_SCOPE for a permission that the actor lacks; CONFLICT for a taken name
 */
export async function create(ctx: Ctx, input: RoleCreateInput, { note }: How = {}): Promise<RoleView> {
  const { name, permissions } = checkInput(RoleCreate, input);
  requireGrantable(ctx.actor, permissions);
  return ctx.tx(async (ctx) => {
    const now = ctx.now();
    const role: StoredRole = {
      id: ctx.newId(ids.role),
      name,
      isSystem: false,
      createdAt: now,
      updatedAt: now,
    };
    await storing(name, repo.insert(ctx, role));
    await repo.setPermissions(ctx, role.id, inOrder(permissions));
    const after = { name, permissions: inOrder(permissions) };
    await roleEvents.tell(ctx, 'ROLE_CREATED', role.id, { name }, { after, note });
    return get(ctx, role.id);
  });
}

/**
 * Renames a role of the installation's own, or replaces what it holds; whoever holds it may do that from the next
 * request on.
 *
 * @throws AppError NOT_FOUND; VALIDATION_ERROR; INSUFFICIENT_SCOPE for a permission that the actor lacks and the role
 *   did not hold; CONFLICT for a taken name, for a system role, and for a new name while admin tokens hold the old one
 */
export async function update(
  ctx: Ctx,
  idOrName: string,
  input: RoleUpdateInput,
  { ifMatch, note }: How = {},
): Promise<RoleView> {
  const sent = sentFields(checkInput(RoleUpdate, input));
  return ctx.tx(async (ctx) => {
    await repo.lockRoles(ctx);
    const stored = await findOwn(ctx, idOrName);
    requireUnchanged(stored.name, stored.updatedAt, ifMatch);
    const before = { name: stored.name, permissions: stored.permissions };
    const after = {
      name: sent.name ?? before.name,
      permissions: inOrder(sent.permissions ?? before.permissions),
    };
    const diff = changesBetween(before, after);
    if (Object.keys(diff).length === 0) return stored;
    requireGrantable(
      ctx.actor,
      after.permissions.filter((one) => !before.permissions.includes(one)),
    );
    if (diff.name && stored.tokens > 0) throw heldByTokens(stored, 'renamed');
    const { id, isSystem, createdAt } = stored;
    await storing(
      after.name,
      repo.update(ctx, { id, name: after.name, isSystem, createdAt, updatedAt: ctx.now() }),
    );
    await repo.setPermissions(ctx, id, after.permissions);
    await roleEvents.tell(ctx, 'ROLE_CHANGED', id, { name: after.name }, { before, after, note });
    return get(ctx, id);
  });
}

/**
 * Deletes a role that nobody holds.
 *
 * @throws AppError NOT_FOUND; CONFLICT for a system role and while a user or a token holds it
 */
export async function remove(ctx: Ctx, idOrName: string, { ifMatch, note }: How = {}): Promise<RoleView> {
  return ctx.tx(async (ctx) => {
    await repo.lockRoles(ctx);
    const role = await findOwn(ctx, idOrName);
    requireUnchanged(role.name, role.updatedAt, ifMatch);
    if (role.users > 0)
      throw conflict(`role ${role.name} is held by ${counted(role.users, 'user')}`, 'appctl admin user list');
    if (role.tokens > 0) throw heldByTokens(role, 'deleted');
    await repo.remove(ctx, role.id);
    const { name } = role;
    await roleEvents.tell(
      ctx,
      'ROLE_DELETED',
      role.id,
      { name },
      { before: { name, permissions: role.permissions }, note },
    );
    return role;
  });
}

/**
 * What some roles hold together, for who is about to give them away.
 *
 * @param names of roles
 * @throws AppError NOT_FOUND for a name that no role has
 */
export async function permissionsOfRoles(ctx: Ctx, names: readonly string[]): Promise<string[]> {
  const found = await Promise.all([...new Set(names)].map((name) => find(ctx, name)));
  return found.flatMap((role) => role.permissions);
}

async function find(ctx: Ctx, idOrName: string): Promise<RoleView> {
  const role = await findRole(ctx, idOrName);
  if (role) return role;
  throw fail('NOT_FOUND', `role ${idOrName} was not found`, {
    details: { hint: await hintOf(ctx, idOrName) },
  });
}

async function hintOf(ctx: Ctx, name: string): Promise<string> {
  const { items } = await roleRows.page(ctx, { offset: 0, limit: MOST_NAMED });
  const meant = nearest(
    name,
    items.map((role) => role.name),
  );
  const all = 'appctl admin role list';
  return meant === undefined ? all : `did you mean ${meant}? ${all} shows all roles`;
}

async function findOwn(ctx: Ctx, idOrName: string): Promise<RoleView> {
  const role = await find(ctx, idOrName);
  if (!role.isSystem) return role;
  throw conflict(
    `${role.name} is a system role and cannot change`,
    'create your own role: appctl admin role create NAME --permission PERMISSION',
  );
}

const counted = (n: number, what: string): string => `${n} ${what}${n === 1 ? '' : 's'}`;

const heldByTokens = ({ name, tokens }: RoleView, done: string) =>
  conflict(
    `role ${name} is held by ${counted(tokens, 'admin token')} and cannot be ${done}`,
    'appctl admin token list',
  );

/** The index decides whether a name is free, so that two at once cannot both find it so. */
async function storing(name: string, written: Promise<void>): Promise<void> {
  try {
    await written;
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw fail('CONFLICT', `there is a role ${name} already`, {
      details: { reason: 'DUPLICATE', hint: `appctl admin role show ${name}` },
    });
  }
}
