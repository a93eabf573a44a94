import type { Ctx } from '#kernel/context.ts';
import type { AppError } from '#kernel/errors.ts';
import { fail } from '#kernel/service/errors.ts';
import { accountEvents } from './events.ts';
import { hashPassword, MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from './passwords.ts';
import { type AdminUser, ids } from './record.ts';
import * as repo from './repository.ts';

/** The owner of the installation, or null before setup. */
export const findOwner = (ctx: Ctx): Promise<AdminUser | null> => repo.findOwner(ctx);

/**
 * Makes the owner of a new installation. Two racing calls make one owner (cli.md section 6.3).
 *
 * @param input e-mail, name, password of 8 to 128 code points; `replace` gives an existing owner a new password
 * @throws AppError VALIDATION_ERROR for a bad address or password, CONFLICT when an owner exists
 */
export async function createOwner(
  ctx: Ctx,
  input: { email: string; name: string; password: string; replace?: boolean },
): Promise<AdminUser> {
  const email = input.email.trim();
  checkEmail(email);
  checkPassword(input.password);
  // Before the transaction: hashing takes long and no lock may wait for it (C10).
  const passwordHash = await hashPassword(ctx, input.password);
  return ctx.tx(async (ctx) => {
    const existing = await repo.findOwner(ctx);
    if (existing && !input.replace) throw ownerExists(existing.email);
    if (existing) {
      const replaced: AdminUser = { ...existing, email, name: input.name, status: 'active' };
      await repo.replaceOwner(ctx, replaced, passwordHash);
      await accountEvents.tell(ctx, 'OWNER_REPLACED', existing.id, {});
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
    if (!(await repo.insertOwner(ctx, owner, passwordHash))) throw ownerExists(email);
    await accountEvents.tell(ctx, 'OWNER_CREATED', owner.id, {});
    return owner;
  });
}

const ownerExists = (email: string): AppError =>
  fail('CONFLICT', `an owner exists already (${email})`, {
    details: { hint: 'run setup with --force to give the owner a new password' },
  });

function checkEmail(email: string): void {
  if (/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email) && [...email].length <= 255) return;
  throw fail('VALIDATION_ERROR', `${JSON.stringify(email)} is not a valid email address`);
}

function checkPassword(password: string): void {
  const length = [...password].length;
  if (length >= MIN_PASSWORD_LENGTH && length <= MAX_PASSWORD_LENGTH) return;
  throw fail(
    'VALIDATION_ERROR',
    `the password must have ${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters`,
  );
}
