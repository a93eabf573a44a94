import type { Page } from '#kernel/http/page.ts';
import { storeHomePage, storePath } from './home-page.ts';

export { dashboardEndpoints } from './endpoints.store.ts';

/** Where the shop's part of the panel begins. */
export const storeHomePages: readonly Page[] = [storePath, storeHomePage];
