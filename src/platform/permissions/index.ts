export { isRole, type Permission, permits, ROLES, type Role, rolesWith } from './permissions.ts';
