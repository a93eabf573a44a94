import { change, defineEvents } from '#kernel/events.ts';
import { adminUserRecord } from '../record.ts';

type Nothing = Record<string, never>;

/** What others change of what an account may do and see. */
export const rightsEvents = defineEvents(
  'platform',
  {
    USER_ROLES_CHANGED: change<Nothing>(),
    USER_SCOPES_CHANGED: change<Nothing>(),
    USER_DISABLED: change<Nothing>(),
    USER_ENABLED: change<Nothing>(),
    USER_DELETED: change<Nothing>(),
  },
  { target: 'users', record: adminUserRecord },
);
