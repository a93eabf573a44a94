import { capability } from '#kernel/capability.ts';
import { overviewAdminEndpoints } from './admin-endpoints.ts';
import { totalMetrics } from './metrics.ts';

export const totals = capability({
  name: 'totals',
  metrics: [totalMetrics],
  adminEndpoints: overviewAdminEndpoints,
});
