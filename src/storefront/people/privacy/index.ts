export { type CustomerExport, type Erased, eraseCustomer, exportCustomer } from './privacy.ts';
