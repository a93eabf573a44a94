import { capability } from '#kernel/capability.ts';
import { customerImportEndpoint } from './endpoints.store.ts';
import { importPage } from './import-page.ts';
import { mergePage } from './merge-page.ts';
import {
  customerAddressResource,
  customerConsentResource,
  customerNoteResource,
  customerOrderResource,
  customerSessionResource,
} from './part-resources.ts';
import { customerResource } from './resource.ts';

/** What staff do with customers. */
export const shopCustomerDesk = capability({
  name: 'shop-customer-desk',
  resources: [
    customerResource,
    customerOrderResource,
    customerNoteResource,
    customerAddressResource,
    customerSessionResource,
    customerConsentResource,
  ],
  storeEndpoints: [customerImportEndpoint],
  pages: [importPage, mergePage],
});
