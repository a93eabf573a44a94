export {
  type AdminTokenInput,
  create,
  createLoginToken,
  get,
  notePasswordProof,
  revoke,
  revokeOfUser,
} from './admin-tokens.ts';
export { authenticate, type Bearer, type Refusal } from './authenticate.ts';
export { adminTokenRows } from './queries.ts';
export { type AdminToken, adminTokenRecord } from './record.ts';
