/** Words of documents by language; English stands in for the others. */
const en = {
  invoice: 'Invoice',
  creditNote: 'Credit note',
  packingSlip: 'Packing slip',
  number: 'Number',
  date: 'Date',
  order: 'Order',
  refersTo: 'For invoice',
  billTo: 'Bill to',
  shipTo: 'Ship to',
  item: 'Item',
  quantity: 'Qty',
  unit: 'Unit price',
  discount: 'Discount',
  net: 'Net',
  taxRate: 'Tax %',
  tax: 'Tax',
  total: 'Total',
  subtotal: 'Subtotal',
  shipping: 'Shipping',
  paid: 'Paid',
  due: 'Amount due',
  refunded: 'Refunded',
  rate: 'Rate',
  note: 'Note',
  exempt: 'No tax is charged: the buyer is exempt.',
  missing: 'Letters that the font of this document does not have',
  page: 'Page',
  adjustment: 'Price adjustment',
  cancelled: 'Cancelled order',
};

export type Words = Readonly<Record<keyof typeof en, string>>;

const de: Words = {
  invoice: 'Rechnung',
  creditNote: 'Gutschrift',
  packingSlip: 'Lieferschein',
  number: 'Nummer',
  date: 'Datum',
  order: 'Bestellung',
  refersTo: 'Zu Rechnung',
  billTo: 'Rechnungsadresse',
  shipTo: 'Lieferadresse',
  item: 'Artikel',
  quantity: 'Menge',
  unit: 'Einzelpreis',
  discount: 'Rabatt',
  net: 'Netto',
  taxRate: 'MwSt. %',
  tax: 'MwSt.',
  total: 'Gesamt',
  subtotal: 'Zwischensumme',
  shipping: 'Versand',
  paid: 'Bezahlt',
  due: 'Offener Betrag',
  refunded: 'Erstattet',
  rate: 'Satz',
  note: 'Bemerkung',
  exempt: 'Steuerfrei: Der Käufer ist von der Steuer befreit.',
  missing: 'Zeichen, die der Schrift dieses Dokuments fehlen',
  page: 'Seite',
  adjustment: 'Preisnachlass',
  cancelled: 'Stornierte Bestellung',
};

const languages: Readonly<Record<string, Words>> = { en, de };

/** @param locale such as `de-AT` */
export const wordsOf = (locale: string): Words => {
  const language = locale.split('-', 1)[0] ?? '';
  return (Object.hasOwn(languages, language) ? languages[language] : undefined) ?? en;
};
