export {
  type MarketingChoice,
  noteMarketing,
  readUnsubscribe,
  setMarketing,
  unsubscribe,
  unsubscribePath,
  unsubscribeToken,
} from './marketing.ts';
export { type CustomerExport, type Erased, eraseCustomer, exportCustomer, openBusiness } from './privacy.ts';
