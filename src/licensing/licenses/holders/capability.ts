import { capability } from '#kernel/capability.ts';
import { customerResource } from './resource.ts';

/** Administration of customers with the licenses that they hold. */
export const holders = capability({ name: 'holders', resources: [customerResource] });
