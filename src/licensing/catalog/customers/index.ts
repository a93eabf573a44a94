export { absorb, erase, lockForMerge, refuseErased, update } from './change.ts';
export { create, find, get, list, reuse } from './customers.ts';
export { type Customer, customerRecord } from './record.ts';
export { type CustomerName, lockLicenses } from './repository.ts';
export { type CustomerCreateInput, type CustomerUpdateInput, normalEmail } from './schemas.ts';
