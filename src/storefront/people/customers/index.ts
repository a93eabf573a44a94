export {
  addCustomer,
  changeCustomer,
  lockCustomer,
  missingCustomer,
  type Telling,
  tellCustomer,
} from './change.ts';
export { countOrder, find, type GuestInput, guestOf } from './customers.ts';
export { type Customer, emailNormed, shopCustomerRecord } from './record.ts';
export { type StoreCustomer, StoreCustomerView, storeCustomerView } from './store-view.ts';
