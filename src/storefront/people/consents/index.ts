export {
  type ConsentNoted,
  consentsOf,
  consentsOfSubscriber,
  copyConsents,
  forgetConsents,
  forgetSubscriber,
  noteConsent,
} from './consents.ts';
export { consentRows } from './queries.ts';
export { CONSENT_SOURCES, type Consent, type ConsentSource } from './record.ts';
