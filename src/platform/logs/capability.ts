import { capability } from '#kernel/capability.ts';
import { logEndpoints } from './endpoints.ts';
import { logPages } from './pages.ts';

/** The log of the server that answers. */
export const logs = capability({ name: 'logs', adminEndpoints: logEndpoints, pages: logPages });
