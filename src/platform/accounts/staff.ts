import type { Ctx } from '#kernel/context.ts';
import { textFault } from '#kernel/http/fields.ts';
import { isTimeZone } from '#kernel/local-time.ts';
import { changesBetween } from '#kernel/service/diff.ts';
import { conflict, invalidField } from '#kernel/service/errors.ts';
import { checkNewPassword, hashPassword, passwordFault } from '../passwords/index.ts';
import { give, setScopesOf } from '../roles/index.ts';
import { checkEmail } from './accounts.ts';
import { accountEvents } from './events.ts';
import { type Link, linkFor } from './links.ts';
import { mailInvite } from './mails.ts';
import { requireMayGrant, requireMayManage } from './management.ts';
import * as queries from './queries.ts';
import { type AdminUser, ids } from './record.ts';
import * as repo from './repository.ts';
import { unknownAccount } from './unknown-account.ts';
import type { StaffView } from './view.ts';

/** Whom to add. */
export interface StaffInput {
  email: string;
  /** The part of the address before its `@` when left out. */
  name?: string | undefined;
  /** Names of roles; none means that the account may do nothing yet. */
  roles?: readonly string[];
}

const LONGEST_NAME = 255;

/** An account by its id or address. @throws AppError NOT_FOUND */
export async function get(ctx: Ctx, idOrEmail: string): Promise<StaffView> {
  const found = await queries.find(ctx, idOrEmail);
  if (found) return found;
  throw unknownAccount(idOrEmail);
}

/**
 * Adds an account with a password.
 *
 * @param input `mustChangePassword`: the first sign-in asks for another password
 * @throws AppError VALIDATION_ERROR; INSUFFICIENT_SCOPE for a role with more than the actor has; CONFLICT for an address
 *   that has an account
 */
export async function create(
  ctx: Ctx,
  input: StaffInput & { password: string; mustChangePassword?: boolean },
): Promise<StaffView> {
  const { password, mustChangePassword = false } = input;
  const checked = await check(ctx, input);
  checkNewPassword(ctx, password, checked.email);
  const passwordHash = await hashPassword(ctx, password);
  return ctx.tx((ctx) => insert(ctx, { ...checked, status: 'active' }, { passwordHash, mustChangePassword }));
}

/**
 * Adds an account whose owner chooses the password by a link, valid for seven days; for one that was invited before, a
 * new link in place of the old one.
 *
 * @throws AppError as `create`
 */
export async function invite(ctx: Ctx, input: StaffInput): Promise<{ user: StaffView; link: Link }> {
  const checked = await check(ctx, input);
  return ctx.tx(async (ctx) => {
    const before = await queries.find(ctx, checked.email);
    if (before?.status === 'invited') await requireMayManage(ctx, before.id);
    const user =
      before?.status === 'invited'
        ? before
        : await insert(ctx, { ...checked, status: 'invited' }, { passwordHash: null });
    const link = await linkFor(ctx, 'invite', user.id);
    await mailInvite(ctx, user, link);
    return { user, link };
  });
}

/**
 * Changes the name, the address or the time zone of an account; links to the old address end.
 *
 * @param input `timezone`: an IANA name; null for the server's
 * @throws AppError as `create`
 */
export async function update(
  ctx: Ctx,
  id: string,
  input: { name?: string | undefined; email?: string | undefined; timezone?: string | null | undefined },
): Promise<StaffView> {
  return ctx.tx(async (ctx) => {
    await repo.lockForSignIn(ctx, id);
    const before = await get(ctx, id);
    await requireMayManage(ctx, id);
    const { email = before.email, name = before.name, timezone = before.timezone } = input;
    const { id: _id, status, createdAt } = before;
    if (timezone !== null && !isTimeZone(timezone))
      throw invalidField('timezone', 'must be a time zone such as Europe/Berlin');
    const after: AdminUser = { id, email: email.trim(), name: nameOf(name, email), status, createdAt };
    checkEmail(after.email);
    const was = { email: before.email, name: before.name, timezone: before.timezone };
    const diff = changesBetween(was, { email: after.email, name: after.name, timezone });
    if (Object.keys(diff).length === 0) return before;
    if (!(await repo.rename(ctx, after, timezone))) throw taken(after.email);
    await accountEvents.tell(ctx, 'STAFF_UPDATED', id, {}, { diff });
    return get(ctx, id);
  });
}

/** Ends the lock that wrong passwords brought about. @returns the account; nothing changes for one that is not locked @throws as `update` */
export async function unlock(ctx: Ctx, id: string): Promise<StaffView> {
  return ctx.tx(async (ctx) => {
    await repo.lockForSignIn(ctx, id);
    const before = await get(ctx, id);
    await requireMayManage(ctx, id);
    await repo.change(ctx, id, { failedSignIns: 0, lockedUntil: null });
    const sides = { before: { lockedUntil: before.lockedUntil }, after: { lockedUntil: null } };
    if (before.lockedUntil !== null) await accountEvents.tell(ctx, 'STAFF_UNLOCKED', id, {}, sides);
    return get(ctx, id);
  });
}

type Checked = Required<Pick<AdminUser, 'email' | 'name'>> & { roles: readonly string[] };

async function check(ctx: Ctx, { email: given, name, roles = [] }: StaffInput): Promise<Checked> {
  const email = given.trim();
  checkEmail(email);
  await requireMayGrant(ctx, roles);
  return { email, name: nameOf(name, email), roles: [...new Set(roles)] };
}

function nameOf(given: string | undefined, email: string): string {
  const name = given?.trim() || (email.split('@')[0] as string);
  const fault = textFault(name, 1, LONGEST_NAME);
  if (fault) throw passwordFault(`the name ${fault.message}`, 'name');
  return name;
}

async function insert(
  ctx: Ctx,
  { roles, ...values }: Checked & Pick<AdminUser, 'status'>,
  beside: Parameters<typeof repo.insert>[2],
): Promise<StaffView> {
  const user: AdminUser = { id: ctx.newId(ids.adminUser), ...values, createdAt: ctx.now() };
  const { email, name } = user;
  if (!(await repo.insert(ctx, user, beside))) throw taken(email);
  await give(ctx, user.id, roles);
  // Who is confined to some rows adds nobody who sees others.
  if (ctx.actor.scopes && Object.keys(ctx.actor.scopes).length > 0)
    await setScopesOf(ctx, user.id, ctx.actor.scopes);
  const after = { email, name, status: user.status, roles };
  await accountEvents.tell(ctx, 'STAFF_CREATED', user.id, {}, { after });
  return get(ctx, user.id);
}

const taken = (email: string) =>
  conflict(`${email} already has an account`, `appctl admin user show ${email}`);
