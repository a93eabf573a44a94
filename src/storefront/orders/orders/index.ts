export { accessUrl, closeAccess, openAccess, orderOfToken, orderPath } from './access.ts';
export { claimableOrders, claimGuestOrders, moveAll } from './claim.ts';
export { completePaid } from './completing.ts';
export { awaitsLicense, type Delivered, deliveredOf, licensesOf } from './delivered.ts';
export { orderEvents } from './events.ts';
export { type GiftData, giftForNobody, StoredGift } from './gift-data.ts';
export { beforeUpdate } from './hooked.ts';
export {
  type Amendment,
  amend,
  get,
  hasOrdered,
  insert,
  lock,
  type Noted,
  nextNumber,
  note,
  type OrderDraft,
  rebuild,
  tell,
  tellDraft,
  transition,
  write,
} from './orders.ts';
export { giveTo, lockOrdersOf } from './owner/repository.ts';
export { type Parcel, parcelsOf } from './queries.ts';
export type { OrderForReceivers } from './receivers.ts';
export {
  FULFILLMENT_STATUSES,
  MOST_CENTS,
  ORDER_EVENT_TYPES,
  ORDER_STATUSES,
  type Order,
  type OrderAddress,
  type OrderAdjustment,
  type OrderEvent,
  type OrderItem,
  type OrderStatus,
  orderAddressRecord,
  orderAdjustmentRecord,
  orderEventRecord,
  orderItemRecord,
  orderRecord,
  PAYMENT_STATUSES,
  RETURN_STATUSES,
  REVIEW_STATES,
  type ReturnStatus,
  RISK_LEVELS,
  RISK_REASONS,
  type Risk,
  type RiskReason,
  SOURCES,
  type TaxLine,
} from './record.ts';
export {
  addressesOf,
  findByCart,
  findByNumber,
  findOrder,
  historyOf,
  itemsOf,
  listUnpaid,
  listUnplaced,
  lockOrder,
  putAddress,
  takeCancelled,
  takeFulfilled,
  takeRefundOfItem,
  takeRefundOfShipping,
  takeReturned,
  takeReturnRequest,
  updateItem,
} from './repository.ts';
export {
  fulfillmentStatusOf,
  isDeliverable,
  leftToShip,
  type PaymentFacts,
  paymentStatusOf,
  settlement,
  wasPaid,
} from './standing.ts';
export { allowedIn, requireAllowed, type Trigger } from './states.ts';
export { type WholeOrder, whole } from './whole.ts';
