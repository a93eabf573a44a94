export { approve, cancel, reject, track } from './decide.ts';
export { returnEvents } from './events.ts';
export {
  type ExchangeWorth,
  exchanged,
  orderEnded,
  refundRefused,
  takeWorth,
  worthFor,
} from './exchange.ts';
export { labelOf, storeLabel } from './label.ts';
export { write } from './messages.ts';
export { ownOrder, ownReturn, ownReturns } from './own.ts';
export { photoBytes, takePhoto } from './photos.ts';
export { offeredReasons } from './reasons.ts';
export { receive } from './receive.ts';
export { RESOLUTIONS, type Resolution, type Return, type ReturnItem, returnRecord } from './record.ts';
export { returnsOf } from './repository.ts';
export { request } from './request.ts';
export { canReturn, type NotReturnable, type ReturnableLine, returnableLines } from './returnable.ts';
export { get, getOf } from './returns.ts';
export { returnPath } from './send.ts';
export { close, previewSettling, refund } from './settle.ts';
export { allowedIn } from './states.ts';
export { type WholeReturn, wholeReturn } from './view.ts';
