export { create, get, list, reuse } from './customers.ts';
export type { Customer, CustomerName } from './repository.ts';
export { type CustomerCreateInput, normalEmail } from './schemas.ts';
