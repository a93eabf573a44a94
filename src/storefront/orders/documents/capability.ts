import { capability } from '#kernel/capability.ts';
import { documentChecks } from './checks.ts';
import { invoiceRecord } from './record.ts';

/** Invoices, credit notes and packing slips. */
export const shopDocuments = capability({
  name: 'shop-documents',
  records: [invoiceRecord],
  checks: documentChecks,
});
