import { capability } from '#kernel/capability.ts';
import { seatReportAdminEndpoints } from './admin-endpoints.ts';
import { reportAdminEndpoints } from './report-endpoints.ts';

export const reports = capability({
  name: 'reports',
  adminEndpoints: [...seatReportAdminEndpoints, ...reportAdminEndpoints],
});
