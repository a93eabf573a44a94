import { column } from '#kernel/db/column.ts';
import { record, type ValuesOf } from '#kernel/db/record.ts';
import { defineIds } from '#kernel/ids.ts';

export const ids = defineIds({ role: 'rol' });

/** Roles of staff and of their tokens. What a system role holds stands in the program, not in rows. */
export const roleRecord = record(
  'roles',
  {
    id: column.id(ids.role),
    name: column.text(63, 1),
    isSystem: column.flag(),
    createdAt: column.time(),
    updatedAt: column.time(),
  },
  { natural: ['name'] },
);

/** A role without its permissions. */
export type StoredRole = ValuesOf<typeof roleRecord>;
