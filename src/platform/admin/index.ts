export { adminResource } from './admin-resource.ts';
export {
  ANY_STAFF,
  Deleted,
  IdParams,
  listQuery,
  NoBody,
  NoteBody,
  noteField,
  queryFlag,
  severalOf,
} from './fields.ts';
export { noting } from './noting.ts';
export {
  type Action,
  action,
  answering,
  type Beside,
  beside,
  type Edition,
  type How,
  type Removal,
  type Resource,
  type ResourceSpec,
  type Showing,
  type Twin,
} from './resource.ts';
export { searching } from './search.ts';
export { requireWholeInstallation, seesWholeInstallation } from './whole-installation.ts';
