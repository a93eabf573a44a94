export { checkin } from './checkin.ts';
export { checkout } from './checkout.ts';
