import { capability } from '#kernel/capability.ts';
import { consentRecord } from './record.ts';

/** Who agreed to marketing, with proof. */
export const shopConsents = capability({ name: 'shop-consents', records: [consentRecord] });
