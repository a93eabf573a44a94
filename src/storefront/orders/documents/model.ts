/** Everything that a document prints, taken from stored rows when it is made: it needs no product and no customer. */

/** Whose document it is. */
export interface Seller {
  readonly name: string;
  /** Postal address, a line each. */
  readonly address: readonly string[];
  readonly email: string | null;
  readonly phone: string | null;
  /** Such as a VAT number; printed as it is. */
  readonly taxId: string | null;
  /** PNG or JPEG; the name stands in its place without one. */
  readonly logo: Uint8Array | null;
}

/** One line of an order, with amounts of the whole line. */
export interface DocumentLine {
  readonly sku: string;
  readonly title: string;
  readonly variant: string | null;
  /** 0 for an amount that is of no unit. */
  readonly quantity: number;
  readonly unitCents: number;
  readonly discountCents: number;
  readonly netCents: number;
  /** Rates in parts per million, one for each tax: 190000 is 19 %. */
  readonly taxPpm: readonly number[];
  readonly taxCents: number;
  readonly totalCents: number;
}

/** What came together at one rate. */
export interface TaxOfRate {
  readonly name: string;
  readonly ratePpm: number;
  readonly netCents: number;
  readonly taxCents: number;
}

/** An amount with its words, such as a promotion by its name. */
export interface NamedAmount {
  readonly label: string;
  readonly amountCents: number;
}

/** An invoice, a credit note or a packing slip. */
export interface DocumentModel {
  /** Of the document; a packing slip may have that of its order. */
  readonly number: string;
  readonly orderNumber: string | null;
  /** Of the invoice that a credit note takes back. */
  readonly refersTo: string | null;
  /** ISO time of the document: it is the creation date of the file, so that its bytes are the same each time. */
  readonly date: string;
  /** Time zone in which the day is meant. */
  readonly timeZone: string;
  /** BCP 47: language of the words and form of amounts. */
  readonly locale: string;
  readonly currency: string;
  /** Country of the seller, two capital letters: it decides about A4 or Letter. */
  readonly country: string;
  readonly seller: Seller;
  /** Name and address as they are printed, a line each. */
  readonly billing: readonly string[];
  readonly shipping: readonly string[] | null;
  readonly lines: readonly DocumentLine[];
  readonly subtotalCents: number;
  /** Of the order, beside those of its lines; positive. */
  readonly discounts: readonly NamedAmount[];
  readonly shippingCents: number;
  readonly taxes: readonly TaxOfRate[];
  readonly taxCents: number;
  readonly totalCents: number;
  /** Paid by gift cards: the label says which. */
  readonly giftCards: readonly NamedAmount[];
  readonly paidCents: number;
  readonly dueCents: number;
  readonly note: string | null;
  /** Why no tax is charged, where the buyer is exempt; an empty text prints the general words. */
  readonly exempt: string | null;
}

/** What belongs to the installation and not to the document. */
export interface DocumentOptions {
  /** A TrueType or OpenType font for letters beyond Latin, Greek and Cyrillic. */
  readonly font?: Uint8Array | undefined;
}
