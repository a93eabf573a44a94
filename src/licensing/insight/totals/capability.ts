import { capability } from '#kernel/capability.ts';
import { overviewAdminEndpoints } from './admin-endpoints.ts';
import { homePage } from './home-page.ts';
import { totalMetrics } from './metrics.ts';
import { waiting } from './todo.ts';

export const totals = capability({
  name: 'totals',
  metrics: [totalMetrics],
  pages: [homePage],
  waits: waiting,
  adminEndpoints: overviewAdminEndpoints,
});
