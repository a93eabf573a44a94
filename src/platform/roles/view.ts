import { z } from 'zod';
import { count } from '#kernel/http/fields.ts';
import { storedView } from '#kernel/service/view.ts';
import { roleRecord } from './record.ts';

/** A role with what it holds and how many hold it. */
export const RoleView = z
  .object({
    ...storedView(roleRecord, ['id', 'name', 'isSystem']).shape,
    /** In the order of the list of permissions; write includes read. */
    permissions: z.array(z.string()),
    /** Accounts of staff that hold it. */
    users: count(),
    /** Admin tokens that hold it and have not ended. */
    tokens: count(),
    ...storedView(roleRecord, ['createdAt', 'updatedAt']).shape,
  })
  .meta({ id: 'Role' });
export type RoleView = z.output<typeof RoleView>;
