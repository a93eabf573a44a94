import { z } from 'zod';
import { column } from '#kernel/db/column.ts';
import { record } from '#kernel/db/record.ts';
import { defineIds } from '#kernel/ids.ts';

export const ids = defineIds({ session: 'ses' });

/** Sessions of browsers. What the cookie carries is not stored, and no export holds a session. */
export const sessionRecord = record(
  'sessions',
  {
    id: column.id(ids.session),
    /** SHA-256 of what the cookie carries. */
    tokenHash: column.text(64, 64).secret(),
    kind: column.choice(['guest', 'user']),
    /** Account of staff that signed in, and the generation of its sessions at that time. */
    adminUserId: column.text(30).nullable().references('admin_users'),
    adminGeneration: column.integer(0).nullable(),
    /** Customer who signed in, likewise. */
    customerId: column.text(30).nullable(),
    customerGeneration: column.integer(0).nullable(),
    customerPending: column.flag(),
    /** The customer wants to stay signed in: no idle limit ends the session. */
    isRemembered: column.flag(),
    /** Until then the session of a guest lasts, however old it is: its cart is found by it. */
    keptUntil: column.time().nullable(),
    cartId: column.text(30).nullable(),
    twoFactorPending: column.flag(),
    data: column.json<Readonly<Record<string, unknown>>>(() => z.record(z.string(), z.unknown())).local(),
    ip: column.text(45).nullable().personal(),
    userAgent: column.text(300).nullable().personal(),
    lastSeenAt: column.time(),
    createdAt: column.time(),
  },
  {
    natural: ['tokenHash'],
    whose: { ids: { customerId: 'customers' }, goes: true },
    kept: 'until they end: purge-sessions removes them by two settings',
  },
);
