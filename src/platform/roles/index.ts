export { requireGrantable, requirePowerOver, requireWithinScope, seesMore, unknownRow } from './grants.ts';
export {
  confined,
  type Held,
  type HeldRow,
  heldOf,
  permissionsHeld,
  reachOf,
  words,
} from './held.ts';
export { isFullOwner, requireAnotherOwner } from './owners.ts';
export {
  findMissing,
  findRole,
  heldBy,
  heldColumns,
  holders,
  permissionsColumn,
  reachedHolders,
  roleIds,
  roleRows,
} from './queries.ts';
export { give, lockRoles, setRolesOf, setScopesOf } from './repository.ts';
export { create, get, permissionsOfRoles, remove, update } from './roles.ts';
export { type RoleCreateInput, type RoleUpdateInput, ScopesInput } from './schemas.ts';
