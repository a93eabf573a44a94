/** One line of a purchase. */
export interface PurchaseItem {
  /** Ids under which a mapping may know the product, the most telling first; never empty. */
  externalIds: string[];
  /** null: what the event says is not a whole number. */
  quantity: number | null;
}

/** What an event asks for. */
export type EventKind = 'PURCHASE' | 'REFUND' | 'OTHER';

/** An event of a processor, whatever its form was: what licenses are made of. */
export interface ProcessorEvent {
  /** 1 to 255 characters; the same for every delivery of the event. */
  id: string;
  /** As the processor calls it. */
  name: string;
  kind: EventKind;
  /** Of one payment at the processor, which may be reported by several events (D106). */
  paymentId: string | null;
  /** Of the seller's order, for the license. */
  orderId: string | null;
  /** The order that the event itself names: a fallback of `orderId` would find refunds of something else. */
  namedOrderId: string | null;
  items: PurchaseItem[];
  email: string | null;
  customerName: string | null;
  /** It was sold by the shop of this installation, which has made the licenses already. */
  isOwnStore: boolean;
}

/** Headers that carry signatures, as Node names them; a repeated one arrives joined by `, `. */
export interface SignatureHeaders {
  'stripe-signature'?: string | undefined;
  'x-square-hmacsha256-signature'?: string | undefined;
  'x-webhook-signature'?: string | undefined;
  'x-signature'?: string | undefined;
}

/** A delivery whose signature is asked for. */
export interface Signed {
  raw: Buffer;
  headers: SignatureHeaders;
  /** Those in force, the current one first. */
  secrets: readonly string[];
  /** What the processor was told to call (D107). */
  notificationUrl: string;
  /** When it was received, milliseconds since 1970. */
  receivedMs: number;
}

/** A processor: how it signs and what its events say. */
export interface ProcessorRules {
  /** Why the signature does not hold, in words for staff; null when it holds. Never throws. */
  faultOf(signed: Signed): string | null;
  /**
   * Reads an event. Never throws.
   *
   * @param payload the parsed body
   * @returns null when it names no event
   */
  read(payload: Record<string, unknown>, raw: Buffer): ProcessorEvent | null;
}
