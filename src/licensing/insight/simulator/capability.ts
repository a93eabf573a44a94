import { capability } from '#kernel/capability.ts';
import { simulatorAdminEndpoints } from './admin-endpoints.ts';
import { simulatorPages } from './pages.ts';

/** Questions about requests that nobody sent. */
export const simulator = capability({
  name: 'simulator',
  adminEndpoints: simulatorAdminEndpoints,
  pages: simulatorPages,
});
