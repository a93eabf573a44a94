export { type Failing, listFailing } from './checks/queries.ts';
export { webhookHandler } from './deliveries/handler.ts';
export { webhookSource } from './deliveries/source.ts';
export { refreshSubscriptions } from './deliveries/subscriptions.ts';
export { DELIVERY_STATES, type DeliveryState } from './record.ts';
export type { ChangeOptions } from './registry/change.ts';
export { getDelivery } from './registry/deliveries.ts';
export type { Override } from './registry/overrides.ts';
export {
  type DeliveryFilter,
  deliveryRows,
  figuresOf,
  type WebhookFigures,
  webhookRows,
} from './registry/queries.ts';
export { remove } from './registry/remove.ts';
export {
  type RangeReport,
  type ReplayRange,
  type ReplayReport,
  replay,
  replayOne,
  replayRange,
} from './registry/replay.ts';
export { rotateSecret } from './registry/rotate.ts';
export {
  WebhookCreateBody,
  type WebhookCreateInput,
  WebhookUpdateBody,
  type WebhookUpdateInput,
} from './registry/schemas.ts';
export { disable, enable } from './registry/switch.ts';
export { printTest, sendTest, type TestInput } from './registry/test.ts';
export { update } from './registry/update.ts';
export { type CreateOptions, create, get } from './registry/webhooks.ts';
export type {
  PayloadWishes,
  RetryPlan,
  SendingService,
  SendingTerms,
  WebhookEvent,
  WebhookService,
  WebhookServiceName,
} from './service.ts';
export { targetRules } from './settings.ts';
export { SIGNATURE_CHECK } from './signature-check.ts';
export type { Attempt, Delivery, DeliveryRecord, Webhook } from './webhook.ts';
