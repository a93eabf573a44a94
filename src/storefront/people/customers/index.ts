export { countOrder, find, type GuestInput, guestOf } from './customers.ts';
export { type Customer, emailNormed, shopCustomerRecord } from './record.ts';
