import { storeAnswers } from '#platform/store-answers/index.ts';
import { DEFAULT_TENANT_ID } from '#platform/tenants/index.ts';
import type { DeskApi } from './api.ts';

/** The API of the shop for staff: everything in it belongs to one tenant, and API keys of the store open it. */
export const storeApi: DeskApi = {
  base: '/api/store/',
  keys: 'ask_',
  tenantId: DEFAULT_TENANT_ID,
  rehearsalsSince: null,
  invalid: storeAnswers.invalid,
  unreadable: storeAnswers.unreadable,
  refused: storeAnswers.refused,
};
