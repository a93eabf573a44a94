/** Payment processors for the rest of the shop. */
export type {
  AmountRequest,
  BillingAddress,
  Capabilities,
  ChangeRequest,
  ClientConfig,
  Connection,
  IgnoredNotification,
  LookupRequest,
  NextAction,
  Notification,
  NotificationHeaders,
  NotificationType,
  Outcome,
  OutcomeStatus,
  PayRequest,
  Processor,
  ProcessorCtx,
  RefundOutcome,
  RefundRequest,
  Settled,
} from './contract.ts';
export { NOTIFICATION_TYPES } from './contract.ts';
export { paymentUnavailable } from './errors.ts';
export { FAKE_SOURCES, signFake } from './fake.ts';
export {
  activeProcessorOf,
  activeProcessors,
  configuredProcessors,
  isConfigured,
  isInUse,
  missingFields,
  processorOf,
  processors,
} from './registry.ts';
export * as setup from './setup.ts';
