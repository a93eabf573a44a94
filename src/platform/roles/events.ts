import { change, defineEvents } from '#kernel/events.ts';

interface Named {
  name: string;
}

/** What happens to the installation's own roles. */
export const roleEvents = defineEvents(
  'platform',
  { ROLE_CREATED: change<Named>(), ROLE_CHANGED: change<Named>(), ROLE_DELETED: change<Named>() },
  { target: 'roles' },
);
