import { z } from 'zod';
import { count, instant } from '#kernel/http/fields.ts';
import { storedView } from '#kernel/service/view.ts';
import { later } from '#kernel/sharing.ts';
import { adminUserRecord } from './record.ts';

/** An account of staff as staff see it. */
export const StaffView = later(() =>
  z
    .object({
      ...storedView(adminUserRecord, ['id', 'email', 'name', 'status']).shape,
      roles: z.array(z.string()),
      /** Rows that it is confined to; a kind that is absent confines to nothing. */
      scopes: z.array(z.object({ kind: z.enum(['tenant', 'license_product', 'vendor']), refId: z.string() })),
      twoFactor: z.object({ enabled: z.boolean(), recoveryCodesLeft: count() }),
      /** ISO time until which nobody can sign in; null when the account is not locked. */
      lockedUntil: instant().nullable(),
      mustChangePassword: z.boolean(),
      /** IANA name of the zone in which the person wants to read times; null for the server's. */
      timezone: z.string().nullable(),
      lastLoginAt: instant().nullable(),
      /** Browsers in which it is signed in. */
      sessions: count(),
      createdAt: instant(),
      updatedAt: instant(),
    })
    .meta({ id: 'StaffUser' }),
);
export type StaffView = z.output<typeof StaffView>;

/** Where an account is signed in. */
export const StaffSessionView = later(() =>
  z
    .object({
      id: z.string(),
      ip: z.string().nullable(),
      userAgent: z.string().nullable(),
      createdAt: instant(),
      lastSeenAt: instant(),
      /** The second factor is still to come. */
      isPending: z.boolean(),
    })
    .meta({ id: 'StaffSession' }),
);
