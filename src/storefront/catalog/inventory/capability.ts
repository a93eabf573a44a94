import { capability } from '#kernel/capability.ts';
import { inventoryEndpoints } from './endpoints.store.ts';
import { inventoryEvents, reservationEvents } from './events.ts';
import { expireReservations } from './jobs.ts';
import { inventoryLocal } from './local.ts';
import { inventoryPages } from './pages.ts';
import { levelRecord, movementRecord, reservationRecord } from './record.ts';
import { inventoryResource, movementResource, reservationResource } from './resource.ts';
import { lowStockMail } from './staff-mail.ts';

/** What is in stock of what the shop sells. */
export const shopInventory = capability({
  ...inventoryLocal,
  events: [inventoryEvents, reservationEvents],
  storeEndpoints: inventoryEndpoints,
  pages: inventoryPages,
  jobs: [expireReservations],
  staffMails: [lowStockMail],
  // What is held stands below the stock, where the name of a variant would be.
  resources: [reservationResource, inventoryResource, movementResource],
  records: [levelRecord, movementRecord, reservationRecord],
});
