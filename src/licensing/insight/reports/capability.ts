import { capability } from '#kernel/capability.ts';
import { seatReportAdminEndpoints } from './admin-endpoints.ts';
import { reportAdminEndpoints } from './report-endpoints.ts';
import { reportPages } from './report-page.ts';

export const reports = capability({
  name: 'reports',
  pages: reportPages,
  adminEndpoints: [...seatReportAdminEndpoints, ...reportAdminEndpoints],
});
