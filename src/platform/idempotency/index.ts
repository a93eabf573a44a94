export { IdempotencyKeyHeaders, idempotencyKeyOf } from './headers.ts';
export { doOnce, type Repeatable } from './idempotency.ts';
