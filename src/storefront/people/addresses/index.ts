export {
  ADDRESS_KINDS,
  type AddressKind,
  type AddressWanted,
  addAddress,
  addressesOf,
  changeAddress,
  getAddress,
  makeDefault,
  moveAddresses,
  rememberAddress,
  removeAddress,
} from './addresses.ts';
export { customerAddressRows } from './queries.ts';
export { type CustomerAddress, MOST_ADDRESSES } from './record.ts';
export { CustomerAddressView, customerAddressView } from './view.ts';
