import { column } from '#kernel/db/column.ts';
import { record, type ValuesOf } from '#kernel/db/record.ts';
import { defineIds } from '#kernel/ids.ts';
import { normalEmail } from './email.ts';

export const ids = defineIds({ adminUser: 'usr' });

/** Accounts of staff. */
export const adminUserRecord = record(
  'admin_users',
  {
    id: column.id(ids.adminUser),
    email: column.text(255, 3).personal(),
    /** As accounts are found. */
    emailNorm: column
      .text(255, 3)
      .personal()
      .from(({ email }: { email: string }) => normalEmail(email)),
    name: column.text(255).personal(),
    passwordHash: column.text(255, 1).nullable().secret(),
    status: column.choice(['invited', 'active', 'disabled']),
    /** Made by `setup`; one row at most. */
    founder: column.flag().aside(),
    lastLoginAt: column.time().nullable().aside(),
    /** Raised by whatever ends the sessions of the account. */
    sessionGeneration: column.integer(0).aside(),
    /** Since the last sign-in, or the last lock. */
    failedSignIns: column.integer(0).aside(),
    lockedUntil: column.time().nullable().aside(),
    /** Somebody else chose the password: the next sign-in asks for another one first. */
    mustChangePassword: column.flag().aside(),
    /** IANA name of the zone in which the person wants to read times; null for the server's. */
    timezone: column.text(64).nullable().aside(),
    createdAt: column.time(),
    updatedAt: column.time().aside(),
  },
  {
    natural: ['emailNorm'],
    person: 'id',
    whose: 'it is about staff, not about customers',
    kept: 'as long as the installation: what an account did names it',
  },
);

/** An account, without its password. */
export type AdminUser = ValuesOf<typeof adminUserRecord>;
