export { tenantOfStaff } from './staff-tenant.ts';
export { adminSurface } from './surface.ts';
