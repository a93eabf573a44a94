import { capability } from '#kernel/capability.ts';
import { importEvents } from './events.ts';

/** Export and import. */
export const portability = capability({ name: 'portability', events: [importEvents] });
