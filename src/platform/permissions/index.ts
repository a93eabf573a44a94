export {
  isRole,
  type Permission,
  permissionsOf,
  permits,
  ROLES,
  type Role,
  rolesWith,
} from './permissions.ts';
