import type { Ctx } from '#kernel/context.ts';
import type { AppError } from '#kernel/errors.ts';
import { fail } from '#kernel/service/errors.ts';
import { consume } from '../one-time-tokens/index.ts';
import { checkNewPassword, hashPassword } from '../passwords/index.ts';
import { accountEvents } from './events.ts';
import { type AdminUser, ids } from './record.ts';
import * as repo from './repository.ts';
import { removeSetupFile, SETUP } from './setup-file.ts';

/** The owner of the installation, or null before setup. */
export const findOwner = (ctx: Ctx): Promise<AdminUser | null> => repo.findOwner(ctx);

/**
 * Makes the owner of a new installation. Two racing calls make one owner (cli.md section 6.3).
 *
 * @param input e-mail, name, password; `replace` gives an existing owner a new password; `setupToken` is used up with it
 * @throws AppError VALIDATION_ERROR for a bad address or password, CONFLICT when an owner exists; NOT_FOUND for a setup
 *   token that is not open
 */
export async function createOwner(
  ctx: Ctx,
  input: { email: string; name: string; password: string; replace?: boolean; setupToken?: string },
): Promise<AdminUser> {
  const email = input.email.trim();
  checkEmail(email);
  checkNewPassword(ctx, input.password, email);
  // Before the transaction: hashing takes long and no lock may wait for it (C10).
  const passwordHash = await hashPassword(ctx, input.password);
  return ctx.tx(async (ctx) => {
    const existing = await repo.findOwner(ctx);
    if (existing && !input.replace) throw ownerExists(existing.email);
    if (existing) {
      const replaced: AdminUser = { ...existing, email, name: input.name, status: 'active' };
      await repo.replaceOwner(ctx, replaced, passwordHash);
      // The log masks both passwords: that they differ is all there is to say.
      const sides = { before: { ...existing, password: 'old' }, after: { ...replaced, password: 'new' } };
      await accountEvents.tell(ctx, 'OWNER_REPLACED', existing.id, {}, sides);
      return replaced;
    }
    const createdAt = ctx.now();
    const owner: AdminUser = {
      id: ctx.newId(ids.adminUser),
      email,
      name: input.name,
      status: 'active',
      createdAt,
    };
    if (!(await repo.insertOwner(ctx, owner, passwordHash))) throw ownerExists();
    if (input.setupToken !== undefined && !(await consume(ctx, SETUP, input.setupToken)))
      throw fail('NOT_FOUND', 'this setup link is no longer valid');
    await accountEvents.tell(ctx, 'OWNER_CREATED', owner.id, {}, { after: { ...owner, roles: ['owner'] } });
    ctx.afterCommit(() => removeSetupFile(ctx));
    return owner;
  });
}

export const ownerExists = (email?: string): AppError =>
  fail('CONFLICT', `an owner already exists${email === undefined ? '' : ` (${email})`}`, {
    details: { hint: 'run setup with --force to give the owner a new password' },
  });

/** What is wrong with an email address of an account, or null. */
export const emailFault = (email: string): string | null =>
  /^[^\s@\p{C}]+@[^\s@\p{C}]+\.[^\s@\p{C}]+$/u.test(email) && [...email].length <= 255
    ? null
    : `${JSON.stringify(email)} is not a valid email address`;

/** @throws AppError VALIDATION_ERROR about the field `email` */
export function checkEmail(email: string): void {
  const message = emailFault(email);
  if (message === null) return;
  throw fail('VALIDATION_ERROR', message, {
    details: { issues: [{ path: 'email', rule: 'invalid', message }] },
  });
}
