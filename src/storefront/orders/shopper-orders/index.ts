export { cancelOwn, type ShopperOrder, shopperOrder, type Tracked, track } from './shopper-orders.ts';
