export { absorb, erase, lockForMerge, refuseErased, update } from './change.ts';
export { create, find, get, reuse } from './customers.ts';
export { type Customer, customerRecord } from './record.ts';
export { type CustomerName, lockLicenses, visible } from './repository.ts';
export {
  CustomerCreate,
  type CustomerCreateInput,
  CustomerUpdate,
  type CustomerUpdateInput,
  normalEmail,
} from './schemas.ts';
