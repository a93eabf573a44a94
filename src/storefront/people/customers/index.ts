export {
  addCustomer,
  changeCustomer,
  lockCustomer,
  missingCustomer,
  type Telling,
  tellCustomer,
} from './change.ts';
export type { AccountRow } from './credentials/repository.ts';
export * as credentials from './credentials/repository.ts';
export {
  anonymise,
  countOrder,
  createAccount,
  customerIdOf,
  find,
  type GuestInput,
  guestOf,
  guestWith,
  isProved,
  type NewCustomer,
  preferencesOf,
  setPreferences,
  sharingAddress,
} from './customers.ts';
export { shopCustomerEvents } from './events.ts';
export { changeProfile, type ProfilePart } from './profile.ts';
export { type Customer, emailNormed, shopCustomerRecord } from './record.ts';
export { type StoreCustomer, StoreCustomerView, storeCustomerView } from './store-view.ts';
export { type CustomerShown, CustomerView, customerView } from './view.ts';
