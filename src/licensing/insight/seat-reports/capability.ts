import { capability } from '#kernel/capability.ts';
import { seatReportAdminEndpoints } from './admin-endpoints.ts';

export const seatReports = capability({ name: 'seat-reports', adminEndpoints: seatReportAdminEndpoints });
