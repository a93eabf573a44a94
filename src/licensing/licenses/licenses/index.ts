export { insertCanary, removeCanary } from './canaries/repository.ts';
export { cardsOf, idsByKey, type LicenseCard } from './cards/cards.ts';
export { addToCounter, fillCounter, restartCounter } from './counter/repository.ts';
export { type Created, type CreateOptions, create, make, needsEnd } from './create.ts';
export { createBulk } from './create-bulk.ts';
export { changePolicy } from './edit/change-policy.ts';
export type { Edited } from './edit/edit.ts';
export {
  type ChangePolicyInput,
  LicenseUpdate,
  type LicenseUpdateInput,
  type TransferInput,
} from './edit/schemas.ts';
export { transfer } from './edit/transfer.ts';
export { type Bought, convertTrial, setSeats, update } from './edit/update.ts';
export { drawKeyIn } from './keys/make.ts';
export { type ReplaceKeyInput, replaceKey } from './keys/replace.ts';
export { insert as insertKey, type NewKey } from './keys/repository.ts';
export {
  extend,
  type LicenseReference,
  reinstate,
  renew,
  revoke,
  type SuspendReason,
  suspend,
  suspendLocked,
} from './lifecycle.ts';
export { mergeCustomers } from './links/customer.ts';
export { attachPolicy, detachPolicy, MOST_POLICY_TARGETS, type PolicyTargets } from './links/policy.ts';
export { expireAmong, lockFirst, lockStanding } from './lock.ts';
export { type Locked, lockAfresh, lockAndSweep } from './lock-afresh.ts';
export { unmark } from './marks/repository.ts';
export { type LicenseView, licenseView, statusOf } from './public.ts';
export { type License, listActivations } from './queries.ts';
export { licenseKeyRecord, licenseRecord } from './record.ts';
export { forReveal, get, getByKey, keyOf, revealToOwner, tellReveal } from './reveal.ts';
export { checkColumns, emailIn, type RowAsked, type RowReader, readRow } from './rows/row.ts';
export { type AdminCreateInput, StaffCreateBody, type StaffCreateInput } from './schemas.ts';
export { licenseRows } from './search/queries.ts';
export { createByStaff } from './staff-create.ts';
export { timelineOf, visibleEvents } from './timeline/queries.ts';
export { purge, restore, trash } from './trash/trash.ts';
export type { ActivationView, TimelineEvent } from './view.ts';
