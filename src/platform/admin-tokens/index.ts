export {
  type AdminTokenInput,
  create,
  createLoginToken,
  get,
  list,
  notePasswordProof,
  revoke,
  revokeOfUser,
} from './admin-tokens.ts';
export { authenticate, type Bearer, type Refusal } from './authenticate.ts';
export { type AdminToken, adminTokenRecord } from './record.ts';
