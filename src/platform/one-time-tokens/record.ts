import { z } from 'zod';
import { column } from '#kernel/db/column.ts';
import { record } from '#kernel/db/record.ts';
import { defineIds } from '#kernel/ids.ts';

export const ids = defineIds({ oneTimeToken: 'ott' });

/** Links that open something once. What the link carries is not stored, and no export holds one. */
export const oneTimeTokenRecord = record(
  'one_time_tokens',
  {
    id: column.id(ids.oneTimeToken),
    purpose: column.text(40, 1),
    /** SHA-256 of what the link carries. */
    tokenHash: column.text(64, 64).secret(),
    /** Id of what it opens. */
    subjectId: column.text(40, 1),
    /** It may hold what opens something, such as the hash of a password that is to be. */
    data: column.json<Readonly<Record<string, string>>>(() => z.record(z.string(), z.string())).local(),
    expiresAt: column.time(),
    usedAt: column.time().nullable(),
    revokedAt: column.time().nullable(),
    createdIp: column.text(45).nullable().personal(),
    createdAt: column.time(),
  },
  {
    natural: ['tokenHash'],
    whose: { ids: { subjectId: '*' }, goes: true },
    kept: 'until 30 days after their end: purge-tokens removes them',
  },
);
