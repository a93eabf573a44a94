export { creditNotePdf, invoicePdf } from './invoice.ts';
export type {
  DocumentLine,
  DocumentModel,
  DocumentOptions,
  NamedAmount,
  Seller,
  TaxOfRate,
} from './model.ts';
export { documentOptions } from './options.ts';
export { packingSlipPdf } from './packing-slip.ts';
