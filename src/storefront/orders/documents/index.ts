export { creditNotePdf, invoicePdf } from './invoice.ts';
export { correctInvoice, issueCreditNote, issueInvoice, takeInvoiceBack } from './issue.ts';
export type {
  DocumentLine,
  DocumentModel,
  DocumentOptions,
  NamedAmount,
  Seller,
  TaxOfRate,
} from './model.ts';
export { documentOptions } from './options.ts';
export { packingSlipDocument, packingSlipsDocument } from './packing.ts';
export { packingSlipPdf } from './packing-slip.ts';
export { asDownload, creditNoteDocument, invoiceDocument, numberedDocument, type Printed } from './print.ts';
export { type Invoice, invoiceRecord } from './record.ts';
export { documentsOf } from './repository.ts';
