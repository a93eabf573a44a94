export { confirmAgain, linkAgain, orderOf } from './customer-orders.ts';
export { listOrders, type OrdersAsked } from './queries.ts';
export {
  cancelOwn,
  isToPay,
  type ShopperOrder,
  shopperOrder,
  type Tracked,
  track,
} from './shopper-orders.ts';
