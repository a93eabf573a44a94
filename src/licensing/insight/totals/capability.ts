import { capability } from '#kernel/capability.ts';
import { overviewAdminEndpoints } from './admin-endpoints.ts';
import { homePage } from './home-page.ts';
import { totalMetrics } from './metrics.ts';

export const totals = capability({
  name: 'totals',
  metrics: [totalMetrics],
  pages: [homePage],
  adminEndpoints: overviewAdminEndpoints,
});
