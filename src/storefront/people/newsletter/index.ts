export { leave, leaveById, remove, type SubscriptionRequest, subscribe } from './newsletter.ts';
export type { Subscriber } from './record.ts';
