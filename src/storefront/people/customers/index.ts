export {
  changeCustomer,
  lockCustomer,
  missingCustomer,
  type Telling,
  tellCustomer,
} from './change.ts';
export type { AccountRow } from './credentials/repository.ts';
export * as credentials from './credentials/repository.ts';
export {
  accountOf,
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
export { absorb, lockBoth, united } from './merging.ts';
export { addNote, removeNote } from './notes.ts';
export { changeProfile, type ProfilePart } from './profile.ts';
export { customerNoteRows } from './queries.ts';
export {
  CUSTOMER_STATUSES,
  type Customer,
  type CustomerNote,
  emailNormed,
  MOST_NOTE,
  shopCustomerRecord,
} from './record.ts';
export { type StoreCustomer, StoreCustomerView, storeCustomerViews } from './store-view.ts';
export { type CustomerShown, CustomerView, customerView } from './view.ts';
