export { authenticate as authenticateStaff } from './authenticate.ts';
export { authorize as authorizeStaff, requireProof, type StaffCaller } from './authorize.ts';
export { OWN_ACCOUNT } from './person.ts';
export { mayWorkForShop, NOT_OF_THE_SHOP } from './shop-staff.ts';
export { tenantOfStaff } from './staff-tenant.ts';
export { adminSurface } from './surface.ts';
