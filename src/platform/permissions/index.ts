export { areaOf, labelOf, ROLE_WORDS } from './labels.ts';
export {
  isRole,
  PARTS,
  PERMISSIONS,
  type Permission,
  permissionsIn,
  permissionsOf,
  permits,
  ROLES,
  type Role,
  rolesWith,
} from './permissions.ts';
