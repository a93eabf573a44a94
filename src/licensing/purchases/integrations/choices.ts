/**
 * Processors that an integration can be made for (spec POST webhooks/inbound): card processor A, payments processor B
 * and any other that signs with HMAC-SHA256.
 */
export const PROCESSORS = ['STRIPE', 'SQUARE', 'GENERIC'] as const;
export type Processor = (typeof PROCESSORS)[number];

/** What a mapping may sell: a floating license has its seats checked out and is refused (D115). */
export const MAPPED_TYPES = ['PERPETUAL', 'SUBSCRIPTION', 'TRIAL', 'BETA'] as const;
/** n licenses, or one license with n times the seats (D111). */
export const QUANTITY_MODES = ['LICENSES', 'SEATS'] as const;
/** What a full refund does to the licenses of its payment (D116). */
export const REFUND_ACTIONS = ['NONE', 'SUSPEND', 'REVOKE'] as const;

export type MappedType = (typeof MAPPED_TYPES)[number];
export type RefundAction = (typeof REFUND_ACTIONS)[number];
