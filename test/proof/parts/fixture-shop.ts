// The places of the inbox that is a fixture: it and the proof know the same secrets.
import type { Shop } from './purchases.ts';

const NOTIFICATION_URL = 'https://shop.example.com/hooks/payments';

export const fixtureShop: Shop = {
  stripe: { configId: 'stripe', secret: 'the-first-secret-of-a-fixture', notificationUrl: NOTIFICATION_URL },
  square: { configId: 'square', secret: 'the-second-secret-of-a-fixture', notificationUrl: NOTIFICATION_URL },
  generic: {
    configId: 'generic',
    secret: 'the-third-secret-of-a-fixture',
    notificationUrl: NOTIFICATION_URL,
  },
};
